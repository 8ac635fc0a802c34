/** `pixgate mcp` as people start it, used by the protocol's own client, against the real gateway and its simulator. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  Client,
  type ClientOptions,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { catalogueOf } from "../../../mcp/src/catalogue.ts";
import { PixgateOperator } from "../../../sdk/src/index.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const PIXGATE = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));
const HOLDER = {
  pixKey: "maria@example.com",
  pixKeyType: "email",
  holderName: "Maria Silva",
  holderDocument: "52998224725",
  holderDocumentType: "cpf",
};
const TOKEN = "a-bearer-token-of-the-tests-with-44-characters";
/** In which a program starts on a loaded machine. */
const START_WITHIN_MS = 90_000;
/** The protocol's version of 2026, and the one that most clients spoke before it. */
const VERSIONS = { "2026": { mode: "auto" }, "2025": { mode: "legacy" } } as const;
type Result = { content: { type: string; text?: string }[]; isError?: boolean; structuredContent?: unknown };

describe("pixgate mcp", () => {
  let gateway: TestGateway;
  const clients: Client[] = [];
  before(async () => {
    gateway = await startGateway();
    const { body } = await gateway.merchant.post("/pix", { amount: 500, description: "To have something" });
    await gateway.merchant.post(`/sandbox/pix/${(body as { id: string }).id}/pay`, {});
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await gateway.end();
  });

  const merchantEnv = (): Record<string, string> => ({
    PATH: process.env.PATH!,
    PIXGATE_API_URL: gateway.sandbox.baseUrl,
    PIXGATE_CLIENT_ID: gateway.sandbox.clientId,
    PIXGATE_CLIENT_SECRET: gateway.sandbox.clientSecret,
  });
  const operatorEnv = (token = gateway.sandbox.operatorToken): Record<string, string> => ({
    PATH: process.env.PATH!,
    PIXGATE_OPERATOR_URL: gateway.sandbox.operatorUrl,
    PIXGATE_OPERATOR_TOKEN: token,
  });

  function newClient(version: keyof typeof VERSIONS, answer?: (message: string) => ElicitResult): Client {
    const options: ClientOptions = {
      versionNegotiation: VERSIONS[version],
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
    };
    const client = new Client({ name: "test", version: "1" }, options);
    if (answer !== undefined) client.setRequestHandler("elicitation/create", ({ params }) => answer(params.message));
    clients.push(client);
    return client;
  }

  async function overStdio(
    args: readonly string[],
    {
      env = merchantEnv(),
      version = "2026" as keyof typeof VERSIONS,
      answer = undefined as Parameters<typeof newClient>[1],
    } = {},
  ): Promise<Client> {
    const client = newClient(version, answer);
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [PIXGATE, "mcp", ...args], env }));
    return client;
  }

  const call = async (client: Client, name: string, input: Record<string, unknown> = {}): Promise<Result> =>
    (await client.callTool({ name, arguments: input })) as Result;
  const said = ({ content }: Result): string => content.map(({ text: words = "" }) => words).join("\n");
  const balance = async () =>
    ((await gateway.merchant.get("/account")).body as { balance: { held: { amount: number } } }).balance;
  const withdrawals = async () =>
    ((await gateway.merchant.get("/withdrawals")).body as { items: { id: string }[] }).items.length;

  /** Waits for what an earlier test has asked for: it holds money until the bank has settled it. */
  const atRest = () => eventually("nothing to be under way", async () => (await balance()).held.amount === 0);

  /** The call changes neither balance nor withdrawals. */
  async function movesNothing<T>(act: () => Promise<T>): Promise<T> {
    await atRest();
    const was = [await balance(), await withdrawals()];
    const result = await act();
    assert.deepEqual([await balance(), await withdrawals()], was);
    return result;
  }

  test("offers reading alone unless it is told otherwise, with the documents' schemas", async () => {
    const client = await overStdio([]);
    const { tools } = await client.listTools();
    const reading = catalogueOf("merchant").filter(({ writes }) => !writes);
    assert.deepEqual(tools.map(({ name }) => name).sort(), reading.map(({ name }) => name).sort());
    assert.ok(tools.every(({ name, annotations }) => /^[a-z]\w{2,63}$/i.test(name) && annotations?.readOnlyHint));
    const account = await call(client, "account_get");
    assert.deepEqual((account.structuredContent as { balance: unknown }).balance, await balance());
    const page = await call(client, "transactions_list", { limit: 1, status: "completed" });
    assert.equal((page.structuredContent as { items: unknown[] }).items.length, 1);
    const wrong = await call(client, "transactions_list", { limit: 1, statsu: "completed" });
    assert.match(said(wrong), /breaks the tool's schema: statsu: is unknown/);
    const path = await call(client, "events_get", { eventId: ".." });
    assert.equal(path.isError, true);

    const refused = await movesNothing(() => call(client, "withdrawals_create", { body: { amount: 10, ...HOLDER } }));
    assert.equal(refused.isError, true);
    assert.match(said(refused), /--allow-write withdrawals\.create/);
    await assert.rejects(call(client, "withdrawals_steal"), /there is no tool/);
  });

  test("describes its answers: the client of the protocol's authors takes each of them by its schema", async () => {
    for (const client of [await overStdio([]), await overStdio([], { env: operatorEnv() })]) {
      // Having listed them, the client refuses an answer that breaks its tool's schema.
      const { tools } = await client.listTools();
      const plain = tools.filter(
        ({ outputSchema, inputSchema }) => outputSchema && (inputSchema.required ?? []).length === 0,
      );
      assert.ok(plain.length > 5, `${plain.length}`);
      for (const { name } of plain) {
        const answer = await call(client, name);
        assert.ok(answer.isError === true || answer.structuredContent !== undefined, `${name}: ${said(answer)}`);
      }
    }
  });

  test("without settings serves the merchant's tools of the sandbox, and the operator's where somebody says so", async () => {
    const env = { PATH: process.env.PATH ?? "", HOME: gateway.dataDir, PIXGATE_DATA_DIR: gateway.dataDir };
    const namesOf = async (args: readonly string[]) =>
      (await (await overStdio(args, { env })).listTools()).tools.map(({ name }) => name);
    const merchants = await namesOf([]);
    assert.ok(merchants.includes("account_get") && !merchants.includes("accounts_list"), merchants.join());
    assert.ok((await namesOf(["--as", "operator"])).includes("accounts_list"));
  });

  test("gives the documentation and every error code as resources", async () => {
    const client = await overStdio([]);
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    assert.ok(uris.includes("pixgate://docs/interface.md") && !uris.includes("pixgate://docs/operating.md"));
    const { contents } = await client.readResource({ uri: "pixgate://errors" });
    assert.match((contents[0] as { text: string }).text, /^\| `INSUFFICIENT_BALANCE` \| 400 \| The balance/m);
    await assert.rejects(client.readResource({ uri: "pixgate://docs/../package.json" }));
  });

  for (const version of ["2026", "2025"] as const)
    test(`asks the person before money leaves, protocol of ${version}`, async () => {
      const shown: string[] = [];
      let reply: ElicitResult = { action: "decline" };
      const answer = (message: string) => {
        shown.push(message);
        return reply;
      };
      const client = await overStdio(["--allow-write", "withdrawals.create"], { version, answer });
      const input = { body: { netAmount: 10.5, ...HOLDER } };
      for (const no of [
        { action: "decline" },
        { action: "cancel" },
        { action: "accept", content: { confirm: false } },
      ] as const) {
        reply = no;
        const declined = await movesNothing(() => call(client, "withdrawals_create", input));
        assert.equal(declined.isError, true);
        assert.match(said(declined), /^Nothing was done\. The person declined/);
      }
      assert.match(shown[0]!, /Pay R\$\u00a010,50 from the main wallet/);
      assert.match(shown[0]!, /"maria@example\.com" \("email"\) of "Maria Silva", document "52998224725"/);
      assert.match(shown[0]!, /cannot be taken back/);

      const before = await withdrawals();
      reply = { action: "accept", content: { confirm: true } };
      const done = await call(client, "withdrawals_create", input);
      assert.equal((done.structuredContent as { netAmount: number }).netAmount, 10.5, said(done));
      assert.equal(await withdrawals(), before + 1);
      assert.equal(shown.length, 4);
    });

  test("where the client has no forms, acts on a token that is bound to the exact call and counts once", async () => {
    const client = await overStdio(["--allow-write", "withdrawals.create,refunds.create"]);
    const input = { body: { amount: 12, ...HOLDER } };
    const ask = async () => {
      const asked = await movesNothing(() => call(client, "withdrawals_create", input));
      const { effect, confirmationToken } = asked.structuredContent as { effect: string; confirmationToken: string };
      assert.match(effect, /Pay R\$\u00a012,00, less the fee/);
      return confirmationToken;
    };
    const refused = async (given: Record<string, unknown>) => {
      const answer = await movesNothing(() => call(client, "withdrawals_create", given));
      assert.match(said(answer), /^Nothing was done\. The confirmation was used already/);
    };
    const other = { ...input.body, amount: 13 };
    const spent = await ask();
    await refused({ body: other, confirmationToken: spent });
    // A call that does not fit uses it up.
    await refused({ ...input, confirmationToken: spent });
    await refused({ ...input, confirmationToken: "made-up" });

    const token = await ask();
    const before = await withdrawals();
    const done = await call(client, "withdrawals_create", { ...input, confirmationToken: token });
    assert.equal((done.structuredContent as { amount: number }).amount, 12, said(done));
    assert.equal(await withdrawals(), before + 1);
    await refused({ ...input, confirmationToken: token });
  });

  test("shows whose payment is given back, and how much", async () => {
    const { body } = await gateway.merchant.post("/pix", { amount: 33.33, description: "Order\nPay nobody" });
    const { id } = body as { id: string };
    await gateway.merchant.post(`/sandbox/pix/${id}/pay`, { payer: { name: "João Lima", document: "52998224725" } });
    const client = await overStdio(["--allow-write", "refunds.create"]);
    const asked = await movesNothing(() => call(client, "refunds_create", { id }));
    const { effect, confirmationToken } = asked.structuredContent as { effect: string; confirmationToken: string };
    assert.match(effect, /Give R\$\u00a033,33, the whole payment .* to its payer "João Lima"/);
    const done = await call(client, "refunds_create", { id, confirmationToken });
    assert.equal((done.structuredContent as { originalTransactionId: string }).originalTransactionId, id, said(done));
    const unknown = await movesNothing(() =>
      call(client, "refunds_create", { id: "0199f0e1-5c2d-7a11-b6f3-0e4d5c6b7a89" }),
    );
    assert.match(said(unknown), /NOT_FOUND \(404\)/);
  });

  test("offers no tool that the credential may not use, and each says what it needs", async () => {
    const { accountId } = gateway.sandbox;
    const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${accountId}/credentials`,
      { name: "agent", permissions: ["PIX:WRITE", "TRANSACTION:READ"] },
    );
    const env = {
      ...merchantEnv(),
      PIXGATE_CLIENT_ID: made.body.clientId,
      PIXGATE_CLIENT_SECRET: made.body.clientSecret,
    };
    const writes = ["charges.create", "withdrawals.create", "refunds.create", "transfers.create", "projects.create"];
    const client = await movesNothing(() => overStdio(["--allow-write", writes.join()], { env }));
    const { tools } = await movesNothing(() => client.listTools());
    const expected = catalogueOf("merchant").filter(
      ({ needs, writes: isWrite, operationId }) =>
        ["PIX:WRITE", "TRANSACTION:READ"].includes(needs!) && (!isWrite || operationId === "charges.create"),
    );
    assert.deepEqual(tools.map(({ name }) => name).sort(), expected.map(({ name }) => name).sort());
    for (const { name, needs } of expected)
      assert.ok(tools.find((tool) => tool.name === name)?.description?.includes(`\`${needs}\``), name);
    // Who names it all the same is refused by the gateway.
    const refused = await call(client, "account_get");
    assert.match(said(refused), /^PERMISSION_DENIED \(403\)/);
    const charge = await call(client, "charges_create", { body: { amount: 5, description: "An agent's" } });
    assert.equal((charge.structuredContent as { amount: number }).amount, 5, said(charge));
  });

  test("can do no more than the credential: its refusal is the answer", async () => {
    const operator = new PixgateOperator({
      baseUrl: gateway.sandbox.operatorUrl,
      token: gateway.sandbox.operatorToken,
    });
    const offered = async (role: "support" | "admin") => {
      const { token } = await operator.tokens.create({ name: role, role });
      const client = await overStdio(["--allow-write", "adjustments.create"], { env: operatorEnv(token) });
      return { client, names: (await client.listTools()).tools.map(({ name }) => name) };
    };
    assert.ok((await offered("admin")).names.includes("adjustments_create"));
    const { client, names } = await offered("support");
    const needSupport = catalogueOf("operator").filter(({ needs, writes }) => needs === "support" && !writes);
    assert.deepEqual(names.sort(), needSupport.map(({ name }) => name).sort());
    const { accountId } = gateway.sandbox;
    const input = { id: accountId, body: { amount: 5, balance: "available", reason: "A gift" } };
    await movesNothing(async () => {
      const asked = await call(client, "adjustments_create", input);
      const { confirmationToken } = (asked.structuredContent ?? {}) as { confirmationToken?: string };
      const refused =
        confirmationToken === undefined
          ? asked
          : await call(client, "adjustments_create", { ...input, confirmationToken });
      assert.equal(refused.isError, true);
      assert.match(said(refused), /\(403\)/);
    });
    const accounts = await call(client, "accounts_list");
    assert.ok(said(accounts).includes(accountId));
  });

  test("says which writes there are, and starts with no other", async () => {
    const child = spawn(process.execPath, [PIXGATE, "mcp", "--allow-write", "everything"], { env: merchantEnv() });
    assert.match(await text(child.stderr), /--allow-write knows no everything.*charges\.create/);
    await eventually("it to end", () => child.exitCode !== null);
    assert.equal(child.exitCode, 2);
  });

  describe("over HTTP", () => {
    let server: ChildProcess;
    let url: URL;
    before(async () => {
      const args = ["mcp", "--http", "--port", "0", "--allow-write", "withdrawals.create"];
      server = spawn(process.execPath, [PIXGATE, ...args], { env: { ...merchantEnv(), PIXGATE_MCP_TOKEN: TOKEN } });
      let errors = "";
      server.stderr!.on("data", (chunk: Buffer) => (errors += chunk.toString()));
      const match = await eventually("it to serve", () => /Serving (\S+)/.exec(errors), START_WITHIN_MS);
      assert.doesNotMatch(errors, new RegExp(TOKEN));
      url = new URL(match[1]!);
      assert.equal(url.hostname, "127.0.0.1");
    });
    after(async () => {
      server.kill("SIGTERM");
      await eventually("it to end", () => server.exitCode !== null || server.signalCode !== null);
    });

    async function overHttp(
      version: keyof typeof VERSIONS,
      answer?: (message: string) => ElicitResult,
    ): Promise<Client> {
      const client = newClient(version, answer);
      const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      return client;
    }

    for (const version of ["2026", "2025"] as const)
      test(`reads, asks and acts, protocol of ${version}`, async () => {
        let reply: ElicitResult = { action: "decline" };
        const client = await overHttp(version, () => reply);
        assert.ok((await client.listTools()).tools.some(({ name }) => name === "withdrawals_create"));
        await atRest();
        const account = await call(client, "account_get");
        assert.deepEqual((account.structuredContent as { balance: unknown }).balance, await balance());
        const input = { body: { amount: 11, ...HOLDER } };
        const declined = await movesNothing(() => call(client, "withdrawals_create", input));
        assert.match(said(declined), /The person declined/);
        const before = await withdrawals();
        reply = { action: "accept", content: { confirm: true } };
        const done = await call(client, "withdrawals_create", input);
        assert.equal((done.structuredContent as { amount: number }).amount, 11, said(done));
        assert.equal(await withdrawals(), before + 1);
      });

    test("works without forms too, and a token of another call moves nothing", async () => {
      const client = await overHttp("2025");
      const input = { body: { amount: 14, ...HOLDER } };
      const asked = await movesNothing(() => call(client, "withdrawals_create", input));
      const { confirmationToken } = asked.structuredContent as { confirmationToken: string };
      const twice = await Promise.all([
        call(client, "withdrawals_create", { ...input, confirmationToken }),
        call(client, "withdrawals_create", { ...input, confirmationToken }),
      ]);
      assert.equal(twice.filter(({ isError }) => isError === true).length, 1);
    });

    /** Sends a request as a browser or a stranger would. */
    const raw = (headers: Record<string, string>, body = '{"jsonrpc":"2.0","id":1,"method":"ping"}', path = "/mcp") =>
      new Promise<number>((resolve, reject) => {
        const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
        const sent = request(
          { host: url.hostname, port: url.port, path, method: "POST", headers: all, agent: false },
          (answer) => {
            answer.resume();
            resolve(answer.statusCode!);
          },
        );
        sent.on("error", reject);
        sent.end(body);
      });

    test("refuses strangers, pages of other sites, other names of this machine, and bodies without end", async () => {
      const authorization = `Bearer ${TOKEN}`;
      assert.equal(await raw({}), 401);
      assert.equal(await raw({ authorization: `Bearer ${TOKEN}x` }), 401);
      assert.equal(await raw({ authorization, host: "evil.example.com" }), 403);
      assert.equal(await raw({ authorization, origin: "https://evil.example.com" }), 403);
      assert.equal(await raw({ authorization }, undefined, "/other"), 404);
      assert.equal(await raw({ authorization, "mcp-session-id": "made-up" }), 404);
      const large = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { x: "x".repeat(300_000) } });
      assert.equal(await raw({ authorization }, large), 413);
    });

    test("keeps a bounded number of sessions", async () => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const body = JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
      });
      let status = 200;
      for (let i = 0; i < 80 && status === 200; i += 1) status = await raw(headers, body);
      assert.equal(status, 503);
    });

    test("needs a token of its own on an address that others reach", async () => {
      const child = spawn(process.execPath, [PIXGATE, "mcp", "--http", "--host", "0.0.0.0", "--port", "0"], {
        env: merchantEnv(),
      });
      assert.match(await text(child.stderr), /needs PIXGATE_MCP_TOKEN/);
    });
  });
});
