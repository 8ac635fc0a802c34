/** Withdrawals that a bank has paid to a holder of another name than was asked for: judged once, found by when they were paid. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { becomes, withdraw } from "../contract/payouts.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const DAY_MS = 86_400_000;
type Found = { id: string; paidToOther?: boolean; leftAt?: string; approvedAt?: string };
type Page = { items: Found[]; unnamed?: number };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
  const { body } = await gateway.merchant.post<{ id: string }>("/pix", { amount: 100, description: "to withdraw" });
  assert.equal((await gateway.merchant.post(`/sandbox/pix/${body.id}/pay`)).status, 200);
});
after(() => gateway.end());

/** A payout for a name, which the simulator pays to `Favorecido Teste`. */
const paid = async (holderName: string): Promise<string> => {
  const { id } = await withdraw(gateway.merchant, { holderName, pixKey: "other-name@pixgate.test" });
  await becomes(gateway.merchant, id, "completed");
  return id;
};
const read = async (query: string) => (await gateway.operator.get<Page>(`/withdrawals?${query}`)).body;
const found = async (query: string) => (await read(query)).items.map(({ id }) => id);
const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

test("the operator's list finds those that were paid to another name, with when they left, and the others", async () => {
  const other = await paid("Rosana Figueiredo");
  const right = await paid("FAVORECIDO TESTE LTDA");
  const [one, ...more] = (await read("paidToOther=true")).items;
  assert.deepEqual([one?.id, one?.paidToOther, more], [other, true, []]);
  assert.ok(Date.parse(one!.leftAt!) <= Date.now());
  assert.equal(one!.approvedAt, undefined);
  assert.deepEqual(await found("paidToOther=false"), [right]);
  assert.equal((await gateway.operator.get("/withdrawals?paidToOther=perhaps")).status, 400);
  for (const [id, isOther] of [
    [other, true],
    [right, false],
  ] as const) {
    assert.equal((await gateway.merchant.get<Found>(`/withdrawals/${id}`)).body.paidToOther, isOther);
    assert.equal((await gateway.merchant.get<Found>(`/transactions/${id}`)).body.paidToOther, isOther);
  }
});

test("one that was asked for long ago is found by when it was paid", async () => {
  const late = await paid("Teste");
  await gateway.owner.query(
    sql`update withdrawals set created_at = ${ago(30)}::timestamptz where withdrawal_id = ${late}`,
  );
  assert.ok((await found(`paidToOther=true&from=${ago(7)}`)).includes(late));
  assert.ok(!(await found(`paidToOther=true&to=${ago(7)}`)).includes(late));
});

test("what 0.1.0 has completed is judged where it is read, for a week", async () => {
  const [other, right] = [await paid("Favorecido"), await paid("Favorecido Teste da Silva")];
  await gateway.owner.query(
    sql`update withdrawals set paid_to_other = null where withdrawal_id in (${other}, ${right})`,
  );
  assert.ok((await found("paidToOther=true")).includes(other));
  assert.ok(!(await found("paidToOther=true")).includes(right));
  assert.ok(!(await found("paidToOther=false")).includes(other));
  assert.equal((await gateway.merchant.get<Found>(`/transactions/${other}`)).body.paidToOther, true);
  await gateway.owner.query(
    sql`update withdrawals set processed_at = ${ago(8)}::timestamptz where withdrawal_id = ${other}`,
  );
  assert.ok(!(await found("paidToOther=true")).includes(other));
});

test("those of which the bank names nobody are counted, and not listed", async () => {
  const nameless = await paid("Rosana Figueiredo");
  assert.equal((await read("paidToOther=true")).unnamed, 0);
  await gateway.owner.query(
    sql`update withdrawals set paid_to_other = null, counterpart_name = null where withdrawal_id = ${nameless}`,
  );
  const page = await read(`paidToOther=true&from=${ago(7)}`);
  assert.equal(page.unnamed, 1);
  assert.ok(!page.items.some(({ id }) => id === nameless));
  assert.equal((await read(`paidToOther=true&to=${ago(7)}`)).unnamed, 0);
  assert.equal((await read("paidToOther=false")).unnamed, undefined);
  assert.equal((await gateway.merchant.get<Found>(`/withdrawals/${nameless}`)).body.paidToOther, undefined);
});
