import { texts, uuids } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { toBrl } from "../lib/money.ts";
import { EVENT_KINDS, eventIdOf } from "../webhooks/events/catalogue.ts";

/** Where a record of a person is, and what it says. `docs/personal-data.md` names every column. */
export type PersonRecord = {
  readonly kind: "account" | "charge" | "receipt" | "withdrawal" | "refund" | "balanceBlock" | "event" | "notification";
  /** Null: of the installation itself. */
  readonly accountId: string | null;
  readonly id: string;
  /** The charge or the withdrawal by which it is known to be the person's; null: it says so itself. */
  readonly about: string | null;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
};

type Row = { account_id: string; id: string; at: Date; about?: string; amount?: number; [field: string]: unknown };
/** What events report of: a charge, a withdrawal, or something about one. */
type EventObject = { readonly account_id: string; readonly id: string | null; readonly about: string | null };

/**
 * Everything that is kept about the person (or company) of a document, normalised. There is no index that finds every
 * column with a document, since every payment would pay for it: tables are read whole. A search for a payment
 * (search/find.ts) reads fewer columns.
 */
export async function findPerson(queries: Queries, houseId: string, document: string): Promise<PersonRecord[]> {
  const accounts = await queries.query<Row>(sql`
    select account_id, account_id as id, created_at as at, name, legal_name as "legalName", document, status
    from accounts where document = ${document} order by 2`);
  const receipts = await queries.query<Row>(sql`
    select account_id, e2e_id as id, paid_at as at, charge_id as about, charge_id as "chargeId", amount, outcome, payer_name as "payerName",
      payer_document as "payerDocument"
    from received_pix where payer_document = ${document} order by 3`);
  const charges = await queries.query<Row>(sql`
    select account_id, charge_id as id, created_at as at, charge_id as about, status, amount, description, external_reference as "externalReference",
      customer, metadata, paid_at as "paidAt", e2e_id as "e2eId", txid, counterpart_name as "counterpartName",
      counterpart_document as "counterpartDocument"
    from charges where customer ->> 'document' = ${document} or counterpart_document = ${document} order by 3`);
  const withdrawals = await queries.query<Row>(sql`
    select account_id, withdrawal_id as id, created_at as at, withdrawal_id as about, status, amount, pix_key as "pixKey", holder_name as "holderName",
      holder_document as "holderDocument", external_reference as "externalReference", settled_at as "settledAt",
      e2e_id as "e2eId", psp_id as "pspId", counterpart_name as "counterpartName", counterpart_document as "counterpartDocument"
    from withdrawals
    where holder_document = ${document} or counterpart_document = ${document} or pix_key = ${document} order by 3`);

  const paid: EventObject[] = [
    ...charges.rows.map(({ account_id, id }) => ({ account_id, id, about: id })),
    ...receipts.rows.map(({ account_id, about = null }) => ({ account_id, id: about, about })),
  ];
  const tenants = uuids([...new Set(paid.map((row) => row.account_id))]);
  const chargeIds = uuids([...new Set(paid.map((row) => row.id))]);
  const refunds = await queries.query<Row>(sql`
    select account_id, refund_id as id, created_at as at, charge_id as about, charge_id as "chargeId", status, amount, reason
    from refunds where account_id = any(${tenants}::uuid[]) and charge_id = any(${chargeIds}::uuid[]) order by 3`);
  const blocks = await queries.query<Row>(sql`
    select account_id, block_id as id, created_at as at, charge_id as about, charge_id as "chargeId", status, amount, reason, defence,
      resolution_reason as "resolutionReason", resolution_text as "resolutionText"
    from balance_blocks where account_id = any(${tenants}::uuid[]) and charge_id = any(${chargeIds}::uuid[]) order by 3`);
  // Events about money that went back are named by the received Pix, or by the transaction that credited it.
  const back = await queries.query<EventObject>(sql`
    select account_id, pix_id as id, charge_id as about from received_pix
    where account_id = any(${tenants}::uuid[]) and charge_id = any(${chargeIds}::uuid[])
    union all
    select account_id, movement_id, withdrawal_id from withdrawal_returns
    where account_id = any(${uuids(withdrawals.rows.map((row) => row.account_id))}::uuid[])
      and withdrawal_id = any(${uuids(withdrawals.rows.map((row) => row.id))}::uuid[])`);
  const others = [...refunds.rows, ...blocks.rows, ...withdrawals.rows].map(({ account_id, id, about }) => ({
    ...{ account_id, id, about: about! },
  }));
  const events = await findEvents(queries, [...paid, ...others, ...back.rows]);
  const notifications = await queries.query<Row>(sql`
    select account_id, inbox_id as id, received_at as at, body from inbox
    where account_id = ${houseId} and body <> '' and (position(${document} in body) > 0
      or (kind in ('charge_paid', 'return_moved')
        and subject_id = any(${texts([...receipts.rows.map((row) => row.id), ...charges.rows.map((row) => row.e2eId as string)])}::text[]))
      or (kind = 'payout_moved' and subject_id = any(${texts(withdrawals.rows.map((row) => row.pspId as string))}::text[])))
    order by 3`);

  return [
    ...toRecords("account", accounts.rows),
    ...toRecords("charge", charges.rows),
    ...toRecords("receipt", receipts.rows),
    ...toRecords("withdrawal", withdrawals.rows),
    ...toRecords("refund", refunds.rows),
    ...toRecords("balanceBlock", blocks.rows),
    ...toRecords("event", events),
    ...toRecords("notification", notifications.rows).map((record) => ({ ...record, accountId: null })),
  ];
}

/** Events about these objects: their ids are made of the objects' ids. */
async function findEvents(queries: Queries, objects: readonly EventObject[]): Promise<Row[]> {
  const byAccount = new Map<string, Map<string, string | null>>();
  for (const { account_id: account, id, about } of objects) {
    if (id === null) continue;
    const ids = byAccount.get(account) ?? new Map();
    byAccount.set(account, ids);
    for (const kind of EVENT_KINDS) ids.set(eventIdOf(kind, id), about).set(eventIdOf(kind, id, "failed"), about);
  }
  const found: Row[] = [];
  for (const [account, ids] of byAccount) {
    const { rows } = await queries.query<Row>(sql`
      select account_id, event_id as id, created_at as at, kind, body from events
      where account_id = ${account} and event_id = any(${texts([...ids.keys()])}::text[]) and erased_at is null order by 3`);
    for (const row of rows) found.push({ ...row, about: ids.get(row.id)! });
  }
  return found;
}

const toRecords = (kind: PersonRecord["kind"], rows: readonly Row[]): PersonRecord[] =>
  rows.map(({ account_id: accountId, id, at, about = null, ...rest }) => ({
    ...{ kind, accountId, id, about, at },
    data: { ...rest, ...(rest.amount === undefined ? {} : { amount: toBrl(rest.amount) }) },
  }));
