import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { idsFor, makeObject } from "../../gateway/test/contract/objects.ts";
import { Client, type Sandbox } from "../../gateway/test/harness/client.ts";
import { readDocument, routesOf } from "../../gateway/test/harness/document.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { freePort } from "../../gateway/test/harness/free-port.ts";
import { type GatewayProcess, startProcess } from "../../gateway/test/harness/process.ts";
import { sendNotifications } from "../../gateway/test/hostile/notifications.ts";
import { sendRequests } from "../../gateway/test/hostile/requests.ts";
import { startHostileReceivers } from "./answers.ts";

type Hostility = {
  readonly seed: number;
  readonly requests: number;
  readonly notifications: number;
  readonly answers: number;
  /** Further settings of the gateway, such as another database. */
  readonly env?: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
};

type Harm = {
  readonly findings: string[];
  /** Resident memory after each part of the work, MiB, by kind of work. */
  readonly memory: Readonly<Record<"requests" | "notifications" | "answers", number[]>>;
  readonly counts: Readonly<Record<"requests" | "notifications" | "answers", number>>;
};

/** Each kind of work is done in this many parts, with a reading of the memory after each. */
const PARTS = 10;

/**
 * Sends a gateway, which runs as its own process, everything that the three kinds of strangers can send: requests,
 * notifications, and answers to its webhooks. It must answer as published, never with a 500, log no error, stay alive,
 * and keep its books correct.
 */
export async function hostile({ seed, requests, notifications, answers, env = {}, log }: Hostility): Promise<Harm> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-hostile-"));
  // The port is chosen before the start: the gateway registers its own address at an institution.
  const port = String(await freePort());
  const address = { PIXGATE_PORT: port, PIXGATE_PUBLIC_URL: `http://127.0.0.1:${port}` };
  const gateway = await startProcess({ PIXGATE_DATA_DIR: folder, ...address, ...env });
  const findings: string[] = [];
  const memory: Record<keyof Harm["memory"], number[]> = { requests: [], notifications: [], answers: [] };
  const counts = { requests: 0, notifications: 0, answers: 0 };
  try {
    const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
    const operator = new Client(sandbox.operatorUrl).withToken(sandbox.operatorToken);
    const login = () => new Client(sandbox.baseUrl).login(sandbox.clientId, sandbox.clientSecret);
    const merchant = await login();
    await merchant.post("/sub-accounts", { reference: "fuzz" });

    const document = await readDocument(`${gateway.url}/openapi.json`);
    const seen: string[] = [];
    for (const path of new Set(routesOf(document).map((route) => route.path))) {
      if (path.includes("{")) seen.push(...idsFor(path, await makeObject(path, merchant)));
    }
    for (let part = 0; part < PARTS && findings.length === 0; part += 1) {
      const tokens = { merchant: (await login()).token, stranger: "e.y.z" };
      const runs = Math.ceil(requests / PARTS);
      const { problems } = await sendRequests(
        { url: gateway.url, document, tokens, seen },
        { seed: seed + part, runs },
      );
      findings.push(...problems.map((problem) => problem + logOf(gateway, problem)));
      counts.requests += runs;
      memory.requests.push(await memoryOf(gateway));
      log(`requests ${counts.requests}, ${memory.requests.at(-1)} MiB`);
    }

    const url = await notificationUrl(operator, gateway);
    for (let part = 0; part < PARTS && findings.length === 0; part += 1) {
      const runs = Math.ceil(notifications / PARTS);
      findings.push(...(await sendNotifications(url, { seed: seed + part, runs })));
      counts.notifications += runs;
      memory.notifications.push(await memoryOf(gateway));
      log(`notifications ${counts.notifications}, ${memory.notifications.at(-1)} MiB`);
    }

    await answerHostilely(gateway, login, answers, (answered) => {
      counts.answers = answered;
      log(`answers ${answered}, ${memory.answers.at(-1) ?? "-"} MiB`);
      return memoryOf(gateway).then((mib) => void memory.answers.push(mib));
    });

    const books = await operator.get<{ ok: boolean; violations: unknown[] }>("/ledger/verify");
    if (!books.body.ok) findings.push(`the books are broken: ${JSON.stringify(books.body.violations)}`);
    if (gateway.child.exitCode !== null) findings.push(`the gateway ended with ${gateway.child.exitCode}`);
    const errors = gateway
      .stderr()
      .split("\n")
      .filter((line) => /"level":[56]0/.test(line));
    findings.push(...errors.slice(0, 5).map((line) => `an error was logged: ${line}`));
    for (const [what, values] of Object.entries(memory)) {
      if (grows(values)) findings.push(`memory grows with ${what}: ${values.join(", ")} MiB`);
    }
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return { findings, memory, counts };
}

/** The gateway's log lines about an answer, without the line that every answer has. */
function logOf(gateway: GatewayProcess, problem: string): string {
  const traceId = /"traceId":"([^"]+)"/.exec(problem)?.[1];
  if (traceId === undefined) return "";
  const lines = `${gateway.stdout()}\n${gateway.stderr()}`.split("\n");
  return lines
    .filter((line) => line.includes(traceId) && line.includes('"err"'))
    .map((line) => `\n  ${line.slice(0, 1_000)}`)
    .join("");
}

/**
 * Whether memory grows: after the warm-up, three readings in a row exceed the highest reading of the early middle by
 * more than a quarter and 100 MiB (garbage that is not collected yet).
 */
export function grows(values: readonly number[]): boolean {
  if (values.length < 6) return false;
  const middle = Math.max(...values.slice(2, 5));
  return Math.min(...values.slice(-3)) > middle * 1.25 + 100;
}

async function memoryOf(gateway: GatewayProcess): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Math.round(Number(/^process_resident_memory_bytes (\S+)/m.exec(text)![1]) / 2 ** 20);
}

/** The gateway's secret address for notifications. A PSP that is played here gets it when the institution is tested. */
async function notificationUrl(operator: Client, gateway: GatewayProcess): Promise<string> {
  const { createServer } = await import("node:http");
  let reported = "";
  const psp = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => {
      body += piece.toString();
    });
    request.on("end", () => {
      reported = /"webhookUrl":\s*"([^"]+)"/.exec(body)?.[1] ?? reported;
      const token = JSON.stringify({ access_token: "t", token_type: "Bearer", expires_in: 3_600 });
      response.writeHead(200, { "content-type": "application/json" }).end(request.url === "/token" ? token : "{}");
    });
  });
  await new Promise<void>((resolve) => psp.listen(0, "127.0.0.1", resolve));
  const at = `http://127.0.0.1:${(psp.address() as { port: number }).port}`;
  const config = {
    baseUrl: `${at}/v2`,
    tokenUrl: `${at}/token`,
    clientId: "c",
    clientSecret: "s",
    pixKey: "b@example.com",
  };
  const institution = { name: "Hostile", provider: "api-pix", environment: "sandbox", config };
  const made = await operator.post<{ id: string }>("/institutions", institution);
  await operator.post(`/institutions/${made.body.id}/test`);
  psp.close();
  psp.closeAllConnections();
  if (reported === "") throw new Error(`the gateway reported no address: ${made.text}`);
  return `${gateway.url}${new URL(reported).pathname}`;
}

/** Sends test events to endpoints of an account: each attempt gets the next hostile answer. */
async function answerHostilely(
  gateway: GatewayProcess,
  login: () => Promise<Client>,
  answers: number,
  after: (answered: number) => Promise<void>,
): Promise<void> {
  if (answers === 0) return;
  const receivers = await startHostileReceivers(20);
  try {
    let merchant = await login();
    // Endpoints that the requests before have registered count towards the wallet's limit.
    const { body } = await merchant.get<{ items: { id: string }[] }>("/webhook-endpoints");
    for (const { id } of body.items) await merchant.send("DELETE", `/webhook-endpoints/${id}`, undefined);
    const endpoints: string[] = [];
    for (const url of receivers.urls) {
      const made = await merchant.post<{ id: string }>("/webhook-endpoints", { url });
      if (made.status !== 201) throw new Error(`an endpoint was not registered: ${made.text}`);
      endpoints.push(made.body.id);
    }
    let next = 0;
    for (let part = 1; part <= PARTS; part += 1) {
      merchant = await login();
      const goal = Math.ceil((answers * part) / PARTS);
      await eventually(
        `${goal} answers`,
        async () => {
          if (receivers.answered() >= goal) return true;
          // A test answers after its first attempt; retries follow by themselves.
          await Promise.all(
            Array.from({ length: 40 }, () =>
              merchant
                .post(`/webhook-endpoints/${endpoints[next++ % endpoints.length]}/test`, { event: "payment_completed" })
                .catch(() => {}),
            ),
          );
          return false;
        },
        600_000,
      );
      if (gateway.child.exitCode !== null) return;
      await after(receivers.answered());
    }
    for (const id of endpoints) await merchant.send("DELETE", `/webhook-endpoints/${id}`, undefined);
  } finally {
    receivers.close();
  }
}
