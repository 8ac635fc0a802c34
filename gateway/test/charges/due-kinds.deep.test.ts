/**
 * A charge of R$ 100.00 of each kind of fine, interest, discount and abatement, from the request to the closed day, with
 * everybody's clock moved. The amounts are worked out by hand, by the Central Bank's manual.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { everyPage, newMerchant } from "../contract/money.ts";
import { notAt } from "../harness/bank.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Part = "fine" | "interest" | "discount" | "abatement";
type Kind = readonly [terms: Record<string, unknown>, part: Part, centavos: number];
type Close = {
  closed: boolean;
  institutions: { movements: { in: { count: number; amount: number } }[]; difference: number | null }[];
};

/** A Thursday without holidays around it. */
const DUE = "2026-12-10";
/** Paid on a Friday six days before the due date, four of them business days. */
const EARLY: readonly Kind[] = [
  [{ discount: { until: [{ date: "2026-12-04", fixed: 5 }] } }, "discount", 500],
  [{ discount: { until: [{ date: "2026-12-04", percent: 7.5 }] } }, "discount", 750],
  [{ discount: { perDay: { fixed: 0.25, days: "calendar" } } }, "discount", 150],
  [{ discount: { perDay: { fixed: 0.25, days: "business" } } }, "discount", 100],
  [{ discount: { perDay: { percent: 0.5, days: "calendar" } } }, "discount", 300],
  [{ discount: { perDay: { percent: 0.5, days: "business" } } }, "discount", 200],
  [{ abatement: { fixed: 5 } }, "abatement", 500],
  [{ abatement: { percent: 12.5 } }, "abatement", 1_250],
];
/** Paid ten days after the due date, six of them business days. */
const LATE: readonly Kind[] = [
  [{ fine: { fixed: 5.12 } }, "fine", 512],
  [{ fine: { percent: 2 } }, "fine", 200],
  [{ interest: { fixed: 0.33, per: "day" } }, "interest", 330],
  [{ interest: { percent: 0.5, per: "day" } }, "interest", 500],
  [{ interest: { percent: 1, per: "month" } }, "interest", 33],
  [{ interest: { percent: 12, per: "year" } }, "interest", 33],
  [{ interest: { fixed: 0.33, per: "day", days: "business" } }, "interest", 198],
  [{ interest: { percent: 0.5, per: "day", days: "business" } }, "interest", 300],
  [{ interest: { percent: 2.1, per: "month", days: "business" } }, "interest", 60],
  [{ interest: { percent: 25.2, per: "year", days: "business" } }, "interest", 60],
];
const PAID = [["2026-12-04", EARLY], ["2026-12-20", LATE]] as const; // biome-ignore format: a list
const amountOf = ([, part, centavos]: Kind): number =>
  10_000 + (part === "fine" || part === "interest" ? centavos : -centavos);
const totalOf = (kinds: readonly Kind[]): number => kinds.reduce((sum, kind) => sum + amountOf(kind), 0);

const AT_SIMULATOR =
  notAt("api-pix", "it reports no balance").skip ?? notAt("efi", "its simulators need certificates").skip;

describe("each kind of charge with a due date", { skip: AT_SIMULATOR, timeout: 240_000 }, () => {
  let ahead = Date.parse("2026-12-01T13:00:00Z") - Date.now();
  const clock = { now: () => Date.now() + ahead, date: () => new Date(Date.now() + ahead) };
  let gateway: TestGateway;
  let accountId: string;
  let client: Client;
  const ids = new Map<Kind, string>();

  const goTo = async (day: string) => {
    ahead = Date.parse(`${day}T13:00:00Z`) - Date.now();
    const reply = await gateway.simulator.send("PUT", "/clock", JSON.stringify({ now: clock.date().toISOString() }));
    assert.equal(reply.status, 200, reply.text);
    const rights = { name: "a day", permissions: ["FULL_ACCESS"], subAccountAccess: true };
    type Credential = { clientId: string; clientSecret: string };
    const { body } = await gateway.operator.post<Credential>(`/accounts/${accountId}/credentials`, rights);
    client = await new Client(gateway.sandbox.baseUrl).login(body.clientId, body.clientSecret);
  };

  before(async () => {
    gateway = await startGateway({}, { clock });
    ({ accountId, client } = await newMerchant(gateway));
    await goTo("2026-12-01");
    const customer = { name: "Maria Silva", document: "12345678909" };
    for (const kind of [...EARLY, ...LATE]) {
      const body = { amount: 100, description: "An invoice", customer, due: { date: DUE, daysAfter: 30, ...kind[0] } };
      const made = await client.post<{ id: string }>("/pix", body);
      assert.equal(made.status, 201, made.text);
      ids.set(kind, made.body.id);
    }
  });
  after(() => gateway?.end());

  for (const [day, kinds] of PAID) {
    test(`costs on ${day} what the manual says, in the transaction, its event and the statement`, async () => {
      await goTo(day);
      for (const kind of kinds) {
        const [terms, part, centavos] = kind;
        const [id, says, amount] = [ids.get(kind)!, JSON.stringify(terms), amountOf(kind) / 100];
        type Shown = { status: string; amount: number; amountDue?: number; components?: unknown };
        const show = async () => (await client.get<Shown>(`/transactions/${id}`)).body;
        assert.equal((await show()).amountDue, amount, says);
        const { rows } = await gateway.owner.query<{ txid: string }>(
          sql`select txid from charges where charge_id = ${id}`,
        );
        const paid = await gateway.simulator.post(`/charges/${rows[0]!.txid}/pay`, {});
        assert.equal(paid.status, 200, paid.text);
        const shown = await eventually(`the end of ${says}`, async () => {
          const now = await show();
          return now.status === "completed" && now;
        });
        const none = { original: 100, fine: 0, interest: 0, discount: 0, abatement: 0 };
        const components = { ...none, [part]: centavos / 100 };
        assert.deepEqual([shown.amount, shown.components], [amount, components], says);
        const events = await gateway.owner.query<{ body: string }>(
          sql`select body from events where kind = 'payment_completed' and body like ${`%${id}%`}`,
        );
        assert.equal(events.rows.length, 1, says);
        const { data } = JSON.parse(events.rows[0]!.body) as { data: { amount: number; components: unknown } };
        assert.deepEqual([data.amount, data.components], [amount, components], says);
        const lines = await everyPage<{ amount: number; transactionId?: string }>(client, "/statement?limit=100");
        assert.deepEqual(
          lines.filter(({ transactionId }) => transactionId === id).map((line) => line.amount),
          [amount],
          says,
        );
      }
    });
  }

  test("agrees with the institution on each day, and is in the closed days to the centavo", async () => {
    await goTo("2026-12-22");
    for (const [day, kinds] of PAID) {
      const compared = await gateway.operator.post<{ institutions: { findings: unknown[] }[] }>(
        `/reconciliation/${day}`,
      );
      assert.equal(compared.status, 200, compared.text);
      assert.deepEqual(
        compared.body.institutions.flatMap(({ findings }) => findings),
        [],
        day,
      );
      const { institutions } = await eventually(`the close of ${day}`, async () => {
        const { body } = await gateway.operator.get<Close>(`/close/${day}`);
        return body.closed && body;
      });
      const [count, amount] = institutions
        .flatMap(({ movements }) => movements)
        .reduce(([n, sum], movement) => [n + movement.in.count, sum + movement.in.amount], [0, 0]);
      assert.deepEqual([count, Math.round(amount * 100)], [kinds.length, totalOf(kinds)], day);
    }
    await gateway.verify();
  });
});
