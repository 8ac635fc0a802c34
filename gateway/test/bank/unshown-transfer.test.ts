/** A bank that shows only the Pix of charges: of a plain transfer nothing but its notification is ever seen. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { addProfileBank } from "../harness/profile-bank.ts";

const SHOWN = ["list", "read", "charge", "callback"];

let gateway: TestGateway;
const closers: (() => unknown)[] = [];
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.end();
  for (const close of closers.reverse()) await close();
});

/** A bank of a profile that shows no plain transfer. */
async function bankOf(profile: string) {
  const { bank, id, pixKey } = await addProfileBank(gateway, profile, (end) => closers.push(end));
  const shows = (plainIn: readonly string[]) => bank.control("PATCH", "/behaviour", { plainIn });
  await shows([]);
  const { ctx } = gateway.running;
  const notify = async (e2eId: string, more: object = {}) => {
    const pix = { endToEndId: e2eId, valor: "7.00", chave: pixKey, horario: "2026-11-28T10:00:00.000Z", ...more };
    const answer = await fetch(gateway.running.url + notificationPath(ctx.keys, id), {
      ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify([pix]) },
    });
    assert.equal(answer.status, 200);
  };
  const stateOf = async (e2eId: string) => {
    const { rows } = await gateway.owner.query<{ status: string; attempts: number }>(sql`
      select status, attempts from inbox where subject_id = ${e2eId} and institution_id = ${id}`);
    return rows[0];
  };
  return {
    ...{ id, bank, shows, notify },
    transfer: async () => (await bank.control("POST", "/pix", { amountCentavos: 700 })).e2eId as string,
    /** Notified, and queried as often as a notification ever is. */
    async abandoned(e2eId: string, more: object = {}) {
      await notify(e2eId, more);
      await eventually("the notification to be abandoned", async () => {
        // As the last attempt: three hours of them have passed.
        await gateway.owner.query(sql`
          update inbox set attempts = 23, next_at = ${new Date()}
          where subject_id = ${e2eId} and institution_id = ${id} and status = 'pending'`);
        ctx.hints.wake("inbox");
        return (await stateOf(e2eId))?.status === "abandoned";
      });
    },
  };
}

type Found = { caseId: string; status: string; data: Record<string, unknown> };
const casesOf = async (e2eId: string) => {
  const { rows } = await gateway.owner.query<Found>(sql`
    select case_id as "caseId", status, evidence -> 'data' as data from cases
    where evidence -> 'data' ->> 'parent' = ${e2eId} order by number`);
  return rows;
};
const bookedOf = async (e2eId: string) =>
  (await gateway.owner.query<{ amount: number }>(sql`select amount from received_pix where e2e_id = ${e2eId}`)).rows;

test("is a case as its notification is abandoned, and none any more once the bank shows it", async () => {
  const inter = await bankOf("inter");
  const e2eId = await inter.transfer();
  await inter.abandoned(e2eId);
  const [opened, ...others] = await casesOf(e2eId);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [opened?.status, opened?.data.kind, opened?.data.state, opened?.data.key, opened?.data.amount],
    ["open", "received", "unconfirmed", e2eId, 700],
  );
  assert.deepEqual(await bookedOf(e2eId), [], "what nobody confirms is not booked");

  await inter.shows(SHOWN);
  await inter.notify(e2eId);
  await eventually("the Pix to be booked", async () => (await bookedOf(e2eId)).length > 0);
  await eventually("the case to be closed", async () => {
    gateway.running.ctx.hints.wake("differences");
    return (await casesOf(e2eId))[0]?.status === "closed";
  });
  assert.deepEqual(await bookedOf(e2eId), [{ amount: 700 }]);
});

test("a return of one is a case too, and what an operator has acknowledged opens no other one", async () => {
  const inter = await bankOf("inter");
  const e2eId = await inter.transfer();
  const back = { id: "R1", rtrId: "D12345678202611281000abcdefghijk", valor: "2.50", status: "DEVOLVIDO" };
  const devolucoes = [{ ...back, horario: { solicitacao: "2026-11-28T10:00:00.000Z" } }];
  await inter.abandoned(e2eId, { devolucoes });
  const opened = await casesOf(e2eId);
  const of = ({ data }: Found) => [data.kind, data.state, data.key, data.amount];
  assert.ok(
    opened.some((one) => one.data.kind === "returned"),
    JSON.stringify(opened),
  );
  assert.deepEqual(opened.filter(({ data }) => data.kind === "returned").map(of), [
    ["returned", "unconfirmed", back.rtrId, 250],
  ]);
  for (const { caseId } of opened) {
    const reason = "The bank's statement explains it.";
    const path = `/cases/${caseId}/propose`;
    const done = await gateway.operator.post<{ status: string }>(path, {
      action: "acknowledge",
      parameters: { reason },
    });
    assert.deepEqual([done.status, done.body.status], [200, "closed"], done.text);
  }
  await inter.abandoned(e2eId, { devolucoes });
  assert.deepEqual(
    (await casesOf(e2eId)).map(({ status }) => status),
    opened.map(() => "closed"),
  );
});

test("none where the bank lists every Pix, or the notification names a charge: its own query shows those", async () => {
  const [inter, bradesco] = [await bankOf("inter"), await bankOf("bradesco")];
  const there = await bradesco.transfer();
  await bradesco.abandoned(there);
  assert.deepEqual(await casesOf(there), []);
  const e2eId = await inter.transfer();
  await inter.abandoned(e2eId, { txid: "a".repeat(26) });
  assert.deepEqual(await casesOf(e2eId), []);
});
