/** What became of the crowd's sales, and of the money that it took out. */
import { uuids } from "../../gateway/src/db/arrays.ts";
import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { parseTxid } from "../../gateway/src/lib/ids.ts";
import type { Client } from "../../gateway/test/harness/client.ts";
import type { PspEntry } from "./banks.ts";
import type { CrowdLog } from "./crowd.ts";

/** Splits the PSP's log into entries about the crowd's charges and payouts, and the rest. */
export function partPsp(
  psp: readonly PspEntry[],
  { tenants }: Pick<CrowdLog, "tenants">,
): { crowd: PspEntry[]; others: PspEntry[] } {
  const numbers = new Set(tenants.map(({ number }) => number));
  const isCrowds = ({ txid, id, type }: PspEntry) => {
    const about = txid ?? (type.startsWith("payout") ? id : undefined);
    return numbers.has(parseTxid(String(about ?? ""))?.accountNumber ?? Number.NaN);
  };
  const { crowd = [], others = [] } = Object.groupBy(psp, (entry) => (isCrowds(entry) ? "crowd" : "others"));
  return { crowd, others };
}

/**
 * Checks that every answered charge belongs to its tenant, exists once for each key and has the requested amount; that
 * every payment is booked once, in the account of its charge; and that each tenant has what was paid to it, to the
 * centavo.
 */
export async function judgeCrowd(
  db: Queries,
  { tenants, calls, withdrawals }: CrowdLog,
  psp: readonly PspEntry[],
  places: readonly Place[],
): Promise<string[]> {
  const findings: string[] = [];
  const accounts = uuids(tenants.map(({ accountId }) => accountId));
  const taken = await readTaken(db, accounts);
  findings.push(...judgeTaken(withdrawals, taken, places));
  const { rows } = await db.query<CrowdCharge>(sql`
    select c.account_id, c.charge_id, c.txid, c.status, c.amount, c.fee_amount, c.idempotency_key, c.e2e_id from charges c
    where c.account_id = any(${accounts}::uuid[]) and c.status <> 'rejected'`);
  const byId = new Map(rows.map((row) => [`${row.account_id}/${row.charge_id}`, row]));
  const byKey = Map.groupBy(rows, (row) => row.idempotency_key ?? "none");
  for (const { accountId, key, amount, status, body } of calls) {
    if (status !== 201) continue;
    const charge = byId.get(`${accountId}/${body?.id}`);
    if (charge?.amount !== amount || charge.idempotency_key !== key)
      findings.push(`a tenant was answered charge ${body?.id} of ${amount}, which is not in its books as that`);
  }
  for (const [key, made] of byKey) if (made.length > 1) findings.push(`key ${key} made ${made.length} charges`);
  const paid = new Map(psp.filter(({ type }) => type === "payment").map((one) => [String(one.txid), one]));
  for (const { charge_id: id, txid, status, amount, e2e_id: e2eId } of rows) {
    const payment = paid.get(txid);
    paid.delete(txid);
    if ((payment !== undefined) !== (status === "completed"))
      findings.push(`charge ${id} of the crowd is ${status}, and was ${payment ? "" : "not "}paid`);
    else if (payment && (payment.e2eId !== e2eId || payment.amountCentavos !== amount))
      findings.push(`charge ${id} of the crowd was completed by another payment than ${String(payment.e2eId)}`);
  }
  for (const txid of paid.keys()) findings.push(`${txid} of the crowd was paid, which is in no books`);
  return [...findings, ...(await judgeBalances(db, accounts, rows, taken))];
}

type CrowdCharge = {
  readonly account_id: string;
  readonly charge_id: string;
  readonly txid: string;
  readonly status: string;
  readonly amount: number;
  readonly fee_amount: number | null;
  readonly idempotency_key: string | null;
  readonly e2e_id: string | null;
};

async function judgeBalances(
  db: Queries,
  accounts: Buffer,
  charges: readonly CrowdCharge[],
  taken: readonly Taken[],
): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string; available: number; held: number }>(sql`
    select l.account_id, coalesce(sum(l.balance) filter (where l.kind = 'available'), 0)::bigint as available,
      coalesce(sum(l.balance) filter (where l.kind = 'held'), 0)::bigint as held
    from ledger_accounts l where l.account_id = any(${accounts}::uuid[]) group by l.account_id`);
  const expected = new Map<string, { available: number; held: number }>();
  const add = (id: string, available: number, held = 0) => {
    const before = expected.get(id) ?? { available: 0, held: 0 };
    expected.set(id, { available: before.available + available, held: before.held + held });
  };
  for (const { account_id: id, status, amount, fee_amount: fee } of charges)
    if (status === "completed") add(id, amount - (fee ?? 0));
  for (const { account_id: id, status, amount } of taken)
    if (status !== "failed") add(id, -amount, isOpen(status) ? amount : 0);
  const findings: string[] = [];
  for (const { account_id: id, ...is } of rows) {
    const should = expected.get(id) ?? { available: 0, held: 0 };
    expected.delete(id);
    if (is.available !== should.available || is.held !== should.held)
      findings.push(`tenant ${id} has ${JSON.stringify(is)} centavos, the logs explain ${JSON.stringify(should)}`);
  }
  for (const [id, should] of expected)
    findings.push(`tenant ${id} has no ledger, the logs explain ${JSON.stringify(should)} centavos`);
  return findings;
}

/** An institution of the crowd's money, with every payout that it was asked for. */
export type Place = {
  readonly institutionId: string;
  readonly isDead: boolean;
  readonly payouts: readonly BankPayout[];
};

/** A payout as a simulator's control API shows it; `prepared`: its second step has not been asked for. */
type BankPayout = {
  readonly idEnvio: string;
  readonly status: "EM_PROCESSAMENTO" | "REALIZADO" | "NAO_REALIZADO";
  readonly amountCentavos: number;
  readonly prepared?: true;
  readonly own?: { readonly descricao?: string };
};

export const payoutsAt = async (control: Client): Promise<readonly BankPayout[]> =>
  (await control.get<{ items: BankPayout[] }>("/payouts?limit=10000")).body.items;

/** Our id of it: a bank of two steps has it as the payout's text. */
export const ourIdOf = ({ idEnvio, own }: BankPayout): string => own?.descricao ?? idEnvio;

/** A withdrawal of the crowd in the books. Centavos. */
export type Taken = {
  readonly account_id: string;
  readonly withdrawal_id: string;
  readonly status: string;
  readonly amount: number;
  readonly net_amount: number;
  readonly returned_amount: number;
  readonly psp_id: string;
  readonly institution_id: string;
  readonly idempotency_key: string | null;
  /** What its sender waits for. */
  readonly latest: string | null;
};

const isOpen = (status: string): boolean => status === "pending" || status === "processing";

const readTaken = async (db: Queries, accounts: Buffer): Promise<Taken[]> =>
  (
    await db.query<Taken>(sql`
      select account_id, withdrawal_id, status, amount, net_amount, returned_amount, psp_id, institution_id, idempotency_key,
        latest ->> 'state' as latest
      from withdrawals where account_id = any(${accounts}::uuid[])`)
  ).rows;

/**
 * Checks that each withdrawal was paid once where it is booked as paid, and never where it is booked as failed; that no other
 * bank paid it; and that one whose end nobody knows is of a bank that has died, or was prepared without an answer as often as that
 * may be, so that a person decides.
 */
export function judgeTaken(
  calls: CrowdLog["withdrawals"],
  taken: readonly Taken[],
  places: readonly Place[],
): string[] {
  const findings: string[] = [];
  const byId = new Map(taken.map((row) => [`${row.account_id}/${row.withdrawal_id}`, row]));
  for (const { accountId, key, amount, status, body } of calls) {
    if (status !== 201) continue;
    const row = byId.get(`${accountId}/${body?.id}`);
    if (row?.amount !== amount || row.idempotency_key !== key)
      findings.push(`a tenant was answered withdrawal ${body?.id} of ${amount}, which is not in its books as that`);
  }
  const ofKey = Map.groupBy(taken, (row) => `${row.account_id} ${row.idempotency_key}`);
  for (const [key, made] of ofKey) if (made.length > 1) findings.push(`key ${key} made ${made.length} withdrawals`);
  for (const row of taken) {
    const { withdrawal_id: id, status, net_amount: amount, institution_id: at } = row;
    const its = (place: Place) => place.payouts.filter((one) => ourIdOf(one) === row.psp_id);
    const own = places.filter((place) => place.institutionId === at);
    const elsewhere = places.filter((place) => place.institutionId !== at).flatMap(its);
    if (elsewhere.length > 0) findings.push(`withdrawal ${id} of the crowd is also at another bank`);
    const asked = own.flatMap(its).filter(({ prepared }) => prepared === undefined);
    const paid = asked.filter((one) => one.status === "REALIZADO");
    const isPending = asked.some((one) => one.status === "EM_PROCESSAMENTO");
    if (asked.length > 1)
      findings.push(`the bank was asked ${asked.length} times to pay withdrawal ${id} of the crowd`);
    if (asked.some((one) => one.amountCentavos !== amount))
      findings.push(`withdrawal ${id} of the crowd was asked for with another amount than ${amount}`);
    const isDead = own.some((place) => place.isDead);
    const isUnnamed = row.latest === "no_bank_id" && asked.length === 0;
    const fits = isOpen(status)
      ? isDead || isUnnamed
      : status === "failed"
        ? paid.length === 0 && !isPending
        : paid.length === 1;
    if (!fits || row.returned_amount !== 0)
      findings.push(`withdrawal ${id} of the crowd is ${status}, and at the bank ${JSON.stringify(asked)}`);
  }
  return findings;
}

/** How many withdrawals of the crowd were paid, and how many a dead bank left open. */
export async function countTaken(
  db: Queries,
  { tenants }: CrowdLog,
  dead: readonly string[],
): Promise<Record<"crowdPaidOut" | "openAtDead" | "preparedInVain", number>> {
  const taken = await readTaken(db, uuids(tenants.map(({ accountId }) => accountId)));
  const open = taken.filter(({ status, institution_id: at }) => isOpen(status) && dead.includes(at));
  return {
    crowdPaidOut: taken.filter(({ status }) => status === "completed").length,
    openAtDead: open.length,
    preparedInVain: taken.filter(({ status, latest }) => isOpen(status) && latest === "no_bank_id").length,
  };
}
