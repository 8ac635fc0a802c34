/** Withdrawals that a bank has paid to a holder of another name than was asked for: found by the database, by the console's rule. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { part, sql } from "../../src/db/sql.ts";
import { areOther } from "../../src/withdrawals/other-name.ts";
import { becomes, withdraw } from "../contract/payouts.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

test("a name is another one only where each of the two has a word that the other has not", async () => {
  for (const [asked, paid, isOther] of [
    ["Rosana Figueiredo", "ROSANA FIGUEIREDO", false],
    ["João Gonçalves", "Joao  Goncalves", false],
    ["JOÃO", "joa\u0303o", false],
    ["Ana Lima", "ANA SOUZA LIMA", false],
    ["Padaria Boa Vista Ltda.", "PADARIA BOA VISTA LTDA", false],
    ["Boa-Vista", "Boa Vista S/A", false],
    ["山田 太郎", "山田", false],
    ["山田", "田中", true],
    ["Rosana Figueiredo", "Favorecido Teste", true],
    ["Ana Lima", "Ana Souza", true],
    ["Ana", "Joana Souza", true],
    ["Ana Ana Ana", "Ana Lima", true],
    ["...", "Ana", false],
  ] as const) {
    for (const [one, other] of [
      [asked, paid],
      [paid, asked],
    ]) {
      const { rows } = await gateway.running.ctx.db.query<{ found: boolean }>(
        sql`select ${areOther(part`${one}::text`, part`${other}::text`)} as found`,
      );
      assert.equal(rows[0]!.found, isOther, `${one} and ${other}`);
    }
  }
});

test("the operator's list finds those that were paid to another name, with when they left, and the others", async () => {
  const { body } = await gateway.merchant.post<{ id: string }>("/pix", { amount: 100, description: "to withdraw" });
  assert.equal((await gateway.merchant.post(`/sandbox/pix/${body.id}/pay`)).status, 200);
  const other = await withdraw(gateway.merchant, { holderName: "Rosana Figueiredo" });
  const right = await withdraw(gateway.merchant, { holderName: "FAVORECIDO TESTE LTDA" });
  for (const { id } of [other, right]) await becomes(gateway.merchant, id, "completed");
  type Found = { id: string; leftAt?: string; approvedAt?: string };
  const found = async (query: string) =>
    (await gateway.operator.get<{ items: Found[] }>(`/withdrawals?${query}`)).body.items;
  const [one, ...more] = await found("paidToOther=true");
  assert.deepEqual([one?.id, more], [other.id, []]);
  assert.ok(Date.parse(one!.leftAt!) <= Date.now());
  assert.equal(one!.approvedAt, undefined);
  assert.deepEqual(
    (await found("paidToOther=false")).map(({ id }) => id),
    [right.id],
  );
  assert.equal((await gateway.operator.get("/withdrawals?paidToOther=perhaps")).status, 400);
});
