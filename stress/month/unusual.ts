/**
 * Days on which more than trade happens: decisions that come late, a bank that speaks of another one's Pix, money that is written off
 * and taken back, and a database that is lost. Each of them closes to the centavo like any other.
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

/** What the unusual days remember of one another. */
export type Unusual = {
  /** Pix that a bank which does not hold them has spoken of. */
  readonly contradicted: Set<string>;
  writtenOff: string | null;
};

export const startUnusual = (): Unusual => ({ contradicted: new Set(), writtenOff: null });

const openCases = async ({ gateway }: World, kind: string): Promise<readonly Case[]> =>
  done(await gateway.operator.get<{ items: Case[] }>(`/cases?status=open&kind=${kind}&limit=100`)).items;

const caseOf = (world: World, kind: string, is: (one: Case) => boolean): Promise<Case> =>
  eventually(`a case ${kind}`, async () => (await openCases(world, kind)).find(is), 120_000);

/** @returns the proposal's status; one human is enough for it. */
async function propose({ gateway }: World, { id }: Case, action: string, parameters: object = {}) {
  const reply = await gateway.operator.post<Case>(`/cases/${id}/propose`, { action, parameters });
  return done(reply).proposal!.status;
}

/** A Pix without a charge, whose case is open. */
async function receive(world: World, bank: World["banks"][number], amountCentavos: number) {
  const { e2eId } = done(await bank.control.post<{ e2eId: string }>("/pix", { amountCentavos }));
  return { e2eId, about: await caseOf(world, "unmatched_receipt", ({ evidence }) => evidence.data?.e2eId === e2eId) };
}

/** A receipt is the operator's own money, says one; its bank has returned a part of it before another agrees. */
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

/** A receipt cannot go back: it is the operator's gain. */
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

/** Its payer claims it after all, from another account. */
async function takeBack(world: World, { writtenOff }: Unusual): Promise<void> {
  const resolve = (action: string) => world.gateway.operator.post(`/unmatched/${writtenOff}/resolve`, { action });
  done(await resolve("take_back"));
  done(await resolve("retry"));
}

/** A bank takes 50 centavos, and nobody can say what for. */
async function writeOffDifference(world: World, _: Unusual, at: (hours: number) => Date): Promise<void> {
  const bank = world.banks[2]!;
  await world.move(bank, -50);
  for (const hours of [12, 12.2]) await compareBalances(world, at(hours));
  const found = await caseOf(world, "balance_drift", ({ institutionId }) => institutionId === bank.institutionId);
  assert.equal(await propose(world, found, "write_off", { amount: 0.5 }), "executed");
}

/** The first bank speaks of a Pix that the second one holds, and gives it back. */
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

/** What a bank says of another one's Pix stays unbooked: operators leave the books as they are. */
export async function acknowledgeContradictions(world: World, { contradicted }: Unusual): Promise<void> {
  if (contradicted.size === 0) return;
  for (const one of await openCases(world, "reconciliation_difference")) {
    if (![...contradicted].some((e2eId) => one.objectId.includes(e2eId))) continue;
    assert.equal(await propose(world, one, "acknowledge", { reason: "The other bank holds it." }), "executed");
  }
}

/** A day whose sales and payouts the database loses: the restored books end equal to the banks by decisions alone. */
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

/** What happens, a day each. */
export const UNUSUAL_DAYS: readonly ((world: World, unusual: Unusual, at: (hours: number) => Date) => Promise<void>)[] =
  [decideTooLate, writeOffReturn, takeBack, writeOffDifference, contradict, loseADay];
