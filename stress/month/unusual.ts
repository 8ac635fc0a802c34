/**
 * Days with unusual events: late decisions, a bank that reports another bank's Pix, a write-off that is taken back, and
 * the loss of the database. Each of them closes to the centavo like any other day.
 */
import assert from "node:assert/strict";
import { sql } from "../../gateway/src/db/sql.ts";
import { approveCase } from "../../gateway/test/harness/decide.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { stream } from "../harness/random.ts";
import { compareBalances } from "./balances.ts";
import { done, payOut, sell } from "./traffic.ts";
import type { World } from "./world.ts";

type Case = {
  readonly id: string;
  readonly kind: string;
  readonly objectId: string;
  readonly amount?: number;
  readonly institutionId?: string;
  readonly evidence: { readonly data?: Readonly<Record<string, unknown>> };
  readonly proposal?: { readonly status: string };
};

/** State that lasts from one unusual day to the next. */
export type Unusual = {
  /** Pix that a bank has reported although another bank holds them. */
  readonly contradicted: Set<string>;
  writtenOff: string | null;
};

export const startUnusual = (): Unusual => ({ contradicted: new Set(), writtenOff: null });

const openCases = async ({ gateway }: World, kind: string): Promise<readonly Case[]> =>
  done(await gateway.operator.get<{ items: Case[] }>(`/cases?status=open&kind=${kind}&limit=100`)).items;

const caseOf = (world: World, kind: string, is: (one: Case) => boolean): Promise<Case> =>
  eventually(`a case ${kind}`, async () => (await openCases(world, kind)).find(is), 120_000);

/** Makes a proposal for which one human is enough. @returns its status. */
async function propose({ gateway }: World, { id }: Case, action: string, parameters: object = {}) {
  const reply = await gateway.operator.post<Case>(`/cases/${id}/propose`, { action, parameters });
  return done(reply).proposal!.status;
}

/** Makes a Pix without a charge, and waits until its case is open. */
async function receive(world: World, bank: World["banks"][number], amountCentavos: number) {
  const { e2eId } = done(await bank.control.post<{ e2eId: string }>("/pix", { amountCentavos }));
  return { e2eId, about: await caseOf(world, "unmatched_receipt", ({ evidence }) => evidence.data?.e2eId === e2eId) };
}

/**
 * One operator proposes a receipt as the operator's own money; its bank returns a part before the second operator
 * approves.
 */
async function decideTooLate(world: World): Promise<void> {
  const [bank] = world.banks as [World["banks"][number]];
  const whole = 2_000_000;
  const { e2eId, about } = await receive(world, bank, whole);
  assert.equal(await propose(world, about, "treasury", { kind: "top_up" }), "awaiting_approval");
  const giveBack = async (amountCentavos: number) => {
    done(await bank.control.post(`/pix/${e2eId}/med-return`, { amountCentavos }));
    await world.quiet();
  };
  await giveBack(1);
  const late = await approveCase<Case>(world.second, about.id);
  assert.notEqual(late.body.proposal?.status, "executed", "it was decided about the whole of it");
  await giveBack(whole - 1);
  await eventually("nothing to be left to decide", async () => {
    const open = await openCases(world, "unmatched_receipt");
    return open.every(({ id }) => id !== about.id);
  });
}

/** Writes off a receipt that cannot go back, as the operator's gain. */
async function writeOffReturn(world: World, unusual: Unusual): Promise<void> {
  const [bank] = world.banks as [World["banks"][number]];
  done(await bank.control.patch("/behaviour", { returnDelayMs: 3_600_000 }));
  const { e2eId, about } = await receive(world, bank, 4_018);
  assert.equal(await propose(world, about, "return"), "executed");
  const pspId = await eventually("the return at the bank", async () => {
    type Listed = { items: { e2eId: string; returns: object[] }[] };
    const { items } = done(await bank.control.get<Listed>("/pix?limit=500"));
    const { rows } = await world.gateway.owner.query<{ psp_id: string }>(sql`
      select psp_id from pix_returns where e2e_id = ${e2eId}`);
    return items.some((one) => one.e2eId === e2eId && one.returns.length > 0) && rows[0]?.psp_id;
  });
  const failed = { outcome: "fail", reason: "Conta encerrada." };
  done(await bank.control.post(`/pix/${e2eId}/returns/${pspId}/settle`, failed));
  done(await bank.control.patch("/behaviour", { returnDelayMs: 0 }));
  const found = await caseOf(world, "return_failed", ({ evidence }) => evidence.data?.e2eId === e2eId);
  assert.equal(await propose(world, found, "write_off"), "executed");
  unusual.writtenOff = found.objectId;
}

/** Takes that write-off back: the payer claims the money after all. */
async function takeBack(world: World, { writtenOff }: Unusual): Promise<void> {
  const resolve = (action: string) => world.gateway.operator.post(`/unmatched/${writtenOff}/resolve`, { action });
  done(await resolve("take_back"));
  done(await resolve("retry"));
}

/** Writes off a difference: a bank took 50 centavos, and nobody knows what for. */
async function writeOffDifference(world: World, _: Unusual, at: (hours: number) => Date): Promise<void> {
  const bank = world.banks[2]!;
  await world.move(bank, -50);
  for (const hours of [12, 12.2]) await compareBalances(world, at(hours));
  const found = await caseOf(world, "balance_drift", ({ institutionId }) => institutionId === bank.institutionId);
  assert.equal(await propose(world, found, "write_off", { amount: 0.5 }), "executed");
}

/** The first bank reports a Pix that the second one holds, and a return of it. */
async function contradict(world: World, unusual: Unusual): Promise<void> {
  const [bank, holder] = world.banks as [World["banks"][number], World["banks"][number]];
  const { rows } = await world.gateway.owner.query<{ e2e_id: string; amount: number }>(sql`
    select e2e_id, amount from received_pix where institution_id = ${holder.institutionId} and outcome = 'credited'
    order by received_at desc limit 1`);
  const { e2e_id: e2eId, amount: amountCentavos } = rows[0]!;
  unusual.contradicted.add(e2eId);
  done(await bank.control.post("/pix", { e2eId, amountCentavos }));
  await caseOf(world, "reconciliation_difference", ({ objectId }) => objectId.includes(e2eId));
  done(await bank.control.post(`/pix/${e2eId}/med-return`, { amountCentavos }));
}

/** Operators acknowledge the reports of another bank's Pix: the books stay as they are. */
export async function acknowledgeContradictions(world: World, { contradicted }: Unusual): Promise<void> {
  if (contradicted.size === 0) return;
  for (const one of await openCases(world, "reconciliation_difference")) {
    if (![...contradicted].some((e2eId) => one.objectId.includes(e2eId))) continue;
    assert.equal(await propose(world, one, "acknowledge", { reason: "The other bank holds it." }), "executed");
  }
}

/**
 * The database loses a day's sales and payouts: after operators' decisions the restored books equal the banks again.
 */
async function loseADay(world: World, unusual: Unusual): Promise<void> {
  const restore = await world.takeBackup();
  const sold = await Promise.all(
    world.shops.map(async (shop) => {
      const sale = await sell(shop, stream(1, shop.name), false);
      await payOut(shop, 1_200, []);
      return sale.e2eId;
    }),
  );
  await world.quiet();
  await restore();
  await eventually(
    "the restore to end",
    async () => {
      const { operator } = world.gateway;
      for (const one of await openCases(world, "reconciliation_difference")) {
        const { kind, state } = one.evidence.data ?? {};
        if (kind === "sent" && state === "missing_here") await propose(world, one, "adopt");
      }
      await acknowledgeContradictions(world, unusual);
      done(await operator.post("/restore/finish", { reason: "The month goes on." }));
      for (const one of await openCases(world, "installation_restored")) await approveCase(world.second, one.id);
      return (await openCases(world, "installation_restored")).length === 0;
    },
    240_000,
  );
  for (const e2eId of sold) {
    const about = await caseOf(world, "unmatched_receipt", ({ evidence }) => evidence.data?.e2eId === e2eId);
    assert.equal(await propose(world, about, "return"), "executed");
  }
}

/** The unusual events, one a day. */
export const UNUSUAL_DAYS: readonly ((world: World, unusual: Unusual, at: (hours: number) => Date) => Promise<void>)[] =
  [decideTooLate, writeOffReturn, takeBack, writeOffDifference, contradict, loseADay];
