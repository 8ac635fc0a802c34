/** Charges with a due date, from the request to the books, with everybody's clock moved. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { dayOf, daysAfter } from "../../src/lib/days.ts";
import { everyPage, newMerchant } from "../contract/money.ts";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Parts = { original: number; fine: number; interest: number; discount: number; abatement: number };
type Shown = Record<string, unknown> & {
  id: string;
  status: string;
  amount: number;
  due?: Record<string, unknown>;
  amountDue?: number;
  chargedAmount?: number;
  components?: Parts;
  expiresAt?: string;
};
const CUSTOMER = { name: "Maria Silva", document: "12345678909" };
const txidOf = async (gateway: TestGateway, id: string): Promise<string> =>
  (await gateway.owner.query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`)).rows[0]!.txid;

describe("the life of a charge with a due date", () => {
  // A Tuesday; the due date is the Thursday of the week after.
  const START = new Date("2026-12-01T13:00:00Z");
  const DUE = "2026-12-10";
  let ahead = START.getTime() - Date.now();
  const clock = { now: () => Date.now() + ahead, date: () => new Date(Date.now() + ahead) };
  let gateway: TestGateway;
  let client: Client;
  let accountId: string;
  const ids: Record<string, string> = {};

  const goTo = async (day: string, time = "13:00:00Z") => {
    ahead = Date.parse(`${day}T${time}`) - Date.now();
    const reply = await gateway.simulator.send("PUT", "/clock", JSON.stringify({ now: clock.date().toISOString() }));
    assert.equal(reply.status, 200, reply.text);
    await gateway.merchant.login(gateway.sandbox.clientId, gateway.sandbox.clientSecret);
    const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${accountId}/credentials`,
      { name: "a day", permissions: ["FULL_ACCESS"], subAccountAccess: true },
    );
    client = await new Client(gateway.sandbox.baseUrl).login(made.body.clientId, made.body.clientSecret);
  };
  const create = async (due: Record<string, unknown>, more: Record<string, unknown> = {}): Promise<Shown> => {
    const body = { amount: 100, description: "An invoice", customer: CUSTOMER, due: { date: DUE, ...due }, ...more };
    const reply = await client.post<Shown>("/pix", body);
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  };
  const show = async (id: string): Promise<Shown> => (await client.get<Shown>(`/transactions/${id}`)).body;
  const pay = async (id: string, body: Record<string, unknown> = {}) => {
    const reply = await gateway.simulator.post(`/charges/${await txidOf(gateway, id)}/pay`, body);
    assert.equal(reply.status, 200, reply.text);
  };
  const over = (id: string, status = "completed") =>
    eventually(`${status} of ${id}`, async () => {
      const shown = await show(id);
      return shown.status === status && shown;
    });
  const eventOf = async (id: string, kind: string) => {
    const { rows } = await gateway.owner.query<{ body: string }>(
      sql`select body from events where kind = ${kind} and body like ${`%${id}%`}`,
    );
    assert.equal(rows.length, 1, kind);
    return (JSON.parse(rows[0]!.body) as { data: Record<string, unknown> }).data;
  };
  const dialect = async (name: "bcb" | "efi") => {
    const reply = await gateway.simulator.patch("/behaviour", { dialect: name });
    assert.equal(reply.status, 200, reply.text);
  };

  before(async () => {
    gateway = await startGateway({}, { clock });
    ({ accountId, client } = await newMerchant(gateway, ["loja"]));
    await goTo("2026-12-01");
    const terms = { fine: { percent: 2 }, interest: { percent: 1, per: "month" } };
    ids.late = (await create(terms)).id;
    ids.early = (
      await create(
        { discount: { until: [{ date: "2026-12-05", percent: 10 }] }, abatement: { fixed: 5 } },
        { split: [{ subAccount: "loja", amount: 90 }] },
      )
    ).id;
    ids.local = (await create(terms)).id;
    ids.silent = (await create(terms)).id;
    ids.lying = (await create({ daysAfter: 20, ...terms })).id;
    ids.weekend = (await create({ date: "2026-12-12", ...terms })).id;
    ids.expired = (await create({ daysAfter: 1 })).id;
    ids.lost = (await create({ interest: { fixed: 0.5, per: "day", days: "business" } })).id;
  });
  after(() => gateway.end());

  test("the answer, and a query, echo its terms with what was left out, and say until when it can be paid", async () => {
    const charge = await create({
      daysAfter: 2,
      fine: { fixed: 2.5 },
      interest: { percent: 0.03, per: "day", days: "business" },
      discount: { perDay: { fixed: 0.1 } },
    });
    const due = {
      date: DUE,
      daysAfter: 2,
      fine: { fixed: 2.5 },
      interest: { percent: 0.03, per: "day", days: "business" },
      discount: { perDay: { fixed: 0.1, days: "calendar" } },
    };
    assert.deepEqual(charge.due, due);
    // Saturday the 12th moves to Monday the 14th, whose end is at three o'clock of UTC.
    assert.equal(charge.expiresAt, "2026-12-15T03:00:00.000Z");
    const shown = await show(charge.id);
    assert.deepEqual([shown.due, shown.amount, shown.amountDue], [due, 100, 99.1]);
    assert.equal("chargedAmount" in shown, false);
    const listed = (await client.get<{ items: Shown[] }>("/transactions?status=pending&limit=100")).body.items;
    const one = listed.find(({ id }) => id === charge.id)!;
    assert.deepEqual([one.due, "amountDue" in one], [due, false]);
    const atBank = await gateway.simulator.get<{ expiresAt: string }>(`/charges/${await txidOf(gateway, charge.id)}`);
    assert.equal(atBank.body.expiresAt, "2026-12-15T02:59:59.999Z");
    const cancelled = await client.post<Shown>(`/pix/${charge.id}/cancel`);
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, "cancelled"], cancelled.text);
  });

  test("an answer that was lost is found under the same id, and no second charge is made", async () => {
    const count = async () =>
      (await gateway.simulator.get<{ charges: { total: number } }>("/state")).body.charges.total;
    const before = await count();
    await gateway.simulator.patch("/behaviour", {
      faults: { seed: 1, rules: [{ route: "putCobv", kind: "error5xxAfter", probability: 1, times: 1 }] },
    });
    const charge = await create({});
    assert.equal(charge.status, "pending");
    assert.equal(await count(), before + 1);
    assert.equal((await client.post(`/pix/${charge.id}/cancel`)).status, 200);
  });

  test("paid early, with the discount and the abatement: the split gets what is left", async () => {
    // The discount's Saturday moves to Monday: 5.00 off, and 10 % of the 95.00.
    await goTo("2026-12-07");
    assert.equal((await show(ids.early!)).amountDue, 85.5);
    await pay(ids.early!);
    const shown = await over(ids.early!);
    const components = { original: 100, fine: 0, interest: 0, discount: 9.5, abatement: 5 };
    assert.deepEqual([shown.amount, shown.chargedAmount, shown.components], [85.5, 100, components]);
    assert.equal("amountDue" in shown, false);
    assert.deepEqual(shown.split, [{ subAccount: "loja", amount: 85.5 }]);
    const data = await eventOf(ids.early!, "payment_completed");
    assert.deepEqual([data.amount, data.chargedAmount, data.components], [85.5, 100, components]);
  });

  test("one that nobody paid expires at the end of its last day, and not before", async () => {
    await goTo("2026-12-12", "02:59:00Z");
    assert.equal((await show(ids.expired!)).status, "pending");
    await goTo("2026-12-12", "03:00:01Z");
    const shown = await over(ids.expired!, "cancelled");
    assert.equal(shown.cancellationReason, "expired");
    const data = await eventOf(ids.expired!, "payment_expired");
    assert.deepEqual([data.amount, data.expiredAt], [100, "2026-12-12T03:00:00.000Z"]);
    // A payer who comes too late is refused by the institution.
    const late = await gateway.simulator.post(`/charges/${await txidOf(gateway, ids.expired!)}/pay`, {});
    assert.equal(late.status, 409, late.text);
  });

  test("on the business day after a weekend it costs what was asked", async () => {
    await goTo("2026-12-14");
    assert.equal((await show(ids.weekend!)).amountDue, 100);
    await pay(ids.weekend!);
    const { amount, chargedAmount, components } = await over(ids.weekend!);
    const asked = { original: 100, fine: 0, interest: 0, discount: 0, abatement: 0 };
    assert.deepEqual([amount, chargedAmount, components], [100, 100, asked]);
  });

  test("paid late, with fine and interest, to the centavo in transaction, event and statement", async () => {
    // Ten days late: 2.00, and 100.00 × 1 % / 30 × 10 = 0.33.
    await goTo("2026-12-20");
    assert.equal((await show(ids.late!)).amountDue, 102.33);
    await pay(ids.late!);
    const shown = await over(ids.late!);
    const components = { original: 100, fine: 2, interest: 0.33, discount: 0, abatement: 0 };
    assert.deepEqual([shown.amount, shown.chargedAmount, shown.components], [102.33, 100, components]);
    const data = await eventOf(ids.late!, "payment_completed");
    assert.deepEqual([data.amount, data.netAmount, data.components], [102.33, 102.33, components]);
    type Line = { amount: number; kind: string; transactionId?: string; components?: unknown };
    const lines = await everyPage<Line>(client, "/statement?limit=100");
    const own = lines.filter(({ transactionId }) => transactionId === ids.late);
    assert.deepEqual(
      own.map((line) => [line.kind, line.amount, line.components]),
      [["charge_paid", 102.33, components]],
    );
    // A split of an explained payment has lines that are no payment.
    const split = lines.filter(({ kind }) => kind === "charge_split");
    assert.deepEqual([split.length, split.some((line) => "components" in line)], [1, false]);
    for (const wallets of ["", "&subAccount=*"]) {
      const path = `/statement?originalTransactionId=${ids.late}${wallets}`;
      const csv = await client.get(path, { headers: { accept: "text/csv" } });
      const [head, ...rows] = csv.text.trimEnd().split("\r\n");
      assert.match(head!, /,original,fine,interest,discount,abatement$/);
      assert.equal(rows.length, 1, csv.text);
      assert.match(rows[0]!, /,100\.00,2\.00,0\.33,0\.00,0\.00$/);
    }
  });

  test("what the institution says of the amount is believed: a local holiday that only it knows", async () => {
    await pay(ids.local!, { composition: { original: 10_000, multa: 0, juros: 7, desconto: 0, abatimento: 0 } });
    const shown = await over(ids.local!);
    const components = { original: 100, fine: 0, interest: 0.07, discount: 0, abatement: 0 };
    assert.deepEqual([shown.amount, shown.chargedAmount, shown.components], [100.07, 100, components]);
  });

  test("an institution that explains nothing is believed within what is possible, and not beyond it", async () => {
    await dialect("efi");
    await pay(ids.silent!);
    const shown = await over(ids.silent!);
    assert.deepEqual([shown.amount, shown.chargedAmount, "components" in shown], [102.33, 100, false]);
    await dialect("bcb");
    // Its parts are those of the day, 102.33, and not of what it says was paid.
    await pay(ids.lying!, { amountCentavos: 10_500 });
    const refused = await over(ids.lying!, "failed");
    assert.deepEqual(
      [refused.amount, (refused.blockedDeposit as { reason: string }).reason, "chargedAmount" in refused],
      [100, "amount_mismatch", false],
    );
    await eventually("the return", async () => {
      const { blockedDeposit } = await show(ids.lying!);
      return (blockedDeposit as { refund: { status: string } }).refund.status === "confirmed";
    });
    const data = await eventOf(ids.lying!, "payment_failed");
    assert.deepEqual([data.amount, data.netAmount, "components" in data], [105, 0, false]);
  });

  test("a payment whose notification was lost is found by the list, and reconciled and closed with the others", async () => {
    await gateway.simulator.patch("/behaviour", {
      faults: { seed: 1, rules: [{ route: "callback", kind: "lost", probability: 1 }] },
    });
    // Six business days late.
    await pay(ids.lost!);
    // The list is read again.
    await goTo("2026-12-20", "13:05:00Z");
    const shown = await over(ids.lost!);
    assert.deepEqual([shown.amount, shown.components!.interest], [103, 3]);
    await goTo("2026-12-22");
    // The institution explains the same amount otherwise than when it was booked.
    const fine = (centavos: number) =>
      gateway.owner.query(sql`
        update charges set components = components || jsonb_build_object('fine', ${centavos}::int, 'interest', ${300 - centavos}::int)
        where charge_id = ${ids.lost!}`);
    await fine(1);
    type Found = { kind: string; state: string; theirs: number; ours: number; cause: string };
    const differs = await gateway.operator.post<{ institutions: { findings: Found[] }[] }>(
      "/reconciliation/2026-12-20",
    );
    const found = differs.body.institutions.flatMap(({ findings }) => findings);
    assert.deepEqual(
      found.map(({ kind, state, theirs, ours }) => [kind, state, theirs, ours]),
      [["received", "differing", 103, 103]],
    );
    assert.match(found[0]!.cause, /explains by another fine, interest, discount or abatement/);
    await fine(0);
    for (const day of ["2026-12-07", "2026-12-14", "2026-12-20"]) {
      const reply = await gateway.operator.post<{ institutions: { findings: unknown[] }[] }>(`/reconciliation/${day}`);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(
        reply.body.institutions.flatMap(({ findings }) => findings),
        [],
        day,
      );
    }
    await gateway.verify();
    const { rows } = await gateway.owner.query<{ kind: string; amount: number }>(sql`
      select kind, sum(amount)::int as amount from ledger_transfers where account_id = ${accountId}
      group by kind order by kind`);
    // 85.50 + 100.00 + 102.33 + 100.07 + 102.33 + 103.00; the lying one was set aside and went back.
    assert.deepEqual(rows, [
      { kind: "charge_paid", amount: 59_323 },
      { kind: "charge_split", amount: 8_550 },
      { kind: "deposit_blocked", amount: 10_500 },
      { kind: "deposit_returned", amount: 10_500 },
    ]);
  });
});

describe("a due date in a request", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ PIXGATE_PUBLIC_URL: "https://pay.example" });
  });
  after(() => gateway.end());
  const day = (n: number) => daysAfter(dayOf(new Date()), n);
  const ask = (due: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    gateway.merchant.post("/pix", {
      amount: 100,
      description: "d",
      customer: CUSTOMER,
      due: { date: day(5), ...due },
      ...more,
    });

  test("each fault is named by its field, and nothing moves", async () => {
    const step = (n: number, more: Record<string, unknown>) => ({ date: day(n), ...more });
    const cases: [string, Record<string, unknown>, Record<string, unknown>?][] = [
      ["due.date", { date: day(-1) }],
      ["due.date", { date: "2027-02-30" }],
      ["due.date", { date: day(2_000) }],
      ["due.daysAfter", { daysAfter: 366 }],
      ["due.fine", { fine: {} }],
      ["due.fine", { fine: { fixed: 1, percent: 1 } }],
      ["due.fine.percent", { fine: { percent: 1.234 } }],
      ["due.interest.per", { interest: { fixed: 1, per: "month" } }],
      ["due.interest.per", { interest: { percent: 1, per: "week" } }],
      ["due.discount", { discount: {} }],
      ["due.discount", { discount: { until: [step(1, { fixed: 1 })], perDay: { fixed: 1 } } }],
      ["due.discount.until", { discount: { until: [] } }],
      ["due.discount.until[0].date", { discount: { until: [step(6, { fixed: 1 })] } }],
      ["due.discount.until[1]", { discount: { until: [step(1, { fixed: 1 }), step(2, { percent: 1 })] } }],
      ["due.discount.until[1].date", { discount: { until: [step(1, { fixed: 2 }), step(1, { fixed: 1 })] } }],
      ["due.discount", { discount: { until: [step(1, { percent: 100 })] } }],
      ["due.abatement", { abatement: { fixed: 100 } }],
      ["due.abatement", { abatement: { percent: 100 } }],
      ["expiresIn", {}, { expiresIn: 600 }],
      ["customer.name", {}, { customer: { document: CUSTOMER.document } }],
      ["customer.name", {}, { customer: undefined }],
      ["customer.document", {}, { customer: { name: "Maria" } }],
      ["customer.document", {}, { customer: { name: "Maria", document: "12345678900" } }],
    ];
    await nothingMoves(gateway, async () => {
      for (const [path, due, more] of cases) assertInvalid(await ask(due, more), [path], JSON.stringify([due, more]));
    });
    assert.equal((await ask({ date: day(0), daysAfter: 0 })).status, 201, "due today, on one day alone");
  });

  test("the page for the payer shows the date and what it costs today, in the payer's language", async () => {
    const { body } = await ask({ abatement: { fixed: 5 } });
    const { pathname } = new URL((body as { checkoutUrl: string }).checkoutUrl);
    const words = { en: "Due on ", "pt-BR": "Vencimento em ", es: "Vence el " };
    for (const [language, text] of Object.entries(words)) {
      const date = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(day(5)));
      const page = await fetch(new URL(pathname, gateway.sandbox.baseUrl), {
        headers: { "accept-language": language },
      });
      const shown = await page.text();
      assert.ok(shown.includes(`${text}${date}`), `${language}: ${shown.slice(0, 2_000)}`);
      assert.match(shown, />R\$<\/span> 95,00</);
    }
  });

  test("an institution that issues none is passed over, and refused where it is pinned or the only one", async () => {
    const own = (await gateway.running.ctx.psps.all())[0]!;
    const made = await gateway.operator.post<{ id: string }>("/institutions", {
      ...{ name: "Without", provider: "api-pix", environment: "sandbox", priority: 1 },
      // It wants its scopes named, and those for due dates are not among them.
      config: {
        ...{ profile: "inter", baseUrl: "https://127.0.0.1:9/v2", tokenUrl: "https://127.0.0.1:9/oauth/token" },
        ...{ clientId: "id", clientSecret: "secret", pixKey: "maria@example.com" },
      },
    });
    assert.equal(made.status, 201, made.text);
    const { accountId } = gateway.sandbox;
    const link = await gateway.operator.send(
      "PUT",
      `/accounts/${accountId}/institutions/${made.body.id}`,
      '{"enabled":true}',
    );
    assert.ok(link.status < 300, link.text);
    await gateway.operator.patch(`/accounts/${accountId}`, { policies: { institutionChoice: true } });
    const charge = await ask({});
    assert.equal(charge.status, 201, charge.text);
    const { rows } = await gateway.owner.query<{ institution_id: string }>(sql`
      select institution_id from charges where charge_id = ${(charge.body as { id: string }).id}`);
    assert.equal(rows[0]!.institution_id, own.institutionId);
    await nothingMoves(gateway, async () => {
      const pinned = await ask({}, { pspCredentialId: made.body.id });
      assertRefused(pinned, 400, "NOT_SUPPORTED_BY_INSTITUTION");
    });
  });
});
