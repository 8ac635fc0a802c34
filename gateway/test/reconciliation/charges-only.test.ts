/** A bank that lists only the Pix of charges: what is absent there may have come in all the same. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { clearOfMidnight } from "../harness/clear-of-midnight.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { addProfileBank } from "../harness/profile-bank.ts";

type Finding = { kind: string; state: string; key: string; booked: boolean; cause: string };
type Report = { institutionId: string; findings: Finding[] };

let gateway: TestGateway;
const closers: (() => unknown)[] = [];
before(async () => {
  await clearOfMidnight();
  gateway = await startGateway();
});
after(async () => {
  await gateway.end();
  for (const close of closers.reverse()) await close();
});

/** A bank of a profile, and a plain transfer to its key that is in the books. */
async function bankWithTransfer(profile: string) {
  const { bank, id } = await addProfileBank(gateway, profile, (end) => closers.push(end));
  const { e2eId } = await bank.control("POST", "/pix", { amountCentavos: 700 });
  const findings = async (): Promise<Finding[]> => {
    const reply = await gateway.operator.post<{ institutions: Report[] }>(`/reconciliation/${dayOf(new Date())}`);
    assert.equal(reply.status, 200, reply.text);
    const report = reply.body.institutions.find(({ institutionId }) => institutionId === id)!;
    return report.findings.filter(({ key }) => key === e2eId);
  };
  await findings();
  const { rows } = await gateway.owner.query<{ outcome: string; amount: number }>(sql`
    select outcome, amount from received_pix where e2e_id = ${e2eId}`);
  assert.deepEqual(rows, [{ outcome: "unmatched", amount: 700 }]);
  await bank.control("PATCH", "/behaviour", { plainIn: [] });
  return { findings, e2eId };
}

test("nothing is said of a plain transfer that Inter does not show, and it stays booked", async () => {
  const { findings, e2eId } = await bankWithTransfer("inter");
  assert.deepEqual(await findings(), []);
  const { rows } = await gateway.owner.query<{ outcome: string; amount: number }>(sql`
    select outcome, amount from received_pix where e2e_id = ${e2eId}`);
  assert.deepEqual(rows, [{ outcome: "unmatched", amount: 700 }]);
});

test("at a bank whose list has every Pix it is", async () => {
  const { findings } = await bankWithTransfer("bradesco");
  assert.match((await findings())[0]?.cause ?? "", /the institution does not know it/);
});
