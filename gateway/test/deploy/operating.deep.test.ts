/** What an operator meets on call: a bad certificate, a bank that is given up, one that is away, a mistyped question. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import pino from "pino";
import { sql } from "../../src/db/sql.ts";
import { checkClientCertificate } from "../../src/institutions/client-certificate.ts";
import { type RunningSimulator, startSimulator } from "../../src/sandbox/simulator.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { type Certificates, makeCertificates } from "../harness/certificates.ts";
import { Client } from "../harness/client.ts";
import { earlier } from "../harness/earlier.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Institution = { id: string; status: string; health: string };

let gateway: TestGateway;
let bank: RunningSimulator;
let config: Record<string, string>;
before(async () => {
  gateway = await startGateway();
  bank = await startSimulator({
    ...{ host: "127.0.0.1", port: 0, dataDir: join(gateway.dataDir, "bank"), log: pino({ level: "silent" }) },
  });
  const { url, credentials } = bank;
  const { clientId, clientSecret, pixKey, controlToken } = credentials;
  config = { baseUrl: `${url}/v2`, tokenUrl: `${url}/oauth/token`, controlUrl: `${url}/control`, controlToken };
  Object.assign(config, { clientId, clientSecret, pixKey });
});
after(async () => {
  await gateway.verify();
  await bank.stop();
  await gateway.stop();
});

const body = (changes: Record<string, unknown> = {}) => ({
  ...{ name: "Bank", provider: "simulator", environment: "sandbox", priority: 1, config: { ...config, ...changes } },
});
const institutions = async () =>
  (await gateway.owner.query<{ n: number }>(sql`select count(*)::int as n from institutions`)).rows[0]!.n;
const logged = (message: string) =>
  gateway.logLines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === message);

describe("A client certificate is checked before it is stored", () => {
  const certificates = makeCertificates();
  after(() => certificates?.remove());
  const skip = certificates === null ? "needs openssl" : false;
  const { read } = certificates ?? ({} as Certificates);
  const pem = (name: string) => read(name).toString();
  const soon = () => new Date(Date.now() + 60_000);
  const refuses = (settings: Record<string, string>, says: RegExp, at = soon()) =>
    assert.throws(() => checkClientCertificate(settings, at), { name: "TypeError", message: says });

  test("its key, its chain, its dates and its purpose, in words", { skip }, () => {
    const { folder } = certificates!;
    const [certificate, privateKey] = [pem("client.pem"), pem("client.key")];
    checkClientCertificate({ certificate, privateKey }, soon());
    checkClientCertificate({ certificate: `${certificate}\n${pem("ca.pem")}`, privateKey, ca: pem("ca.pem") }, soon());
    checkClientCertificate({ p12: read("client.p12").toString("base64"), passphrase: "" }, soon());

    refuses({ certificate, privateKey: pem("bank.key") }, /^privateKey: belongs to another certificate$/);
    refuses({ certificate, privateKey: "nonsense" }, /^privateKey: cannot be read/);
    refuses({ certificate }, /^privateKey: is missing/);
    refuses({ privateKey }, /^certificate: is missing/);
    refuses({ certificate: "nonsense", privateKey }, /^certificate: is not a certificate in PEM$/);
    refuses(
      { certificate: `${certificate}${pem("stranger.pem")}`, privateKey },
      /^certificate: its chain is broken: certificate 2/,
    );
    const [before, after] = [new Date(0), new Date(Date.now() + 3 * 86_400_000)];
    refuses({ certificate, privateKey }, /^certificate: is not valid before /, before);
    refuses({ certificate, privateKey }, /^certificate: ended on \d{4}-\d\d-\d\d; /, after);
    const p12 = read("client.p12").toString("base64");
    refuses({ p12, passphrase: "" }, /^p12: ended on /, after);
    refuses({ p12: "AAAA", passphrase: "" }, /^p12: cannot be opened/);
    refuses({ ca: pem("ca.pem") }, /^ca: ended on /, after);

    const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
    writeFileSync(join(folder, "server"), "extendedKeyUsage=serverAuth\n");
    const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "server"];
    openssl("x509", "-req", "-in", "client.csr", ...signed, "-out", "server.pem");
    refuses({ certificate: pem("server.pem"), privateKey }, /^certificate: is not for TLS clients/);
  });

  test("by the operator API, when it is sent; a refusal stores nothing", { skip }, async () => {
    const n = await institutions();
    const [certificate, privateKey] = [pem("client.pem"), pem("bank.key")];
    const refused = await gateway.operator.post("/institutions", body({ certificate, privateKey }));
    assertInvalid(refused, ["config.privateKey"]);
    assert.equal(refused.text.includes("PRIVATE KEY"), false);
    assert.equal(await institutions(), n);
  });
});

describe("An institution is retired", () => {
  test("when nothing of ours is open there; then a day is complete without it", async () => {
    // Its address is mistyped: nobody answers there.
    const wrong = { baseUrl: "http://127.0.0.1:9/v2", tokenUrl: "http://127.0.0.1:9/oauth/token" };
    const made = await gateway.operator.post<Institution>("/institutions", body(wrong));
    assert.equal(made.status, 201, made.text);
    const { id } = made.body;
    type Day = { institutions: { institutionId: string; incomplete: string | null }[] };
    const day = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
    const today = () => gateway.operator.post<Day>(`/reconciliation/${day}`);
    const seen = async () => (await today()).body.institutions.find(({ institutionId }) => institutionId === id);
    assert.notEqual((await seen())?.incomplete, null);
    assert.equal((await gateway.operator.patch(`/institutions/${id}`, { status: "inactive" })).status, 200);
    assert.notEqual(await seen(), undefined, "inactive is still reconciled: something may be open there");

    const retired = await gateway.operator.patch<Institution>(`/institutions/${id}`, { status: "retired" });
    assert.deepEqual([retired.status, retired.body.status], [200, "retired"], retired.text);
    assert.equal(await seen(), undefined);
    assert.equal(
      (await today()).body.institutions.every(({ incomplete }) => incomplete === null),
      true,
    );
  });

  test("is refused, in words, while it has open charges or money; nothing changes", async () => {
    const { items } = (await gateway.operator.get<{ items: (Institution & { name: string })[] }>("/institutions")).body;
    const { id } = items.find(({ name }) => name === "PSP simulator")!;
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 10, description: "open" });
    assert.equal(charge.status, 201, charge.text);
    const open = await gateway.operator.patch(`/institutions/${id}`, { status: "retired" });
    assert.match(
      assertRefused(open, 400, "VALIDATION_ERROR").details.issues![0]!.message,
      /cannot be retired yet: 1 open charges/,
    );
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`)).status, 200);
    const holds = await gateway.operator.patch(`/institutions/${id}`, { status: "retired" });
    assert.match(
      assertRefused(holds, 400, "VALIDATION_ERROR").details.issues![0]!.message,
      /1 payments that can still be returned, R\$ 10\.00 that it holds by the books/,
    );
    assert.equal((await gateway.operator.get<Institution>(`/institutions/${id}`)).body.status, "active");
  });
});

describe("A question with a parameter that nobody knows", () => {
  test("is refused by name on our own routes, and ignored on the interface's", async () => {
    for (const path of ["/transactions?form=2026-11-01", "/webhook-endpoints?page=2"]) {
      const refused = assertRefused(await gateway.merchant.get(path), 400, "VALIDATION_ERROR", path);
      assert.match(refused.details.issues![0]!.message, /not a parameter of this request/);
      assert.equal(refused.details.issues![0]!.path, path.split("?")[1]!.split("=")[0]);
    }
    assertInvalid(await gateway.operator.get("/accounts?staus=open"), ["staus"]);
    assertInvalid(await gateway.operator.get("/ledger/verify?full=true"), ["full"]);
    for (const path of ["/account?x=1", "/sub-accounts?x=1", "/balance-blocks?x=1", "/projects?x=1"]) {
      assert.equal((await gateway.merchant.get(path)).status, 200, path);
    }
    const created = await gateway.merchant.post("/pix?x=1", { amount: 1, description: "ignored" });
    assert.equal(created.status, 201, created.text);
  });
});

describe("The log says", () => {
  test("from which address somebody was not let in", async () => {
    const stranger = new Client(gateway.sandbox.operatorUrl).withToken("pgo_nonsense");
    assert.equal((await stranger.get("/accounts")).status, 401);
    const line = await eventually("the line", () => logged("answered").findLast(({ status }) => status === 401));
    assert.equal(line.address, "127.0.0.1");
  });

  test("that a payout hangs at its bank, as long as it does", async () => {
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 50, description: "for a payout" });
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`)).status, 200);
    const holder = { holderName: "Maria", holderDocument: "12345678909", holderDocumentType: "cpf" };
    const payout = { amount: 10, pixKey: "manual@pixgate.test", pixKeyType: "email", ...holder };
    const { body: made, status, text } = await gateway.merchant.post<{ id: string }>("/withdrawals", payout);
    assert.equal(status, 201, text);
    const hung = "a withdrawal is still open at its institution";
    await eventually("the bank to have it", async () => {
      const { rows } = await gateway.owner.query(sql`
        select from withdrawals where withdrawal_id = ${made.id} and status = 'processing' and attempts > 0`);
      return rows.length > 0;
    });
    assert.deepEqual(logged(hung), []);
    await gateway.owner.query(sql`
      update withdrawals set created_at = ${earlier("created_at", "5 minutes")}, next_at = ${new Date()}
      where withdrawal_id = ${made.id}`);
    const line = await eventually("the line", () => logged(hung)[0]);
    assert.equal(line.withdrawalId, made.id);
    assert.ok(Number(line.openSeconds) >= 300, JSON.stringify(line));
    const settled = await gateway.merchant.post(`/sandbox/withdrawals/${made.id}/settle`, { outcome: "complete" });
    assert.equal(settled.status, 200, settled.text);
  });

  test("unsent, not refused, of a charge whose bank nobody answers for", async () => {
    const wrong = { baseUrl: "http://127.0.0.1:9/v2", tokenUrl: "http://127.0.0.1:9/oauth/token" };
    const made = await gateway.operator.post<Institution>("/institutions", body(wrong));
    const path = `/accounts/${gateway.sandbox.accountId}/institutions/${made.body.id}`;
    assert.equal((await gateway.operator.send("PUT", path, '{"enabled":true}')).status, 200);
    assert.equal((await gateway.merchant.post("/pix", { amount: 10, description: "elsewhere" })).status, 201);
    const [line] = logged("a charge goes to the next institution");
    assert.equal(line?.outcome, "unsent", JSON.stringify(line));
    assert.equal((await gateway.operator.send("PUT", path, '{"enabled":false}')).status, 200);
    assert.equal((await gateway.operator.patch(`/institutions/${made.body.id}`, { status: "retired" })).status, 200);
  });
});

describe("An outage", () => {
  test("is seen on a quiet night: the gauge and the health say so, and when it is over; the process stays ready", async () => {
    const quiet = await startGateway();
    const read = async (metric: string) => {
      const text = await (await fetch(`${quiet.running.url}/metrics`)).text();
      const line = text.split("\n").find((one) => one.startsWith(`${metric}{`) || one.startsWith(`${metric} `));
      return line === undefined ? null : Number(line.slice(line.lastIndexOf(" ")));
    };
    try {
      const ready = async () => (await fetch(`${quiet.running.url}/readyz`)).status;
      assert.deepEqual([await read("pixgate_institution_up"), await ready()], [1, 200]);
      const faults = { seed: 1, rules: [{ route: "*", kind: "reset", probability: 1 }] };
      assert.equal((await quiet.simulator.patch("/behaviour", { faults })).status, 200);
      const began = Date.now();
      await eventually("the gauge to fall", async () => (await read("pixgate_institution_up")) === 0, 60_000);
      assert.ok(Date.now() - began < 40_000, `after ${Date.now() - began} ms`);
      assert.equal(await ready(), 200);
      const list = await quiet.operator.get<{ items: { health: string }[] }>("/institutions");
      assert.equal(list.body.items[0]!.health, "down");
      assert.ok((await quiet.simulator.send("DELETE", "/behaviour", undefined)).status < 300);
      await eventually("the gauge to rise", async () => (await read("pixgate_institution_up")) === 1, 60_000);
      assert.equal(await ready(), 200);
      assert.ok(Date.now() / 1000 - (await read("pixgate_institution_last_success_seconds"))! < 60);
    } finally {
      await quiet.stop();
    }
  });

  test("leaves an age of the oldest payout, a sum of what is unmatched, and the state of the day in the metrics", async () => {
    const text = await (await fetch(`${gateway.running.url}/metrics`)).text();
    for (const [series, value] of [
      ["pixgate_notification_oldest_pending_seconds", /^\d/],
      ["pixgate_unmatched_open", /^0$/],
      ["pixgate_unmatched_open_brl", /^0$/],
    ] as const) {
      assert.match(new RegExp(`^${series} (.*)$`, "m").exec(text)?.[1] ?? "missing", value, series);
    }
    assert.match(text, /^pixgate_reconciliation_agrees\{institution="[^"]+",name="PSP simulator"\} [01]$/m);
    assert.match(
      text,
      /^pixgate_psp_calls_total\{provider="simulator",institution="[^"]+",route="putCob",outcome="ok"\} /m,
    );
  });
});
