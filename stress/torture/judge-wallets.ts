import type { Queries } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import type { MerchantCall } from "./merchant-call.ts";
import type { OperatorLog } from "./operator.ts";
import type { TransferCall } from "./transfers.ts";

type Completed = { readonly charge_id: string; readonly amount: number; readonly fee_amount: number | null };

type WalletLogs = {
  readonly accountId: string;
  readonly merchant: readonly MerchantCall[];
  readonly transfers: readonly TransferCall[];
  readonly operator: OperatorLog;
};

/** The amount that approved blocks of the operator have taken, centavos. */
export const approvedBlocks = ({ blocks }: OperatorLog): number =>
  blocks.reduce((sum, block) => sum + (block.ended === "approved" ? block.amount : 0), 0);

/**
 * Checks that every sub-account holds, to the centavo, the sum of its splits, transfers and blocks, by the answers that
 * senders and operator got, and by the splits as they were requested.
 */
export async function judgeWallets(db: Queries, logs: WalletLogs, completed: readonly Completed[]): Promise<string[]> {
  const findings: string[] = [];
  const expected = new Map<string, number>();
  const add = (wallet: string, amount: number) => expected.set(wallet, (expected.get(wallet) ?? 0) + amount);

  const asked = new Map<string, MerchantCall["split"]>();
  for (const { status, body, split } of logs.merchant) if (status === 201) asked.set(body?.id ?? "none", split);
  for (const { charge_id: id, amount, fee_amount: fee } of completed) {
    let left = amount - (fee ?? 0);
    for (const leg of asked.get(id) ?? []) {
      const got = Math.min(leg.amount, left);
      left -= got;
      add(leg.subAccount, got);
    }
  }
  findings.push(...(await judgeTransfers(db, logs)));
  const done = new Map<string, TransferCall>();
  for (const call of logs.transfers) if (call.status === 201) done.set(call.key, call);
  for (const { from, to, amount } of done.values()) {
    add(from, -amount);
    add(to, amount);
  }
  for (const { wallet, amount, ended } of logs.operator.blocks) if (ended === "approved") add(wallet, -amount);

  const { rows } = await db.query<{ reference: string; balance: number; held: number }>(sql`
    select w.reference, coalesce(sum(l.balance) filter (where l.kind = 'available'), 0)::bigint as balance,
      coalesce(sum(l.balance) filter (where l.kind = 'held'), 0)::bigint as held
    from wallets w left join ledger_accounts l on l.account_id = w.account_id and l.owner_id = w.wallet_id
    where w.account_id = ${logs.accountId} and w.wallet_id <> w.account_id group by w.reference`);
  for (const { reference, balance, held } of rows) {
    const should = expected.get(reference) ?? 0;
    if (balance !== should) findings.push(`wallet ${reference} has ${balance} centavos, the logs explain ${should}`);
    if (held !== 0) findings.push(`wallet ${reference} holds ${held} centavos for nothing`);
  }
  return findings;
}

/** Checks that each accepted key made one transfer, each refused key none, and that no other transfer exists. */
async function judgeTransfers(db: Queries, { accountId, transfers }: WalletLogs): Promise<string[]> {
  const findings: string[] = [];
  const { rows } = await db.query<{ source_id: string; amount: number; key: string | null }>(sql`
    select t.source_id, t.amount, m.idempotency_key as key
    from ledger_transfers t
    left join movements m on m.account_id = t.account_id and m.cause_id = t.source_id and m.movement_id = t.source_id
    where t.account_id = ${accountId} and t.kind = 'transfer'`);
  const byId = new Map(rows.map((row) => [row.source_id, row]));
  const reported = new Map<string, string>();
  const refused = new Set<string>();
  for (const { key, amount, status, body } of transfers) {
    if (status !== null && status >= 400 && status < 500 && body?.details?.code === "INSUFFICIENT_BALANCE")
      refused.add(key);
    if (status !== 201) continue;
    const id = body?.id ?? "none";
    const row = byId.get(id);
    if (!row) findings.push(`the merchant was answered transfer ${id}, which is not in the books`);
    else if (row.amount !== amount || row.key !== key) findings.push(`transfer ${id} is not what was asked for`);
    const before = reported.get(key);
    if (before !== undefined && before !== id) findings.push(`key ${key} was answered with two transfers`);
    reported.set(key, id);
  }
  const answered = new Set(reported.values());
  for (const { source_id: id, key } of rows) {
    if (!answered.has(id)) findings.push(`transfer ${id} is in the books, and nobody was answered it`);
    if (key !== null && refused.has(key)) findings.push(`key ${key} was refused, and made a transfer`);
  }
  return findings;
}

/** The amount and the fee of an operation. Centavos. */
type Taken = { readonly fee: number; readonly amount: number };

/**
 * Checks that every block exists once and ended as the operator was answered, that each fee is one that was set, and
 * that each change is in the audit log.
 */
export async function judgeOperator(
  db: Queries,
  { accountId, operator }: WalletLogs,
  taken: Readonly<Record<"charge" | "withdrawal" | "refund", readonly Taken[]>>,
): Promise<string[]> {
  const findings: string[] = [];
  const { rows } = await db.query<{ block_id: string; reason: string | null; status: string; amount: number }>(sql`
    select block_id, reason, status, amount from balance_blocks
    where account_id = ${accountId} and case_id is null and psp_return_id is null`);
  const byKey = Map.groupBy(rows, ({ reason }) => reason ?? "none");
  for (const { key, id, amount, ended } of operator.blocks) {
    const made = byKey.get(key) ?? [];
    byKey.delete(key);
    const [one] = made;
    if (made.length !== 1 || one!.block_id !== id)
      findings.push(`key ${key} made ${made.length} blocks, and was answered ${id}`);
    else if (one!.status !== ended || one!.amount !== amount)
      findings.push(`block ${id} of ${amount} was answered ${ended}, and is ${one!.status} with ${one!.amount}`);
  }
  for (const key of byKey.keys()) findings.push(`a block ${key} is in the books, and nobody asked for it`);
  findings.push(...(await judgeBlocksByReturns(db, accountId)));
  for (const kind of ["charge", "withdrawal", "refund"] as const) {
    const set = operator.fees[kind];
    // A fee never exceeds its amount: of a small partial refund it is the whole amount.
    const isSet = ({ fee, amount }: Taken) => set.includes(fee) || (fee === amount && set.some((one) => one > amount));
    for (const one of taken[kind])
      if (!isSet(one)) findings.push(`a ${kind} of ${one.amount} paid a fee of ${one.fee}, which was never set`);
  }
  const audited = await db.query<{ n: number }>(sql`
    select count(*) as n from audit_log where account_id = ${accountId} and action = 'account.update'`);
  const changes = operator.answeredChanges.length;
  if (Number(audited.rows[0]!.n) < changes) {
    findings.push(`${changes} changes of fees were answered, and ${audited.rows[0]!.n} are in the audit log`);
  }
  return findings;
}

/** Checks blocks that a return by the institution opened without any listed case: they must equal that return. */
async function judgeBlocksByReturns(db: Queries, accountId: string): Promise<string[]> {
  const { rows } = await db.query<{ block_id: string }>(sql`
    select block_id from balance_blocks b
    where account_id = ${accountId} and case_id is null and psp_return_id is not null and not (
      status = 'approved' and held_amount = 0 and taken_amount = amount and amount = (
        select sum(p.amount) from psp_returns p
        where p.account_id = b.account_id and p.block_id = b.block_id and p.psp_return_id = b.psp_return_id))`);
  return rows.map(({ block_id: id }) => `block ${id} of a return without a case is not what was returned`);
}
