/**
 * A bank dies for good under load. The operator lets its accounts use the first one; what is under way at the dead bank stays
 * open, with its money held, because nobody knows its end.
 */
import { uuids } from "../../gateway/src/db/arrays.ts";
import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { pause } from "../../gateway/test/harness/eventually.ts";
import { fundsOf, type OtherBank, type PspEntry, useOnly } from "./banks.ts";
import { type Contradiction, reportedBy } from "./contradict.ts";
import type { CrowdLog } from "./crowd.ts";
import { createDesk, type Scene } from "./desk.ts";
import { ourIdOf, payoutsAt } from "./judge-crowd.ts";

/** A Pix that was paid longer than this before the death has been polled: its faults and kills delay it. Milliseconds. */
const SEEN_WITHIN = 300_000;

export const isDead = (bank: OtherBank): boolean => bank.diedAt() !== null;
export const deadOf = (banks: readonly OtherBank[]): readonly string[] =>
  banks.filter(isDead).map(({ institutionId }) => institutionId);

/** At its end a bank takes this long for a payout, and is waited for until it has one under way, milliseconds. */
const [SLOW, PATIENCE] = [30_000, 60_000];

/** Kills a bank that has a payout under way, which it makes all the same, and moves its accounts to the first bank. */
export async function loseBank(scene: Scene, bank: OtherBank, { tenants }: CrowdLog): Promise<void> {
  await bank.control.patch("/behaviour", { payoutDelayMs: SLOW });
  const until = performance.now() + PATIENCE;
  const isPaying = async () => (await payoutsAt(bank.control)).some((one) => one.status === "EM_PROCESSAMENTO");
  while (!scene.over() && performance.now() < until && !(await isPaying())) await pause(300);
  await bank.die();
  const desk = createDesk(scene, "mourning", "operator");
  const { body } = await desk.insist<{ items: { id: string; provider: string }[] }>((client) =>
    client.get("/institutions"),
  );
  const first = body.items.find(({ provider }) => provider === "simulator")!;
  const all = body.items.map(({ id: institutionId }) => ({ institutionId }));
  const its = tenants.filter((tenant) => tenant.bank === bank);
  for (const { accountId } of its) await useOnly(desk, accountId, first.id, all);
}

/** What a dead bank had done that nobody could learn any more. Centavos. */
type Unseen = { readonly e2eIds: ReadonlySet<string>; readonly findings: readonly string[] };

/**
 * Compares the books with a bank that has died: what is booked there has happened, and only what happened shortly before its
 * death is not booked.
 */
export async function judgeDead(
  db: Queries,
  bank: OtherBank,
  contradictions: readonly Contradiction[],
  log: readonly PspEntry[],
): Promise<Unseen> {
  const { name, institutionId, control } = bank;
  const findings: string[] = [];
  const spoken = new Set(contradictions.filter((one) => one.bank === bank).map(({ e2eId }) => e2eId));
  const payments = log.filter(({ type, e2eId }) => type === "payment" && !spoken.has(String(e2eId)));
  const { rows: booked } = await db.query<{ e2e_id: string }>(sql`
    select e2e_id from received_pix where institution_id = ${institutionId}`);
  const known = new Set(booked.map((row) => row.e2e_id));
  const unseen = payments.filter(({ e2eId }) => !known.has(String(e2eId)));
  for (const { e2eId, at } of unseen)
    if (Date.parse(String(at)) < bank.diedAt()! - SEEN_WITHIN)
      findings.push(`${String(e2eId)} was paid at ${name} long before it died, and is not booked`);
  const { rows: open } = await db.query<{ psp_id: string; status: string }>(sql`
    select psp_id, status from withdrawals where institution_id = ${institutionId}`);
  const completed = new Set(open.filter(({ status }) => status === "completed").map((row) => row.psp_id));
  const unbooked = (await payoutsAt(control)).filter(
    (one) => one.prepared === undefined && one.status !== "NAO_REALIZADO" && !completed.has(ourIdOf(one)),
  );
  const { rows } = await db.query<{ psp: number }>(sql`
    select coalesce(-sum(balance), 0)::bigint as psp from ledger_accounts
    where kind = 'psp' and owner_id = ${institutionId}`);
  const sum = (list: readonly unknown[]) => list.reduce<number>((all, amount) => all + Number(amount), 0);
  const should =
    sum(unseen.map(({ amountCentavos }) => amountCentavos)) -
    sum(unbooked.map(({ amountCentavos }) => amountCentavos)) +
    reportedBy(contradictions, bank);
  const difference = (await fundsOf(control)) - Number(rows[0]!.psp);
  if (difference !== should)
    findings.push(
      `${name}, which died, held ${difference} centavos more than the books say, the logs explain ${should}`,
    );
  return { e2eIds: new Set(unseen.map(({ e2eId }) => String(e2eId))), findings };
}

/** Withdrawals that stay open with their cases: those of a dead bank, and those whose preparations nobody answered. */
export async function openOrders(db: Queries, dead: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ id: string }>(sql`
    select withdrawal_id::text as id from withdrawals
    where transaction_status = 'pending'
      and (institution_id = any(${uuids(dead)}::uuid[]) or latest ->> 'state' = 'no_bank_id')`);
  return new Set(rows.map(({ id }) => id));
}
