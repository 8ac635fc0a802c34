/** The requests of the guides to due dates and to invoices succeed as written, on the days that they name, and lead to their figures. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { receive } from "./play-bank.ts";

type Parts = Partial<Record<"discount" | "fine" | "interest", number>>;
type Shown = {
  id: string;
  status: string;
  amount: number;
  components?: Parts;
  dueEdits?: { status: string }[];
  invoice?: { number: string };
};
type Preview = { days: { date: string; amount: number; components: Parts }[] };

const read = (page: string) => readFileSync(new URL(`../../../docs/guides/${page}`, import.meta.url), "utf8");
/** The requests of a page: method, path and headers in lines, the body after an empty one. */
const requestsOf = (page: string) =>
  [...page.matchAll(/^```http\n(GET|POST|PATCH) \/v2(\/\S+)\n((?:[\w-]+: .*\n)*)(?:\n([^`]*))?```$/gm)].map(
    ([, method, path, heads, body]) => ({
      method: method!,
      path: path!,
      headers: Object.fromEntries(heads!.split("\n").flatMap((line) => (line === "" ? [] : [line.split(": ")]))),
      body,
    }),
  );

/** Days of the pages: the month whose payments are listed, and when the charge with a due date is made. */
const [SALE, ISSUED] = ["2026-11-20", "2027-02-22"];

describe("The guides", () => {
  let ahead = Date.parse(`${SALE}T13:00:00Z`) - Date.now();
  const clock = { now: () => Date.now() + ahead, date: () => new Date(Date.now() + ahead) };
  let gateway: TestGateway;
  let client: Client;

  async function goTo(day: string): Promise<void> {
    ahead = Date.parse(`${day}T13:00:00Z`) - Date.now();
    const set = await gateway.simulator.send("PUT", "/clock", JSON.stringify({ now: clock.date().toISOString() }));
    assert.equal(set.status, 200, set.text);
    client = await new Client(gateway.sandbox.baseUrl).login(gateway.sandbox.clientId, gateway.sandbox.clientSecret);
  }
  async function send<Body = Shown>({ method, path, headers, body }: ReturnType<typeof requestsOf>[number], id = "") {
    const reply = await client.send<Body>(method, path.replace("{id}", id), body, { headers });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
    return reply.body;
  }

  before(async () => {
    gateway = await startGateway({}, { clock });
  });
  after(() => gateway.end());

  test("docs/guides/invoices.md: a payment gets an invoice by its key and by its number, and leaves the list of those without", async () => {
    await goTo(SALE);
    const page = read("invoices.md");
    const [byKey, byNumber, list, ...rest] = requestsOf(page);
    assert.deepEqual([rest, list?.method], [[], "GET"]);
    const { id } = await receive(client, 100);
    const other = await receive(client, 10);
    const without = async () => (await send<{ items: Shown[] }>(list!)).items.map((item) => item.id).sort();
    assert.deepEqual(await without(), [id, other.id].sort());
    const [, number] = /`number`, here `(\d+)`/.exec(page)!;
    assert.equal((await send(byKey!, id)).invoice!.number, number);
    assert.deepEqual(await without(), [other.id]);
    assert.equal((await send(byNumber!, other.id)).invoice!.number, "2026/17");
    assert.deepEqual(await without(), []);
  });

  test("docs/guides/due-dates.md: its invoice costs on each day what the table says, is paid late so, and is changed as it shows", async () => {
    await goTo(ISSUED);
    const page = read("due-dates.md");
    const [create, change, ...rest] = requestsOf(page);
    assert.deepEqual(rest, []);
    const { id } = await send(create!);
    const table = [...page.matchAll(/^\| (\d+) (March|April) \|([^|]*)\|([^|]*)\|([^|]*)\| ([\d.]+) \|$/gm)];
    assert.equal(table.length, 4);
    for (const [, day, month, discount, fine, interest, amount] of table) {
      const date = `2027-${month === "March" ? "03" : "04"}-${day!.padStart(2, "0")}`;
      const { days } = (await client.post<Preview>("/pix/due-preview", { transactionId: id, from: date, days: 1 }))
        .body;
      const { components } = days[0]!;
      assert.deepEqual(
        [days[0]!.date, components.discount ?? 0, components.fine ?? 0, components.interest ?? 0, days[0]!.amount],
        [date, ...[discount, fine, interest, amount].map(Number)],
      );
    }
    const changed = await send({ ...create!, headers: { "Idempotency-Key": "invoice-2026-119" } });
    await send(change!, changed.id);
    await eventually("the change", async () => {
      const { dueEdits } = (await client.get<Shown>(`/transactions/${changed.id}`)).body;
      return dueEdits?.map(({ status }) => status).join() === "done";
    });

    await goTo("2027-03-11");
    const { rows } = await gateway.owner.query<{ txid: string }>(sql`select txid from charges where charge_id = ${id}`);
    assert.equal((await gateway.simulator.post(`/charges/${rows[0]!.txid}/pay`, {})).status, 200);
    const paid = await eventually("the payment", async () => {
      const { body } = await client.get<Shown>(`/transactions/${id}`);
      return body.status === "completed" && body;
    });
    assert.deepEqual([paid.amount, paid.components?.fine, paid.components?.interest], [102.03, 2, 0.03]);
  });
});
