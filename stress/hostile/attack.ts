import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "../../gateway/test/harness/browser.ts";
import { Client, type Sandbox } from "../../gateway/test/harness/client.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { startProcess } from "../../gateway/test/harness/process.ts";
import { attackAll, type Line, type Met, startOrdinary } from "./attacks.ts";
import { LIMIT } from "./target.ts";

/** Calls of the other tenant before the attacks, to compare with. */
const ALONE_CALLS = 500;

/** Starts a gateway, runs every attack beside another tenant, and ends it. */
export async function attack(
  env: Readonly<Record<string, string>>,
  log: (line: string) => void,
): Promise<{ readonly lines: readonly Line[]; readonly alone: Met }> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-attack-"));
  const gateway = await startProcess({ PIXGATE_DATA_DIR: folder, PIXGATE_RATE_LIMIT: String(LIMIT), ...env });
  try {
    const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
    const operator = new Client(sandbox.operatorUrl).withToken(sandbox.operatorToken);
    const account = await operator.post<{ id: string }>("/accounts", { name: "Ordinary" });
    const credential = await operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${account.body.id}/credentials`,
      { name: "ordinary", permissions: ["FULL_ACCESS"] },
    );
    const { clientId, clientSecret } = credential.body;
    const login = () => new Client(sandbox.baseUrl).login(clientId, clientSecret);
    const attacker = await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret);
    const ordinary = startOrdinary(await login());
    await eventually("calls without an attack", () => ordinary.calls() >= ALONE_CALLS, 60_000);
    const alone = await ordinary.stop();
    const page = await new Browser(gateway.url).use(/#link=([\w-]+)/.exec(gateway.stdout())![1]!);
    const lines = await attackAll({ url: gateway.url, sandbox, attacker, page, ordinary: login }, log);
    const books = await operator.get<{ ok: boolean }>("/ledger/verify");
    if (!books.body.ok) throw new Error(`the books are broken: ${books.text}`);
    return { lines, alone };
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
