import { texts } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { toBrl } from "../lib/money.ts";
import { findAbout, type Row } from "./about.ts";

/** Where a record of a person is, and what it says. `docs/personal-data.md` names every column. */
export type PersonRecord = {
  readonly kind: "account" | "charge" | "receipt" | "withdrawal" | "refund" | "balanceBlock" | "event" | "notification";
  /** Null: of the installation itself. */
  readonly accountId: string | null;
  readonly id: string;
  /** The payment by which it is found: a charge, a withdrawal, or a receipt that paid no charge of the person. Otherwise its own id. */
  readonly about: string;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
};

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
    select account_id, e2e_id as id, paid_at as at, charge_id as "chargeId", amount, outcome, payer_name as "payerName",
      payer_document as "payerDocument"
    from received_pix where payer_document = ${document} order by 3`);
  const charges = await queries.query<ChargeRow>(sql`
    select account_id, charge_id as id, created_at as at, status, amount, description, external_reference as "externalReference",
      customer, metadata, paid_at as "paidAt", e2e_id as "e2eId", txid, counterpart_name as "counterpartName",
      counterpart_document as "counterpartDocument"
    from charges where customer ->> 'document' = ${document} or counterpart_document = ${document} order by 3`);
  const withdrawals = await queries.query<Row & { pspId: string | null }>(sql`
    select account_id, withdrawal_id as id, created_at as at, status, amount, pix_key as "pixKey", holder_name as "holderName",
      holder_document as "holderDocument", external_reference as "externalReference", settled_at as "settledAt",
      e2e_id as "e2eId", psp_id as "pspId", counterpart_name as "counterpartName", counterpart_document as "counterpartDocument"
    from withdrawals
    where holder_document = ${document} or counterpart_document = ${document} or pix_key = ${document} order by 3`);

  const paidBy = new Map(charges.rows.map(({ account_id, e2eId, id }) => [`${account_id} ${e2eId}`, id]));
  const aboutOf = ({ account_id, id }: Row) => paidBy.get(`${account_id} ${id}`) ?? id;
  const { refunds, blocks, events } = await findAbout(queries, [
    ...charges.rows.map(({ account_id, id, e2eId }) => ({ account_id, kind: "charge" as const, id, e2eId, about: id })),
    ...receipts.rows.map((row) => ({ ...row, kind: "receipt" as const, e2eId: row.id, about: aboutOf(row) })),
    ...withdrawals.rows.map((row) => ({ ...row, kind: "withdrawal" as const, e2eId: null, about: row.id })),
  ]);
  const pixes = [...receipts.rows.map(({ id }) => id), ...charges.rows.flatMap(({ e2eId }) => e2eId ?? [])];
  const payouts = withdrawals.rows.flatMap(({ pspId }) => pspId ?? []);
  const notifications = await queries.query<Row>(sql`
    select account_id, inbox_id as id, received_at as at, body, status from inbox
    where account_id = ${houseId} and body <> '' and (position(${document} in body) > 0
      or (kind in ('charge_paid', 'return_moved') and subject_id = any(${texts(pixes)}::text[]))
      or (kind = 'payout_moved' and subject_id = any(${texts(payouts)}::text[])))
    order by 3`);

  return [
    ...toRecords("account", accounts.rows),
    ...toRecords(
      "charge",
      charges.rows.map((row) => without(row, document)),
    ),
    ...toRecords("receipt", receipts.rows, aboutOf),
    ...toRecords("withdrawal", withdrawals.rows),
    ...toRecords("refund", refunds, ({ about }) => about),
    ...toRecords("balanceBlock", blocks, ({ about }) => about),
    ...toRecords("event", events, ({ about }) => about),
    ...toRecords("notification", notifications.rows).map((record) => ({ ...record, accountId: null })),
  ];
}

type ChargeRow = Row & {
  readonly e2eId: string | null;
  readonly customer: { readonly document?: string } | null;
  readonly counterpartDocument: string | null;
};

/** A charge without what it says of somebody else: who was expected to pay, or who did. One without a document is the person. */
function without(charge: ChargeRow, document: string): Row {
  const { customer, counterpartDocument } = charge;
  const isCustomer = customer === null || ["", document].includes(customer.document ?? "");
  const isPayer = [null, document].includes(counterpartDocument);
  return {
    ...charge,
    ...(isCustomer ? {} : { customer: null, description: null, metadata: null }),
    ...(isPayer ? {} : { counterpartName: null, counterpartDocument: null }),
  };
}

const toRecords = <T extends Row>(
  kind: PersonRecord["kind"],
  rows: readonly T[],
  aboutOf: (row: T) => string = ({ id }) => id,
): PersonRecord[] =>
  rows.map((row) => {
    const { account_id: accountId, id, at, about: _, ...rest }: Row = row;
    const data = { ...rest, ...(rest.amount === undefined ? {} : { amount: toBrl(rest.amount) }) };
    return { kind, accountId, id, about: aboutOf(row), at, data };
  });
