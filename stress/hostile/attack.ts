import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LINES, writeHistory } from "../../bench/harness/history.ts";
import { startEmbeddedPostgres } from "../../gateway/src/db/embedded.ts";
import { Browser } from "../../gateway/test/harness/browser.ts";
import { Client, type Sandbox } from "../../gateway/test/harness/client.ts";
import { startProcess } from "../../gateway/test/harness/process.ts";
import { attackAll, type Line } from "./attacks.ts";
import { LIMIT, type Target } from "./target.ts";

/** The history of the tenant that reads, how long it reads, and which attacks run. */
type Extent = {
  /** The database; null: a new one. */
  readonly databaseUrl: string | null;
  /** Number of lines in the balance that is read. */
  readonly lines: number;
  readonly seconds: number;
  readonly only?: RegExp;
};

/** The effects of the attacks, and whether the books hold after them. */
type Attacked = { readonly lines: readonly Line[]; readonly booksHold: boolean };

/** Starts a gateway, runs every attack beside another tenant, and ends it. */
export async function attack(extent: Extent, log: (line: string) => void): Promise<Attacked> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-attack-"));
  const server =
    extent.databaseUrl === null
      ? await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), log: () => {} })
      : null;
  try {
    return await attackGateway(folder, extent.databaseUrl ?? server!.url, extent, log);
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function attackGateway(
  folder: string,
  databaseUrl: string,
  { lines, seconds, only = /./ }: Extent,
  log: (line: string) => void,
): Promise<Attacked> {
  const gateway = await startProcess({
    PIXGATE_DATA_DIR: folder,
    PIXGATE_RATE_LIMIT: String(LIMIT),
    DATABASE_URL: databaseUrl,
  });
  try {
    const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
    const operator = new Client(sandbox.operatorUrl).withToken(sandbox.operatorToken);
    const makeTenant = (name: string) => newTenant(sandbox, operator, name);
    const [ordinary, busy] = [await makeTenant("Ordinary"), await makeTenant("Busy")];
    const payee = { accountId: busy.accountId, walletId: busy.accountId };
    const banks = await operator.get<{ items: { id: string }[] }>("/institutions");
    const institutionId = banks.body.items[0]!.id;
    // A charge has two lines in this balance, and two in others.
    await writeHistory(databaseUrl, [{ payee, charges: (2 * lines) / LINES, endpointId: null, institutionId }]);
    // The auditor stores sums of the lines that it has checked, usually within two minutes; of so many new lines, a
    // full check.
    const audited = await operator.post("/ledger/audits", { mode: "full" });
    if (audited.status >= 300) throw new Error(`the auditor answers ${audited.text}`);
    const page = await new Browser(gateway.url).use(/#link=([\w-]+)/.exec(gateway.stdout())![1]!);
    const aim = async (): Promise<Target> => ({
      ...{ url: gateway.url, sandbox, page, operator, seconds, ordinary: ordinary.login },
      attacker: await new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret),
      busy: { accountId: busy.accountId, client: await busy.login(), lines },
    });
    const met = await attackAll(aim, only, log);
    const books = await operator.get<{ ok: boolean }>("/ledger/verify");
    if (!books.body.ok) log(`the books are broken: ${books.text}`);
    return { lines: met, booksHold: books.body.ok === true };
  } finally {
    await gateway.stop();
  }
}

async function newTenant(sandbox: Sandbox, operator: Client, name: string) {
  const account = await operator.post<{ id: string }>("/accounts", { name });
  const accountId = account.body.id;
  const path = `/accounts/${accountId}/credentials`;
  const credential = await operator.post<{ clientId: string; clientSecret: string }>(path, {
    name,
    permissions: ["FULL_ACCESS"],
    subAccountAccess: true,
  });
  const { clientId, clientSecret } = credential.body;
  return { accountId, login: () => new Client(sandbox.baseUrl).login(clientId, clientSecret) };
}
