/**
 * Stark Bank's official SDK (`starkbank`, MIT) against our Stark Bank: the server in front of the simulator that Stark Bank's adapter is
 * tested on. Its methods run unchanged, its own signatures of requests are verified, and it verifies ours of events. Its addresses
 * are fixed, so its own setting of an agent leads them here. Installed for this test; where the registry cannot be reached it is
 * skipped by name.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { Agent } from "node:https";
import { createRequire } from "node:module";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { findBank } from "../../src/psp/catalogue.ts";
import { eventually } from "../harness/eventually.ts";
import { installPackage, NO_REGISTRY } from "../harness/installed-package.ts";
import { startSimulatorPsp } from "../harness/simulator-psp.ts";
import { bridgeStark } from "./bridges/stark.ts";

const PACKAGE = "starkbank@2.42.0";
const CPF = "52998224725";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's answers are read field by field, and a wrong one fails its test
type Said = any;

/** Leads every connection to a server of this machine, without TLS. */
class Here extends Agent {
  readonly #port: number;
  constructor(port: number) {
    super();
    this.#port = port;
  }
  override createConnection() {
    return connect(this.#port, "127.0.0.1");
  }
}

describe("Stark Bank's own SDK", () => {
  const closers: (() => unknown)[] = [];
  let skip: string | false = false;
  let stark: Said;
  let bank: Awaited<ReturnType<typeof startSimulatorPsp>>;
  let settings: Readonly<Record<string, unknown>> = {};

  before(async () => {
    const later = { after: (close: () => unknown) => closers.push(close) };
    bank = await startSimulatorPsp(later as never, {}, [], findBank("stark")!, async (simulated) => {
      const front = await bridgeStark(simulated);
      settings = front.settings;
      return front;
    });
    await bank.control("PATCH", "/behaviour", { payoutDelayMs: 0 });
    const folder = await installPackage(PACKAGE, (remove) => closers.push(remove));
    if (folder === null) {
      skip = NO_REGISTRY;
      return;
    }
    stark = createRequire(join(folder, "index.js"))(join(folder, "index.js"));
    stark.setHttpsAgent(new Here(Number(new URL(String(settings.starkUrl)).port)));
    stark.setUser(projectOf(String(settings.starkKey)));
  });
  after(async () => {
    for (const close of closers.reverse()) await close();
  });

  const projectOf = (privateKey: string) =>
    new stark.Project({ environment: "sandbox", id: String(settings.starkId), privateKey });
  const isAbsent = (t: { skip(message: string): void }): boolean => {
    if (skip !== false) t.skip(skip);
    return skip !== false;
  };
  async function all(items: AsyncIterable<Said>): Promise<Said[]> {
    const read: Said[] = [];
    for await (const item of items) read.push(item);
    return read;
  }
  /** A transfer to the account of a key, as its documentation makes one. */
  async function transferTo(key: string, externalId: string, amount: number, more: object = {}): Promise<Said> {
    const { name, taxId, ispb: bankCode, branchCode, accountNumber, accountType } = await stark.dictKey.get(key);
    const account = { bankCode, branchCode, accountNumber, accountType };
    const [made] = await stark.transfer.create([
      { ...account, amount, name, taxId: taxId.replace(/\D/g, ""), externalId, tags: ["Payroll"], ...more },
    ]);
    return made;
  }

  test("looks up the owner of a key, and is refused one that nobody has", async (t) => {
    if (isAbsent(t)) return;
    const key = await stark.dictKey.get(CPF);
    assert.deepEqual([key.id, key.name, key.taxId, key.ispb], [CPF, "Favorecido Teste", "529.982.247-25", "20018183"]);
    await assert.rejects(stark.dictKey.get("unknown@pixgate.test"), ({ errors }: Said) => {
      assert.deepEqual([errors.length, errors[0].code], [1, "invalidPixKey"]);
      return true;
    });
  });

  test("pays out once under one externalId, and shows it by id and by tag, with the balance after it", async (t) => {
    if (isAbsent(t)) return;
    const before = (await stark.balance.get()).amount;
    const made = await transferTo(CPF, "starksdk1", 700);
    assert.deepEqual([made.amount, made.externalId, made.tags], [700, "starksdk1", ["payroll"]]);
    await assert.rejects(transferTo(CPF, "starksdk1", 700), ({ errors }: Said) => /externalId/i.test(errors[0].code));
    await eventually("the transfer to end", async () => (await stark.transfer.get(made.id)).status === "success");
    const found = await all(await stark.transfer.query({ limit: 10, tags: ["payroll"] }));
    assert.deepEqual(
      found.map(({ id, status }: Said) => [id, status]),
      [[made.id, "success"]],
    );
    assert.equal((await stark.balance.get()).amount, before - 700);
  });

  test("the log of a transfer that failed has its reason, which our adapter reads", async (t) => {
    if (isAbsent(t)) return;
    const made = await transferTo("fail@pixgate.test", "starksdk2", 100, { tags: ["pixgate-starksdk2"] });
    await eventually("the transfer to fail", async () => (await stark.transfer.get(made.id)).status === "failed");
    const logs = await all(await stark.transfer.log.query({ transferIds: [made.id], types: ["failed"], limit: 10 }));
    assert.match(logs[0].errors[0], /^AC07: /);
    const read = await bank.psp.payouts!.findPayout("starksdk2");
    assert.ok(read.kind === "found", JSON.stringify(read));
    assert.deepEqual([read.value.status, read.value.failure?.code], ["failed", "destination_refused"]);
  });

  test("what our adapter pays is shown by the SDK", async (t) => {
    if (isAbsent(t)) return;
    const order = { id: "starkadapter1", amount: 300, pixKey: CPF, holderDocument: CPF };
    assert.equal((await bank.psp.payouts!.sendPayout(order)).kind, "accepted");
    const [shown] = await all(await stark.transfer.query({ limit: 10, tags: ["pixgate-starkadapter1"] }));
    assert.deepEqual([shown.externalId, shown.amount, shown.name], ["starkadapter1", 300, "Favorecido Teste"]);
  });

  test("registers an address, and verifies the signature of an event that comes there", async (t) => {
    if (isAbsent(t)) return;
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
      });
      request.on("end", () => {
        received.push({ headers: request.headers, body });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const webhook = await stark.webhook.create({ url, subscriptions: ["transfer"] });
    const made = await transferTo(CPF, "starksdk3", 150);
    await eventually("the event", () => received.some(({ body }) => body.includes(made.id)));
    const { headers, body: content } = received.find(({ body }) => body.includes(made.id))!;
    const signature = headers["digital-signature"];
    const event = await stark.event.parse({ content, signature });
    assert.deepEqual([event.subscription, event.log.transfer.externalId], ["transfer", "starksdk3"]);
    await assert.rejects(stark.event.parse({ content: content.replace("150", "151"), signature }), /do not match/);
    assert.deepEqual(bank.psp.readNotification(JSON.parse(content)), [{ kind: "payout_moved", payoutId: "starksdk3" }]);
    await stark.webhook.delete(webhook.id);
    assert.deepEqual(await all(await stark.webhook.query({ limit: 10 })), []);
  });

  test("is refused with a key that is not the project's", async (t) => {
    if (isAbsent(t)) return;
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
    const user = projectOf(privateKey.export({ type: "sec1", format: "pem" }).toString());
    await assert.rejects(stark.balance.get({ user }), ({ errors }: Said) => errors[0].code === "invalidSignature");
  });
});
