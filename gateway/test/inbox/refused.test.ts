/** What comes to a notification path and is not what it should be: it is refused in a way that its operator can see. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const TOKEN = "a-token-that-asaas-sends";
/** Nobody listens there. */
const NOWHERE = "http://127.0.0.1:9";

let gateway: TestGateway;
const ids: Record<string, string> = {};
before(async () => {
  gateway = await startGateway({ PIXGATE_PUBLIC_URL: "https://pay.example.com", PIXGATE_ROLE: "api" });
  const common = { mercadoPagoUrl: NOWHERE, mercadoPagoToken: "T-1", payerEmail: "a@b.c" };
  for (const [name, provider, config] of [
    ["signed", "mercado-pago", { ...common, mercadoPagoSecret: "s" }],
    ["unsigned", "mercado-pago", { ...common, mercadoPagoToken: "T-2" }],
    ["asaas", "asaas", { asaasUrl: NOWHERE, asaasKey: "k-1", pixKey: "a@b.c", asaasToken: TOKEN }],
  ] as const) {
    const body = { name, provider, environment: "sandbox", config };
    const made = await gateway.operator.post<{ id: string }>("/institutions", body);
    assert.equal(made.status, 201, made.text);
    ids[name] = made.body.id;
  }
});
after(() => gateway.end());

const pathOf = (id: string) => notificationPath(gateway.running.ctx.keys, id);
const notify = (name: string, body: string, headers: Record<string, string>) =>
  fetch(gateway.running.url + pathOf(ids[name]!), { method: "POST", body, headers });
const warned = (since: number) =>
  gateway.logLines.slice(since).map((line) => JSON.parse(line) as { level: number; msg: string; reason?: string });

test("a body of which no text can be made is no failure of ours, and leaves nothing to confirm", async () => {
  const headers = { "x-signature": `ts=1,v1=${"0".repeat(64)}` };
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  for (const name of ["signed", "unsigned"]) {
    for (const id of ['{"toString":1,"valueOf":1}', deep]) {
      const answer = await notify(name, `{"type":"payment","data":{"id":${id}}}`, headers);
      assert.equal(answer.status, 200, await answer.text());
    }
    const { rows } = await gateway.owner.query<{ status: string }>(sql`
      select distinct status from inbox where institution_id = ${ids[name]!}`);
    assert.deepEqual(rows, name === "signed" ? [] : [{ status: "ignored" }]);
  }
});

test("what a signature's check throws at is dropped as forged", async () => {
  const { psp } = (await gateway.running.ctx.psps.find(ids.signed!))!;
  const since = gateway.logLines.length;
  const check = psp.checkSignature;
  Object.assign(psp, { checkSignature: () => Promise.reject(new TypeError("it cannot")) });
  const answer = await notify("signed", '{"type":"payment","data":{"id":"7"}}', {});
  Object.assign(psp, { checkSignature: check });
  assert.equal(answer.status, 200);
  assert.ok(warned(since).some(({ msg }) => msg === "the signature of a notification could not be checked"));
  const { rowCount } = await gateway.owner.query(sql`select from inbox where institution_id = ${ids.signed!}`);
  assert.equal(rowCount, 0);
});

test("a bank's question with another token, or about nothing, is refused, and says so once without what it sent", async () => {
  const since = gateway.logLines.length;
  const transfer = { id: "x1", value: 10, externalReference: "a-payee-of-ours", status: "PENDING" };
  const ask = async (token: string, more: object = {}) => {
    const body = JSON.stringify({ type: "TRANSFER", transfer: { ...transfer, ...more } });
    const answer = await notify("asaas", body, { "asaas-access-token": token });
    assert.deepEqual([answer.status, ((await answer.json()) as { status: string }).status], [200, "REFUSED"]);
  };
  for (let times = 0; times < 3; times += 1) {
    await ask("another-token-entered-there");
    await ask(TOKEN, { value: "?" });
  }
  const reasons = warned(since).flatMap(({ level, reason }) => (level === 40 && reason ? [reason] : []));
  assert.deepEqual(reasons.toSorted(), ["other_token", "unreadable"]);
  const said = gateway.logLines.slice(since).join();
  for (const hidden of [TOKEN, "another-token", "a-payee-of-ours"]) assert.ok(!said.includes(hidden), hidden);
});

test("no check of an institution shows the secret path of its notifications", async () => {
  for (const { institutionId, provider } of await gateway.running.ctx.psps.all()) {
    const secret = pathOf(institutionId).split("/").at(-1)!;
    for (const what of ["test", "check", "health"]) {
      const path = `/institutions/${institutionId}/${what}`;
      const answer = what === "health" ? await gateway.operator.get(path) : await gateway.operator.post(path, {});
      assert.ok(!answer.text.includes(secret), `${what} of ${provider}`);
      if (what !== "health") assert.equal(answer.status, 200, answer.text);
    }
  }
});
