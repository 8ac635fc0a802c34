/** What an account says of a withdrawal that was paid to another name: once, by who may withdraw, and nothing moves by it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { ERASED } from "../../src/lib/erased.ts";
import { as, credentialOf, newAccount } from "../contract/merchant.ts";
import { becomes, show, withdraw } from "../contract/payouts.ts";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
import { Browser, firstLink } from "../harness/browser.ts";
import type { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";

type Check = {
  expected: boolean;
  byRequester?: true;
  reason?: string;
  checkedAt: string;
  checkedBy: string;
  checkedByName?: string;
};
type Shown = { id: string; receiverCheck?: Check; receiverExpected?: boolean };
type Page = { items: Shown[] };

let gateway: TestGateway;
/** A credential of somebody else than whose is the one that withdraws. */
let desk: Client;
before(async () => {
  gateway = await startGateway();
  const by = await operatorOf(gateway, "second", "admin");
  desk = await credentialOf(gateway, gateway.sandbox.accountId, { by });
  const { body } = await gateway.merchant.post<{ id: string }>("/pix", { amount: 200, description: "to withdraw" });
  assert.equal((await gateway.merchant.post(`/sandbox/pix/${body.id}/pay`)).status, 200);
});
after(() => gateway.end());

/** A payout for a name, which the simulator pays to `Favorecido Teste`. */
const paid = async (holderName = "Rosana Figueiredo"): Promise<string> => {
  const { id } = await withdraw(gateway.merchant, { holderName, pixKey: "other-name@pixgate.test" });
  await becomes(gateway.merchant, id, "completed");
  return id;
};
const say = (client: Client, id: string, body: object, wallet: string | null = null) =>
  client.post<Shown>(`/withdrawals/${id}/receiver`, body, as(wallet));
const waiting = async (client: Client, query = ""): Promise<string[]> =>
  (await client.get<Page>(`/withdrawals?waitsForPerson=true${query}`)).body.items.map(({ id }) => id);
const found = async (query: string): Promise<string[]> =>
  (await gateway.operator.get<Page>(`/withdrawals?paidToOther=true${query}`)).body.items.map(({ id }) => id);
const entries = async (id: string) => {
  const { rows } = await gateway.owner.query<{ actor: string; after: unknown; all: string }>(
    sql`select actor, after, a::text as all from audit_log a where object_id = ${id} and action = 'withdrawal.receiver'`,
  );
  return rows;
};

test("one that was paid to another name waits for a person until somebody has said whether that was meant", async () => {
  const [right, wrong] = [await paid(), await paid()];
  assert.deepEqual(await waiting(gateway.merchant), [wrong, right]);
  assert.deepEqual(await waiting(gateway.merchant, "&subAccount=*"), [wrong, right]);
  assert.deepEqual(await waiting(gateway.merchant, "&limit=1"), [wrong]);
  assert.deepEqual((await found("&receiverMeant=false")).sort(), [right, wrong].sort());

  const reason = "Nome de casada da Rosana.";
  const one = await say(desk, right, { expected: true, reason });
  assert.equal(one.status, 200, one.text);
  const { checkedAt, checkedBy, checkedByName, ...said } = one.body.receiverCheck!;
  assert.deepEqual(said, { expected: true, reason });
  assert.ok(Math.abs(Date.parse(checkedAt) - Date.now()) < 60_000 && checkedBy !== "" && checkedByName !== undefined);
  assert.equal((await say(desk, wrong, { expected: false })).body.receiverCheck?.expected, false);

  assert.deepEqual(await waiting(gateway.merchant), []);
  // What went astray concerns the operator still.
  assert.deepEqual(await found("&receiverMeant=false"), [wrong]);
  assert.deepEqual(await found("&receiverMeant=true"), [right]);
  assert.deepEqual((await found("")).sort(), [right, wrong].sort());
  assert.deepEqual((await show(gateway.merchant, right)).receiverCheck, one.body.receiverCheck);
  const seen = await gateway.operator.get<Shown>(`/withdrawals/${right}`);
  assert.deepEqual(seen.body.receiverCheck, one.body.receiverCheck);
  for (const [id, expected] of [[right, true], [wrong, false]] as const) // biome-ignore format: one line
    assert.equal((await gateway.merchant.get<Shown>(`/transactions/${id}`)).body.receiverExpected, expected);
  const [entry, ...more] = await entries(right);
  assert.deepEqual([entry?.after, more], [{ expected: true }, []]);
  // The log is kept for ever, and a reason may name somebody.
  assert.doesNotMatch(entry!.all, /Rosana/);
});

test("the same again is the same answer; what was not meant stays so, and what was meant can be corrected", async () => {
  const id = await paid();
  const first = await say(desk, id, { expected: false, reason: "A chave era antiga." });
  const again = await say(desk, id, { expected: false, reason: "Outro motivo." });
  assert.deepEqual([again.status, again.body.receiverCheck], [200, first.body.receiverCheck]);
  const { details } = assertRefused(
    await nothingMoves(gateway, () => say(desk, id, { expected: true })),
    409,
    "RECEIVER_CHECKED",
  );
  assert.deepEqual([details.expected, details.checkedAt], [false, first.body.receiverCheck?.checkedAt]);
  assert.deepEqual((await show(gateway.merchant, id)).receiverCheck, first.body.receiverCheck);
  assert.equal((await entries(id)).length, 1);
  // Whichever of several comes first, it ends as not meant.
  const other = await paid();
  const answers = await Promise.all([true, false, true, false].map((expected) => say(desk, other, { expected })));
  for (const [n, { status }] of answers.entries())
    assert.ok(n % 2 === 1 ? status === 200 : [200, 409].includes(status));
  assert.equal(((await show(gateway.merchant, other)).receiverCheck as Check).expected, false);
  assert.ok([1, 2].includes((await entries(other)).length));
});

test("nobody says it of one that is not in question, of another's, or without the right to withdraw", async () => {
  const [id, own] = [await paid(), await paid("FAVORECIDO TESTE LTDA")];
  const { accountId } = gateway.sandbox;
  const reader = await credentialOf(gateway, accountId, { permissions: ["TRANSACTION:READ", "WITHDRAWAL:APPROVE"] });
  const stranger = await credentialOf(gateway, await newAccount(gateway));
  const wallet = await gateway.merchant.post("/sub-accounts", { reference: "loja", name: "Loja" });
  assert.equal(wallet.status, 201, wallet.text);
  await nothingMoves(gateway, async () => {
    assertRefused(await say(desk, own, { expected: true }), 400, "RECEIVER_NOT_IN_QUESTION");
    assertRefused(await say(gateway.merchant, id, { expected: true }), 403, "RECEIVER_BY_REQUESTER");
    assertRefused(await say(reader, id, { expected: true }), 403, "PERMISSION_DENIED");
    assertRefused(await say(stranger, id, { expected: true }), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await say(desk, id, { expected: true }, "loja"), 404, "RESOURCE_NOT_FOUND");
    assertInvalid(await say(desk, id, {}), ["expected"]);
    assertInvalid(await say(desk, id, { expected: "yes" }), ["expected"]);
    assertInvalid(await say(desk, id, { expected: true, reason: "x".repeat(256) }), ["reason"]);
    assertInvalid(await say(desk, id, { expected: true, reason: " " }), ["reason"]);
  });
  assert.deepEqual(await waiting(stranger), []);
  assert.deepEqual(await waiting(gateway.merchant), [id]);
  assert.deepEqual(await entries(id), []);
  await gateway.owner.query(
    sql`update withdrawals set status = 'reversed', returned_amount = net_amount where withdrawal_id = ${id}`,
  );
  assertRefused(await say(desk, id, { expected: true }), 400, "RECEIVER_NOT_IN_QUESTION");
  assert.deepEqual(await waiting(gateway.merchant), []);
  await gateway.owner.query(
    sql`update withdrawals set status = 'completed', returned_amount = 0 where withdrawal_id = ${id}`,
  );
  assert.equal((await say(desk, id, { expected: true })).status, 200);
});

test("one that 0.1.0 completed is judged where it is read, and its receiver can be checked", async () => {
  const id = await paid();
  await gateway.owner.query(sql`update withdrawals set paid_to_other = null where withdrawal_id = ${id}`);
  assert.ok((await found("&receiverMeant=false")).includes(id));
  assert.equal((await say(desk, id, { expected: true })).status, 200);
  assert.ok(!(await found("&receiverMeant=false")).includes(id));
  assert.ok((await found("&receiverMeant=true")).includes(id));
});

test("what only whoever asked has said stays open for the operator until somebody else confirms it", async () => {
  const id = await paid();
  assert.equal((await say(desk, id, { expected: true })).status, 200);
  await gateway.owner.query(
    sql`update withdrawals set receiver_check = receiver_check || '{"byRequester": true}' where withdrawal_id = ${id}`,
  );
  assert.equal(((await show(gateway.merchant, id)).receiverCheck as Check).byRequester, true);
  assert.ok((await found("&receiverMeant=false")).includes(id));
  const confirmed = await say(desk, id, { expected: true, reason: "Conferi com o fornecedor." });
  assert.equal(confirmed.status, 200, confirmed.text);
  const { byRequester, reason } = confirmed.body.receiverCheck!;
  assert.deepEqual([byRequester, reason], [undefined, "Conferi com o fornecedor."]);
  assert.ok((await found("&receiverMeant=true")).includes(id));
  assert.equal((await entries(id)).length, 2);
});

test("a person's decision bears their name, also in the audit log", async () => {
  const id = await paid();
  const bia = await new Browser(gateway).use(firstLink(gateway));
  const headers = { "x-pixgate-account": gateway.sandbox.accountId };
  const { person } = (await bia.send<{ person: { id: string; name: string } }>("GET", "/console/api/session")).body;
  const path = `/v2/withdrawals/${id}/receiver`;
  const reply = await bia.send<Shown>("POST", path, { expected: false, reason: "Chave errada." }, { headers });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(
    [reply.body.receiverCheck?.checkedBy, reply.body.receiverCheck?.checkedByName],
    [person.id, person.name],
  );
  const [entry] = await entries(id);
  assert.ok(entry!.actor.includes(person.id));
});

test("an erasure takes the reason with the receiver's name, and leaves what was decided", async () => {
  const id = await paid();
  assert.equal((await say(desk, id, { expected: false, reason: "Rosana mudou de chave." })).status, 200);
  const age = (years: number) =>
    gateway.owner.query(sql`
      update withdrawals set settled_at = settled_at - make_interval(years => ${years}), next_at = null where withdrawal_id = ${id}`);
  await age(20);
  const erased = await gateway.operator.post("/persons/erase", { document: "12345678909" });
  assert.ok(erased.status < 300, erased.text);
  // The books are checked at the end.
  await age(-20);
  const { rows } = await gateway.owner.query<{ name: string; said: Record<string, unknown> }>(
    sql`select holder_name as name, receiver_check as said from withdrawals where withdrawal_id = ${id}`,
  );
  assert.deepEqual([rows[0]!.name, rows[0]!.said.reason, rows[0]!.said.expected], [ERASED, null, false]);
  assert.equal(((await show(gateway.merchant, id)).receiverCheck as Check).reason, undefined);
});

test("a withdrawal that awaits approval waits for a person too, and one that waits for nobody does not", async () => {
  const { accountId } = gateway.sandbox;
  const limits = { payouts: { approvalAbove: 5 } };
  const changed = await gateway.operator.patch(`/accounts/${accountId}`, limits);
  assert.equal(changed.status, 200, changed.text);
  const small = await withdraw(gateway.merchant, { amount: 2, pixKey: "manual@pixgate.test" });
  const large = await withdraw(gateway.merchant, { amount: 7 });
  assert.deepEqual(await waiting(gateway.merchant), [large.id]);
  assert.deepEqual(await waiting(gateway.merchant, "&status=completed"), []);
  assert.ok(!(await waiting(gateway.merchant)).includes(small.id));
});
