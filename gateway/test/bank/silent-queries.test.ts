/** An institution that lists nothing of a day and answers no query: the reconciliation asks a few times, and says what it did not ask. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { dayOf, daysBefore } from "../../src/lib/days.ts";
import { earlier } from "../harness/earlier.ts";
import { startWorld, type World } from "./world.ts";

const BOOKED = 30;

type Report = { incomplete: string | null; findings: Finding[] };
type Finding = { kind: string; state: string; key: string; cause: string };

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.stop());

const queriesOf = async (): Promise<number> => {
  const { body } = await world.gateway.simulator.get<{ entries: { type: string; route?: string }[] }>(
    "/log?limit=1000",
  );
  return body.entries.filter(({ type, route }) => type === "fault" && route === "getPix").length;
};

/** The open cases of days' comparisons, by what they are of. */
const casesOf = async () => {
  const { rows } = await world.db().query<{ state: string; n: number }>(sql`
    select evidence -> 'data' ->> 'state' as state, count(*)::integer as n from cases
    where kind = 'reconciliation_difference' and status = 'open' group by 1`);
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
};

test("of many Pix that are in the books alone", async () => {
  const paid: string[] = [];
  for (let n = 0; n < BOOKED; n += 1) {
    const { e2eId } = await world.control<{ e2eId: string }>("/pix", { amountCentavos: 1000 });
    paid.push(e2eId);
  }
  await world.pollReceived();
  // The books have them under another day than the institution.
  const shift = (days: number) =>
    world.gateway.owner.query(sql`
      update received_pix set paid_at = ${earlier("paid_at", `${-days} days`)} where e2e_id = any(${`{${paid.join()}}`}::text[])`);
  await shift(-2);
  await world.behave({ faults: { seed: 1, rules: [{ route: "getPix", kind: "error5xxBefore", probability: 1 }] } });
  const day = daysBefore(dayOf(new Date()), 2);
  const reconcile = async () => {
    const reply = await world.gateway.operator.post<{ institutions: Report[] }>(`/reconciliation/${day}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.institutions[0]!;
  };
  const silent = await reconcile();
  const asked = await queriesOf();
  assert.ok(asked > 0 && asked <= 5, `${asked} queries`);
  assert.equal(silent.findings.length, asked, "only what was asked about is a finding");
  for (const { cause } of silent.findings) assert.match(cause, /gave no clear answer/);
  const unasked = (of: Report) => Number(/^(\d+) of our entries/.exec(of.incomplete ?? "")?.[1]);
  assert.equal(unasked(silent), BOOKED - asked);
  assert.deepEqual(await casesOf(), { missing_there: asked, unasked: 1 });

  const further = await reconcile();
  const [first, second] = [silent, further].map(({ findings }) => findings.map(({ key }) => key));
  assert.equal(second!.length, asked);
  assert.deepEqual(
    second!.filter((key) => first!.includes(key)),
    [],
    "the next comparison goes on where this one stopped",
  );
  assert.deepEqual(await casesOf(), { missing_there: 2 * asked, unasked: 1 }, "what was not queried closes no case");

  await world.behave({ faults: { seed: 1, rules: [] } });
  const answered = await reconcile();
  assert.deepEqual([answered.findings, answered.incomplete], [[], null]);
  assert.deepEqual(await casesOf(), {});
  await shift(2);
});
