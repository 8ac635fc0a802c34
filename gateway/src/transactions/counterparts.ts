import { uuids } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { prepared, sql } from "../db/sql.ts";
import { ERASED } from "../lib/erased.ts";
import { isPaidToOther } from "../lib/other-name.ts";
import type { TransactionRow } from "./present.ts";

/** Types whose money goes back to the payer of the original payment. */
const PAID_BACK: ReadonlySet<TransactionRow["type"]> = new Set<TransactionRow["type"]>(["refund", "chargeback"]);
/** Types that are about a payment, and have no reference of their own. A fee of a payment is no transaction: this is a refund's. */
const OF_PAYMENT: ReadonlySet<TransactionRow["type"]> = new Set<TransactionRow["type"]>([...PAID_BACK, "fee"]);

/**
 * Names whom refunds and chargebacks go back to, the reference of the payment that they and their fees are about, the wallets at
 * the other end of transfers, and who is to pay or to receive. The view leaves these out, since its branches are single tables; they are read by key, for the rows of a
 * page that have any.
 */
export async function nameCounterparts(
  queries: Queries,
  accountId: string,
  rows: readonly TransactionRow[],
): Promise<readonly TransactionRow[]> {
  const [payments, wallets, expected] = await Promise.all([
    readPayments(queries, accountId, rows),
    readWallets(queries, accountId, rows),
    readExpected(queries, accountId, rows),
  ]);
  if (payments.size === 0 && wallets.size === 0 && expected.size === 0) return rows;
  return rows.map((row) => {
    const { name: expectedName = null, isOther = null, isExpected = null } = expected.get(row.transactionId) ?? {};
    const isNamed = row.type === "withdrawal" && expectedName !== null && row.counterpartName !== null;
    const of = OF_PAYMENT.has(row.type) ? payments.get(row.originalId) : undefined;
    return {
      ...row,
      counterpartName: row.counterpartName ?? (PAID_BACK.has(row.type) ? (of?.name ?? null) : null),
      originalExternalReference: of?.reference ?? null,
      counterpartSubAccount: wallets.get(row.transactionId) ?? null,
      expectedName,
      paidToOther: isNamed ? (isOther ?? isPaidToOther(expectedName, row.counterpartName)) : null,
      receiverExpected: isExpected,
    };
  });
}

type Payment = Readonly<Record<"name" | "reference", string | null>>;

/** The original payments, by their ids. */
async function readPayments(
  queries: Queries,
  accountId: string,
  rows: readonly TransactionRow[],
): Promise<ReadonlyMap<string | null, Payment>> {
  const ids = rows.flatMap(({ type, originalId }) => (OF_PAYMENT.has(type) && originalId !== null ? originalId : []));
  if (ids.length === 0) return new Map();
  const found = await queries.query<Payment & { readonly id: string }>(
    prepared(sql`
    select charge_id as id, counterpart_name as name, external_reference as reference from charges
    where account_id = ${accountId} and charge_id = any(${uuids(ids)}::uuid[])`),
  );
  return new Map(found.rows.map(({ id, ...payment }) => [id, payment]));
}

/** `isOther`: whether a bank has paid another name; null: not judged. `isExpected`: what the account says of that receiver; null: nothing. */
type Expected = Readonly<{ name: string } & Record<"isOther" | "isExpected", boolean | null>>;

/** Who is to pay the charges that nobody has paid, and to receive the withdrawals, by their ids. What was erased, or a restore had lost, has no name. */
async function readExpected(
  queries: Queries,
  accountId: string,
  rows: readonly TransactionRow[],
): Promise<ReadonlyMap<string, Expected>> {
  const idsOf = (isOne: (row: TransactionRow) => boolean) => rows.filter(isOne).map((row) => row.transactionId);
  const charges = idsOf(({ type, counterpartName }) => type === "payment" && counterpartName === null);
  const withdrawals = idsOf(({ type }) => type === "withdrawal");
  if (charges.length + withdrawals.length === 0) return new Map();
  const found = await queries.query<Expected & { readonly id: string }>(
    prepared(sql`
    select charge_id as id, customer ->> 'name' as name, null::boolean as "isOther", null::boolean as "isExpected"
    from charges
    where account_id = ${accountId} and charge_id = any(${uuids(charges)}::uuid[]) and customer ->> 'name' is not null
    union all
    select withdrawal_id, holder_name, paid_to_other, (receiver_check ->> 'expected')::boolean from withdrawals
    where account_id = ${accountId} and withdrawal_id = any(${uuids(withdrawals)}::uuid[]) and holder_name <> ${ERASED}
      and not adopted`),
  );
  return new Map(found.rows.map(({ id, ...one }) => [id, one]));
}

type Transfer = Readonly<Record<"sentId" | "receivedId" | "from" | "to", string>>;

/** The references of the wallets at the other end, by the transaction. The cause of a transfer is itself, of a split's leg its charge. */
async function readWallets(
  queries: Queries,
  accountId: string,
  rows: readonly TransactionRow[],
): Promise<ReadonlyMap<string, string>> {
  const causes = rows.flatMap(({ type, transferId, originalId }) =>
    type === "internal_transfer" ? (transferId ?? originalId ?? []) : [],
  );
  if (causes.length === 0) return new Map();
  const found = await queries.query<Transfer>(
    prepared(sql`
    select m.movement_id as "sentId", m.counterpart_movement_id as "receivedId", s.reference as "from", r.reference as "to"
    from movements m
    join wallets s on s.account_id = ${accountId} and s.wallet_id = m.wallet_id
    join wallets r on r.account_id = ${accountId} and r.wallet_id = m.counterpart_wallet_id
    where m.account_id = ${accountId} and m.cause_id = any(${uuids(causes)}::uuid[]) and m.type = 'internal_transfer'`),
  );
  return new Map(
    found.rows.flatMap(({ sentId, receivedId, from, to }): readonly (readonly [string, string])[] => [
      [sentId, to],
      [receivedId, from],
    ]),
  );
}
