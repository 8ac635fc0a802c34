/** What an operator reads of an account, and why a balance is what it is. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { newMerchant } from "../contract/money.ts";
import { holdBack } from "../contract/objects.ts";
import { assertInvalid, assertRefused } from "../contract/refusal.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
let at: string;
before(async () => {
  gateway = await startGateway();
  at = `/accounts/${gateway.sandbox.accountId}`;
});
after(() => gateway.end());

const PAYOUT = {
  ...{ pixKey: "manual@pixgate.test", pixKeyType: "email", amount: 30 },
  ...{ holderName: "Maria Silva", holderDocument: "12345678909", holderDocumentType: "cpf" },
};

async function pay(amount: number): Promise<string> {
  const made = await gateway.merchant.post<{ id: string }>("/pix", { amount, description: "a sale" });
  assert.equal(made.status, 201, made.text);
  assert.equal((await gateway.merchant.post(`/sandbox/pix/${made.body.id}/pay`)).status, 200);
  return made.body.id;
}

type Kind = { kind: string; lines: number; in: number; out: number; amount: number; newest: { transactionId: string } };
type Explanation = { at: string; total: number; balances: { balance: string; amount: number; kinds: Kind[] }[] };
const ofKind = ({ balances }: Explanation, balance: string, kind: string): Kind | undefined =>
  balances.find((one) => one.balance === balance)?.kinds.find((one) => one.kind === kind);

describe("A balance is explained", () => {
  test("by the kinds that made it and their newest cause, to merchant and operator alike; at any time", async () => {
    const fees = { fees: { charge: { fixed: 0.5 } } };
    assert.equal((await gateway.operator.patch(at, fees)).status, 200);
    const first = await pay(100);
    const between = new Date().toISOString();
    const second = await pay(50);
    await holdBack(gateway, gateway.sandbox.accountId);
    const asked = await gateway.merchant.post<{ id: string }>("/withdrawals", PAYOUT);
    assert.equal(asked.status, 201, asked.text);

    const now = (await gateway.merchant.get<Explanation>("/balance/explanation")).body;
    const account = await gateway.merchant.get<{ balance: Record<string, { amountFormatted: number }> }>("/account");
    for (const { balance, amount, kinds } of now.balances) {
      assert.equal(amount, account.body.balance[balance]!.amountFormatted, balance);
      assert.equal(Math.round(kinds.reduce((sum, kind) => sum + kind.amount, 0) * 100), Math.round(amount * 100));
    }
    assert.equal(now.total, account.body.balance.total!.amountFormatted);
    const paid = ofKind(now, "available", "charge_paid")!;
    assert.deepEqual([paid.lines, paid.in, paid.out, paid.amount], [2, 150, 0, 150]);
    assert.equal(paid.newest.transactionId, second);
    assert.equal(ofKind(now, "available", "charge_fee")!.amount, -1);
    assert.equal(ofKind(now, "held", "withdrawal_held")!.newest.transactionId, asked.body.id);

    const then = (await gateway.merchant.get<Explanation>(`/balance/explanation?at=${encodeURIComponent(between)}`))
      .body;
    assert.deepEqual([then.total, then.at], [99.5, between]);
    assert.equal(ofKind(then, "available", "charge_paid")!.newest.transactionId, first);
    assert.equal((await gateway.merchant.get<Explanation>("/balance/explanation?at=2020-01-01")).body.total, 0);
    assertInvalid(await gateway.merchant.get("/balance/explanation?at=yesterday"), ["at"]);
    const operators = (await gateway.operator.get<Explanation>(`${at}/balance/explanation`)).body;
    assert.deepEqual(operators.balances, now.balances);
  });
});

describe("The operator reads of an account", () => {
  test("its balances with what holds what, statement, institutions, endpoints and deliveries", async () => {
    type Wallets = { items: { subAccount: string | null; held: number; heldBy: Record<string, object> }[] };
    const wallets = (await gateway.operator.get<Wallets>(`${at}/balance`)).body.items;
    assert.equal(wallets[0]!.subAccount, null, "the main account is first");
    assert.deepEqual(wallets[0]!.heldBy.withdrawals, { count: 1, amount: wallets[0]!.held });
    assert.equal((await gateway.merchant.post("/sub-accounts", { reference: "shop-1", name: "Shop" })).status, 201);
    const pages = await gateway.operator.get<Wallets & { nextCursor: string }>(`${at}/balance?limit=1`);
    const next = await gateway.operator.get<Wallets>(`${at}/balance?limit=1&cursor=${pages.body.nextCursor}`);
    assert.deepEqual([next.body.items[0]!.subAccount, next.body.items[0]!.held], ["shop-1", 0]);
    const one = await gateway.operator.get<Wallets>(`${at}/balance?subAccount=shop-1`);
    assert.deepEqual(one.body.items, next.body.items);

    type Lines = { items: { line: number; kind: string }[]; closingBalance?: number };
    const merchants = (await gateway.merchant.get<Lines>("/statement")).body;
    const lines = (await gateway.operator.get<Lines>(`${at}/statement`)).body;
    assert.deepEqual(lines.items, merchants.items);
    const paid = await gateway.operator.get<Lines>(`${at}/statement?kind=charge_paid&from=2020-01-01`);
    assert.ok(paid.body.items.length === 2 && paid.body.items.every(({ kind }) => kind === "charge_paid"));
    assert.equal(typeof paid.body.closingBalance, "number");

    const linked = await gateway.operator.get<{ items: { enabled: boolean; name: string }[] }>(`${at}/institutions`);
    assert.deepEqual(
      linked.body.items.map(({ name, enabled }) => [name, enabled]),
      [["PSP simulator", true]],
    );
    const endpoint = await gateway.merchant.post<{ id: string; secret: string }>("/webhook-endpoints", {
      url: "http://127.0.0.1:9/hook",
    });
    const endpoints = await gateway.operator.get<{ items: { id: string }[] }>(`${at}/webhook-endpoints`);
    assert.deepEqual(endpoints.body.items[0]?.id, endpoint.body.id);
    assert.equal(endpoints.text.includes(endpoint.body.secret), false);
    await pay(1);
    const deliveries = await gateway.operator.get<{ items: { event: string }[] }>(`${at}/webhook-deliveries`);
    assert.equal(deliveries.body.items[0]?.event, "payment_completed");
  });

  test("in the list of accounts each one's balances over all its wallets, where they are asked for and may be read", async () => {
    assert.equal((await gateway.merchant.post("/sub-accounts", { reference: "shop-2", name: "Shop" })).status, 201);
    const moved = await gateway.merchant.post("/transfers", { subAccount: "shop-2", amount: 10 });
    assert.equal(moved.status, 201, moved.text);
    const opened = await gateway.operator.post<{ id: string }>("/accounts", { name: "Empty" });
    assert.equal(opened.status, 201, opened.text);
    type Balance = { available: number; held: number; promotional: number };
    type Accounts = { items: { id: string; balance?: Balance }[]; nextCursor: string | null };
    type Wallets = { items: Balance[] };
    const { items } = (await gateway.operator.get<Wallets>(`${at}/balance`)).body;
    const sum = (name: keyof Balance) => Math.round(items.reduce((all, one) => all + one[name] * 100, 0)) / 100;
    const whole = { available: sum("available"), held: sum("held"), promotional: sum("promotional") };
    assert.ok(items.length > 1 && whole.available > 0 && whole.held > 0, JSON.stringify(items));
    const listed = (await gateway.operator.get<Accounts>("/accounts?balance=true")).body.items;
    assert.deepEqual(listed.find(({ id }) => id === gateway.sandbox.accountId)!.balance, whole);
    const nothing = { available: 0, held: 0, promotional: 0 };
    assert.deepEqual(listed.find(({ id }) => id === opened.body.id)!.balance, nothing);
    const first = (await gateway.operator.get<Accounts>("/accounts?balance=true&limit=1")).body;
    const second = await gateway.operator.get<Accounts>(`/accounts?balance=true&limit=1&cursor=${first.nextCursor}`);
    assert.deepEqual([...first.items, ...second.body.items], listed.slice(0, 2));
    for (const query of ["", "?balance=false"]) {
      const bare = (await gateway.operator.get<Accounts>(`/accounts${query}`)).body.items;
      assert.deepEqual(
        bare,
        listed.map(({ balance: _, ...rest }) => rest),
      );
    }
    const made = await gateway.operator.post<{ token: string }>("/tokens", { name: "eva", role: "support" });
    const support = new Client(gateway.sandbox.operatorUrl).withToken(made.body.token);
    assertRefused(await support.get("/accounts?balance=true"), 403, "PERMISSION_DENIED");
    assert.equal((await support.get("/accounts")).status, 200);
    assertInvalid(await gateway.operator.get("/accounts?balance=much"), ["balance"]);
  });

  test("accounts are found by a part of their names, without accents and capitals, or of their document", async () => {
    const made = { name: "Pão & Cia 100%", legalName: "Panificadora São João Ltda", document: "11222333000181" };
    const opened = await gateway.operator.post<{ id: string }>("/accounts", made);
    assert.equal(opened.status, 201, opened.text);
    type Page = { items: { id: string; balance?: object }[]; nextCursor: string | null };
    const found = async (text: string, more = "") => {
      const query = `/accounts?search=${encodeURIComponent(text)}${more}`;
      return (await gateway.operator.get<Page>(query)).body.items.map(({ id }) => id);
    };
    for (const text of ["PAO & c", "100%", "sao joao", "11.222.333/0001", "0001-81"]) {
      assert.deepEqual(await found(text, "&balance=true"), [opened.body.id], text);
    }
    for (const text of ["_", "nobody", "%00", "11222333000182"]) assert.deepEqual(await found(text), [], text);
    assertInvalid(await gateway.operator.get("/accounts?search="), ["search"]);
  });

  test("accounts are found that work and use one institution alone", async () => {
    const made = await gateway.operator.post<{ id: string }>("/accounts", { name: "Loja" });
    const { id } = made.body;
    type Linked = { items: { id: string }[] };
    const first = (await gateway.operator.get<Linked>(`/accounts/${id}/institutions`)).body.items[0]!.id;
    const nobody = "https://127.0.0.1:9/v2";
    const config = { baseUrl: nobody, tokenUrl: nobody, clientId: "c", clientSecret: "s", pixKey: "a@b.example" };
    const second = await gateway.operator.post<{ id: string }>("/institutions", {
      ...{ name: "Banco Aurora", provider: "api-pix", environment: "sandbox", priority: 1_000, config },
    });
    assert.equal(second.status, 201, second.text);
    const uses = async (institutionId: string) =>
      (await gateway.operator.get<Linked>(`/accounts?dependsOn=${institutionId}`)).body.items.some(
        (one) => one.id === id,
      );
    const link = (enabled: boolean) =>
      gateway.operator.send("PUT", `/accounts/${id}/institutions/${second.body.id}`, JSON.stringify({ enabled }));
    assert.deepEqual([await uses(first), await uses(second.body.id)], [true, false]);
    assert.equal((await link(true)).status, 200);
    assert.deepEqual([await uses(first), await uses(second.body.id)], [false, false]);
    // One that is out of use is none that it can go over.
    assert.equal((await gateway.operator.patch(`/institutions/${second.body.id}`, { status: "inactive" })).status, 200);
    assert.equal(await uses(first), true);
    assert.equal((await gateway.operator.patch(`/institutions/${second.body.id}`, { status: "active" })).status, 200);
    assert.equal((await link(false)).status, 200);
    assert.equal((await gateway.operator.patch(`/accounts/${id}`, { status: "suspended" })).status, 200);
    assert.equal(await uses(first), false);
    assertInvalid(await gateway.operator.get("/accounts?dependsOn=x"), ["dependsOn"]);
  });

  /** Gives an account books with this many accounts, as it would have with a third as many wallets, for a time. */
  async function withBooks(sizes: ReadonlyMap<string, number>, then: () => Promise<void>): Promise<void> {
    try {
      for (const [accountId, no] of sizes) {
        await gateway.owner.query(sql`
          insert into ledger_accounts (account_id, no, kind, owner_id)
          values (${accountId}, ${no}, 'available', ${gateway.running.ctx.ids.uuid()})`);
      }
      await then();
    } finally {
      for (const [accountId, no] of sizes) {
        await gateway.owner.query(sql`delete from ledger_accounts where account_id = ${accountId} and no = ${no}`);
      }
    }
  }
  type Balanced = { items: { id: string; balance?: unknown }[] };
  const withoutBalance = async () =>
    (await gateway.operator.get<Balanced>("/accounts?balance=true")).body.items
      .filter((one) => !("balance" in one))
      .map(({ id }) => id);

  test("in the list of accounts one with more wallets than a list can sum has no balance, and the others have theirs", async () => {
    const { accountId } = await newMerchant(gateway);
    await withBooks(new Map([[accountId, LIMITS.balancesSummed + 1]]), async () => {
      assert.deepEqual(await withoutBalance(), [accountId]);
    });
    assert.deepEqual(await withoutBalance(), []);
  });

  test("in the list of accounts no page sums more wallets than that in all: the newest accounts have their balances", async () => {
    const older = await newMerchant(gateway);
    const newer = await newMerchant(gateway);
    const size = Math.ceil(LIMITS.balancesSummed / 2) + 1;
    await withBooks(new Map([older, newer].map(({ accountId }) => [accountId, size])), async () => {
      assert.deepEqual(await withoutBalance(), [older.accountId]);
    });
  });

  test("in the list of accounts the debt of one wallet is not taken off what another can withdraw", async () => {
    const { accountId, client } = await newMerchant(gateway, ["owes"]);
    const made = await client.post<{ id: string }>("/pix", { amount: 80, description: "a sale" });
    assert.equal((await client.post(`/sandbox/pix/${made.body.id}/pay`)).status, 200);
    assert.equal((await client.post("/transfers", { subAccount: "owes", amount: 80 })).status, 201);
    const block = await client.post("/sandbox/balance-blocks", { transactionId: made.body.id });
    assert.equal(block.status, 201, block.text);
    type Row = { id: string; available: number; balance: { available: number; held: number } };
    const wallets = (await gateway.operator.get<{ items: Row[] }>(`/accounts/${accountId}/balance`)).body.items;
    assert.deepEqual(
      wallets.map(({ available }) => available),
      [-80, 80],
    );
    const { items } = (await gateway.operator.get<{ items: Row[] }>("/accounts?balance=true")).body;
    const { available, held } = items.find(({ id }) => id === accountId)!.balance;
    assert.deepEqual([available, held], [80, 80]);
  });

  test("nothing of an account or wallet that there is not, and nothing but its institutions as support", async () => {
    const none = "/accounts/01920000-0000-7000-8000-000000000000";
    const reads = [
      "balance",
      "balance/explanation",
      "statement",
      "institutions",
      "webhook-endpoints",
      "webhook-deliveries",
    ];
    const made = await gateway.operator.post<{ token: string }>("/tokens", { name: "sam", role: "support" });
    const support = new Client(gateway.sandbox.operatorUrl).withToken(made.body.token);
    for (const read of reads) {
      assertRefused(await gateway.operator.get(`${none}/${read}`), 404, "RESOURCE_NOT_FOUND");
      if (read === "institutions") assert.equal((await support.get(`${at}/${read}`)).status, 200);
      else {
        assertRefused(await support.get(`${at}/${read}`), 403, "PERMISSION_DENIED");
        assertRefused(await gateway.operator.get(`${at}/${read}?subAccount=nobody`), 404, "SUB_ACCOUNT_NOT_FOUND");
      }
    }
  });
});

describe("Unmatched money and payouts", () => {
  test("a receipt is shown with the charges it may be meant for, and assigned by the merchant's reference", async () => {
    const body = { amount: 77.31, description: "meant", externalReference: "order-9" };
    const charge = await gateway.merchant.post<{ id: string }>("/pix", body);
    assert.equal((await gateway.merchant.post("/pix", { ...body, amount: 77.32 })).status, 201);
    const receipt = { amountCentavos: 7731, txid: `foreign${"1".repeat(21)}` };
    assert.equal((await gateway.simulator.post("/pix", receipt)).status, 200);
    type Item = { id: string; status: string; suggestions: { chargeId: string; samePayer: boolean }[] };
    const open = await eventually("the receipt", async () => {
      const { items } = (await gateway.operator.get<{ items: Item[] }>("/unmatched?status=open")).body;
      return items[0];
    });
    const shown = (await gateway.operator.get<Item>(`/unmatched/${open.id}`)).body;
    assert.deepEqual(
      shown.suggestions.map(({ chargeId }) => chargeId),
      [charge.body.id],
      "the one of the same amount",
    );
    const assign = (fields: object) =>
      gateway.operator.post(`/unmatched/${open.id}/resolve`, {
        ...{ action: "assign", accountId: gateway.sandbox.accountId },
        ...fields,
      });
    assertInvalid(await assign({ externalReference: "order-9" }), ["externalReference"]);
    assertInvalid(await assign({ externalReference: "x", chargeId: charge.body.id }), ["externalReference"]);
    assertRefused(await assign({ externalReference: "nobody's" }), 404, "RESOURCE_NOT_FOUND");
    assert.equal((await gateway.operator.get<Item>(`/unmatched/${open.id}`)).body.status, "open", "nothing moved");
    await gateway.merchant.post("/pix", { ...body, externalReference: "order-10" });
    const refused = await assign({ externalReference: "order-10", action: "return" });
    assertInvalid(refused, ["accountId"]);
    const done = await gateway.operator.post<Item>(`/unmatched/${open.id}/resolve`, {
      ...{ action: "assign", accountId: gateway.sandbox.accountId, externalReference: "order-10" },
    });
    assert.deepEqual([done.status, done.body.status], [200, "assigned"], done.text);
  });

  test("a second payment whose txid the institution hides is shown with the charge that its payer has paid", async () => {
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 78.13, description: "twice" });
    const payer = { name: "Maria Souza", document: "52998224725" };
    const paid = await gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`, { payer });
    assert.equal(paid.status, 200, paid.text);
    const again = { amountCentavos: 7813, payer, txid: `foreign${"2".repeat(21)}` };
    assert.equal((await gateway.simulator.post("/pix", again)).status, 200);
    type Item = { id: string; amount: number; status: string; suggestions: Record<string, unknown>[] };
    const open = await eventually("the receipt", async () => {
      const { items } = (await gateway.operator.get<{ items: Item[] }>("/unmatched?status=open")).body;
      return items.find(({ amount }) => amount === 78.13);
    });
    // A search that takes too long is given up, and the receipt is shown without it.
    const began = Date.now();
    const hasty = await gateway.owner.transaction(async (tx) => {
      await tx.query(sql`lock table charges in access exclusive mode`);
      return gateway.operator.get<Item>(`/unmatched/${open.id}`);
    });
    assert.deepEqual([hasty.status, hasty.body.suggestions], [200, []], hasty.text);
    assert.ok(Date.now() - began < 8_000);
    const { suggestions } = (await gateway.operator.get<Item>(`/unmatched/${open.id}`)).body;
    assert.deepEqual(
      suggestions.map(({ chargeId, status, samePayer }) => [chargeId, status, samePayer]),
      [[charge.body.id, "completed", true]],
    );
    type Case = { objectId: string; evidence: { says: string; data: Record<string, unknown> } };
    const { items } = (await gateway.operator.get<{ items: Case[] }>("/cases?kind=unmatched_receipt&status=open")).body;
    const { says, data } = items.find(({ objectId }) => objectId === open.id)!.evidence;
    assert.match(says, new RegExp(`It looks like a second payment of the charge ${charge.body.id}\\.$`));
    assert.deepEqual(
      [data.suggestedAccountId, data.suggestedChargeId, data.suggestedStatus],
      [gateway.sandbox.accountId, charge.body.id, "completed"],
    );
    const assign = { action: "assign", accountId: gateway.sandbox.accountId, chargeId: charge.body.id };
    const done = await gateway.operator.post(`/unmatched/${open.id}/resolve`, assign);
    assert.equal(done.status, 200, done.text);
    await eventually("its return", async () => {
      const { body } = await gateway.merchant.get<{
        items: { transactionId: string; reason: string; status: string }[];
      }>("/returns");
      return body.items.some(
        (one) => one.transactionId === charge.body.id && one.reason === "second_payment" && one.status === "confirmed",
      );
    });
  });

  test("an institution is queried about a payout at once when somebody asks; one that has not left stays", async () => {
    await holdBack(gateway, gateway.sandbox.accountId, false);
    const asked = await gateway.merchant.post<{ id: string }>("/withdrawals", PAYOUT);
    const { id } = asked.body;
    type Shown = { attempts: number; mayHaveLeft: boolean; status: string; nextQueryAt: string };
    const read = async () => (await gateway.operator.get<Shown>(`/withdrawals/${id}`)).body;
    // At its institution, and between two queries.
    await eventually("it to be queried next", async () => {
      const { status, nextQueryAt } = await read();
      if (status !== "processing" || !nextQueryAt) return false;
      const { rowCount } = await gateway.owner.query(sql`
        update withdrawals set next_at = ${new Date(Date.now() + 3_600_000)}
        where withdrawal_id = ${id} and latest is not null and next_at < ${new Date(Date.now() + 50_000)}`);
      return rowCount === 1;
    });
    const before = (await read()).attempts;
    assert.equal((await gateway.operator.post(`/withdrawals/${id}/query`)).status, 200);
    await eventually("the query", async () => (await read()).attempts > before);
    const log = await gateway.operator.get<{ items: { objectId: string }[] }>("/audit-log?action=withdrawal.query");
    assert.equal(log.body.items[0]!.objectId, id);

    await holdBack(gateway, gateway.sandbox.accountId);
    const waits = await gateway.merchant.post<{ id: string }>("/withdrawals", PAYOUT);
    const still = await gateway.operator.post<Shown>(`/withdrawals/${waits.body.id}/query`);
    assert.deepEqual([still.body.status, still.body.mayHaveLeft, still.body.attempts], ["pending", false, 0]);
  });
});
