import { uuids } from "../../gateway/src/db/arrays.ts";
import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import type { OtherBank } from "./banks.ts";
import { type Contradiction, reportedBy } from "./contradict.ts";
import { deadOf, isDead, openOrders } from "./death.ts";
import type { HouseLog } from "./house.ts";

/** What the institution reports when nothing is under way. Centavos. */
export type Bank = {
  /** Balance of the account. */
  readonly funds: number;
  /** The tariff of each Pix and payout, by end-to-end id or our id of the payout. */
  readonly tariffs: ReadonlyMap<string, number>;
};

type HouseLogs = { readonly house: HouseLog; readonly bank: Bank };

/** Facts that explain a difference or an open case. */
type Explained = {
  /** Blocks that the operator has approved although the institution has not taken the money. */
  readonly blocked: number;
  /** Receipts whose charge only the operator can know, without those that the operator left undecided on purpose. */
  readonly waiting: ReadonlySet<string>;
  readonly banks: readonly OtherBank[];
  readonly contradictions: readonly Contradiction[];
};

/** The amount of Pix without a charge that the institution returned by itself. Centavos. */
export const strangersBack = ({ strangers }: HouseLog): number => sum(strangers.map(({ returned }) => returned));

const sum = (list: Iterable<number>): number => [...list].reduce((all, one) => all + one, 0);

/** The operator's own money by its log. Centavos. */
export function ownMoney({ house, bank }: HouseLogs) {
  const of = (kind: HouseLog["entries"][number]["kind"]) =>
    sum(house.entries.filter((entry) => entry.kind === kind).map(({ amount }) => amount));
  const strangers = (fate: HouseLog["strangers"][number]["fate"]) =>
    sum(house.strangers.filter((one) => one.fate === fate).map(({ amount }) => amount));
  const own = strangers("own money");
  return {
    funds: of("top_up") + own - of("sweep"),
    costs: of("tariff") + sum(bank.tariffs.values()),
    /** What the institution got beyond payments: own Pix count as payments. */
    moved: of("top_up") - of("sweep") - of("tariff") - sum(bank.tariffs.values()),
    own,
    left: strangers("left"),
    returned: strangers("returned"),
  };
}

/**
 * Checks that every tariff is booked once, wherever it was reported; that the operator's own money is booked as it
 * moved; that the books agree with the institution's balance; and that the logs explain every open case.
 */
export async function judgeHouse(db: Queries, logs: HouseLogs, explained: Explained): Promise<string[]> {
  const { house, bank } = logs;
  const findings = await judgeTariffs(db, bank.tariffs);
  const { rows: entries } = await db.query<{ kind: string; source: string; amount: number; about: string | null }>(sql`
    select kind, source, amount, about from treasury_entries`);
  const reported = [
    ...house.entries.map(({ kind, amount }) => `${kind} ${amount}`),
    ...house.strangers.filter(({ fate }) => fate === "own money").map(({ amount }) => `top_up ${amount}`),
  ];
  const booked = entries.map(({ kind, amount }) => `${kind} ${amount}`);
  if (booked.toSorted().join() !== reported.toSorted().join()) {
    findings.push(`the operator recorded ${reported.length} entries, and ${booked.length} are booked, or others`);
  }
  const { rows } = await db.query<{ psp: number }>(sql`
    select coalesce(-sum(balance), 0)::bigint as psp from ledger_accounts
    where kind = 'psp' and owner_id <> all(${uuids(explained.banks.map((one) => one.institutionId))}::uuid[])`);
  const difference = bank.funds - rows[0]!.psp;
  const { blocked } = explained;
  if (difference !== blocked) {
    findings.push(`the institution holds ${difference} centavos more than the books say, the logs explain ${blocked}`);
  }
  return [...findings, ...(await judgeCases(db, house, difference, explained))];
}

async function judgeTariffs(db: Queries, tariffs: Bank["tariffs"]): Promise<string[]> {
  const findings: string[] = [];
  const { rows } = await db.query<{ about: string; amount: number }>(sql`select about, amount from bank_tariffs`);
  const booked = new Map<string, number>();
  for (const { about, amount } of rows) {
    if (booked.has(about)) findings.push(`the tariff of ${about} is booked twice`);
    booked.set(about, amount);
    const taken = tariffs.get(about) ?? 0;
    if (taken !== amount) findings.push(`a tariff of ${amount} for ${about} is booked, and the PSP took ${taken}`);
  }
  for (const [about, amount] of tariffs) {
    if (!booked.has(about)) findings.push(`the PSP took ${amount} for ${about}, which is not booked`);
  }
  return findings;
}

type OpenCase = {
  readonly kind: string;
  readonly object_id: string;
  readonly institution_id: string | null;
  readonly evidence: unknown;
  readonly e2e_id: string | null;
};

/** Checks the open cases: receipts that nobody decided, and a difference of the balance. */
async function judgeCases(
  db: Queries,
  house: HouseLog,
  difference: number,
  { waiting, banks, contradictions }: Explained,
): Promise<string[]> {
  const findings: string[] = [];
  const isLeft = ({ fate }: HouseLog["strangers"][number]) => fate === "left" || fate === "moved";
  const left = new Set(house.strangers.filter(isLeft).map(({ e2eId }) => e2eId));
  const { rows: open } = await db.query<OpenCase>(sql`
    select c.kind, c.object_id, c.institution_id, c.evidence, p.e2e_id from cases c
    left join received_pix p on p.account_id = c.account_id and p.pix_id::text = c.object_id
    where c.status = 'open'`);
  const orders = await openOrders(db, deadOf(banks));
  const rows = open.filter((one) => {
    if (orders.has(one.object_id)) return false;
    const bank = banks.find(({ institutionId }) => institutionId === one.institution_id);
    if (bank === undefined) return true;
    if (isDead(bank) && one.kind === "balance_drift") return false;
    const { difference: theirs } = (one.evidence as { data?: { difference?: number } }).data ?? {};
    if (one.kind === "balance_drift") return theirs !== reportedBy(contradictions, bank);
    return !contradictions.some((said) => said.bank === bank && one.object_id.endsWith(said.e2eId));
  });
  for (const { kind, object_id: id, evidence, e2e_id: e2eId } of rows) {
    if (kind === "unmatched_receipt" && e2eId !== null && (left.delete(e2eId) || waiting.has(e2eId))) continue;
    const drift = (evidence as { data?: { difference?: number } }).data?.difference;
    if (kind === "balance_drift" && drift === difference) continue;
    findings.push(`a case ${kind} of ${id} is open: ${JSON.stringify(evidence).slice(0, 400)}`);
  }
  for (const e2eId of left) findings.push(`nobody decided about receipt ${e2eId}, and it has no open case`);
  const drifts = rows.filter(({ kind }) => kind === "balance_drift").length;
  if (difference !== 0 && drifts !== 1) findings.push(`the balance differs by ${difference}, and no case says so`);
  return findings;
}
