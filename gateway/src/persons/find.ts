import { texts, uuids } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { type Fragment, part, type Sql, sql } from "../db/sql.ts";
import { toBrl } from "../lib/money.ts";
import { pause } from "../lib/pause.ts";
import { type About, type FoundRow, findAbout, type Row } from "./about.ts";

/** A record of a person: where it is, and its contents. `docs/personal-data.md` lists every column. */
export type PersonRecord = {
  readonly kind: "account" | "charge" | "receipt" | "withdrawal" | "refund" | "balanceBlock" | "event" | "notification";
  /** Null: the installation itself. */
  readonly accountId: string | null;
  readonly id: string;
  /**
   * The payment through which it is found: a charge, a withdrawal, or a receipt that paid no charge of the person.
   * Otherwise its own id.
   */
  readonly about: string;
  /**
   * The id in the institution's notifications (`inbox.subject_id`): end-to-end id of a Pix, id of a payout; null for
   * anything else.
   */
  readonly reportedAs: string | null;
  /** Other ids by which a notification may name the record: the txid of a charge, the institution's own ids of a payout. */
  readonly namedAs: readonly string[];
  /** The person's part in a charge; null where the record is no charge. */
  readonly role: Role | null;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
};

/** The expected payer, the actual payer, or both. */
type Role = "customer" | "payer" | "both";

/**
 * False for a record that only shows what happened to an erased payment and names nobody. An open one may still name
 * somebody.
 */
export function isPersonal({ kind, data }: PersonRecord): boolean {
  if (kind === "refund") return data.status === "pending" || data.reason !== null;
  return kind !== "balanceBlock" || data.resolvedAt === null || hasTexts(data);
}

/** Whether a block still has a text or a file. */
export const hasTexts = ({ reason, defence, resolutionText, files }: Readonly<Record<string, unknown>>): boolean =>
  (reason ?? defence ?? resolutionText ?? files) !== null;

/**
 * Everything that is stored about the person (or company) with a normalised document: payments with their consequences, a
 * hundred payments at a time. No index covers every column with a document, since every payment would pay for it: tables are
 * read whole. A search for a payment (search/find.ts) reads fewer columns.
 */
export async function* findPerson(
  queries: Queries,
  houseId: string,
  document: string,
): AsyncGenerator<readonly PersonRecord[]> {
  const accounts = await queries.query<Row>(sql`
    select account_id, account_id as id, created_at as at, name, legal_name as "legalName", document, status
    from accounts where document = ${document} order by 2`);
  yield accounts.rows.map((row) => toRecord("account", row));
  const reported: Reported = { pixes: [], txids: [], payouts: [] };
  yield* findCharges(queries, document, reported);
  yield* findReceipts(queries, document, reported);
  yield* findWithdrawals(queries, document, reported);
  yield* findNotifications(queries, houseId, document, reported);
}

/** The ids of the found payments in the institutions' notifications. */
type Reported = { readonly pixes: string[]; readonly txids: string[]; readonly payouts: string[] };

async function* findCharges(
  queries: Queries,
  document: string,
  { pixes, txids }: Reported,
): AsyncGenerator<PersonRecord[]> {
  const { rows: places } = await queries.query<Place>(
    sql`select account_id, charge_id as id from charges where ${namesIn(document)} order by created_at`,
  );
  const rows = rowsOf<ChargeRow>(
    queries,
    places,
    ({ accounts, ids }) => sql`
    select account_id, charge_id as id, created_at as at, status, amount, description, external_reference as "externalReference",
      customer, metadata, paid_at as "paidAt", e2e_id as "e2eId", txid, counterpart_name as "counterpartName",
      counterpart_document as "counterpartDocument", (
        select json_agg(n.body order by n.note_id) from charge_notes n
        where n.account_id = charges.account_id and n.charge_id = charges.charge_id) as notes
    from charges where account_id = any(${accounts}::uuid[]) and charge_id = any(${uuids(ids)}::uuid[]) order by 3`,
  );
  for await (const some of rows) {
    const roles = new Map(some.map((row) => [row.id, roleOf(row, document)]));
    const role = ({ id }: Row) => roles.get(id) as Role;
    for (const row of some) {
      if (row.e2eId !== null && role(row) !== "customer") pixes.push(row.e2eId);
      if (row.txid !== null && role(row) !== "payer") txids.push(row.txid);
    }
    const payments = some.map((row) => ({
      ...{ ...row, kind: "charge" as const, isCustomers: role(row) !== "payer", isFurther: false, about: row.id },
    }));
    const about = await findAbout(queries, payments);
    yield [
      ...some.map((row) =>
        toRecord("charge", row, {
          shown: (charge) => withoutOthers(charge, role(charge)),
          roleOf: role,
          reportedAsOf: ({ e2eId }) => e2eId,
          namedAsOf: ({ txid }) => (txid === null ? [] : [txid]),
        }),
      ),
      ...recordsAbout(about, (id) => roles.get(id) as Role),
    ];
  }
}

async function* findReceipts(queries: Queries, document: string, { pixes }: Reported): AsyncGenerator<PersonRecord[]> {
  const { rows: places } = await queries.query<Place>(
    sql`select account_id, e2e_id as id from received_pix where payer_document = ${document} order by paid_at`,
  );
  const rows = rowsOf<ReceiptRow>(
    queries,
    places,
    ({ accounts, ids }) => sql`
    select account_id, e2e_id as id, paid_at as at, charge_id as "chargeId", amount, outcome, payer_name as "payerName",
      payer_document as "payerDocument"
    from received_pix where account_id = any(${accounts}::uuid[]) and e2e_id = any(${texts(ids)}::text[]) order by 3`,
  );
  for await (const some of rows) {
    for (const { id } of some) pixes.push(id);
    const { rows: charges } = await queries.query<OwnCharge>(sql`
      select account_id, charge_id as id, e2e_id as "e2eId", customer, counterpart_document as "counterpartDocument" from charges
      where account_id = any(${accountsOf(some)}::uuid[]) and charge_id = any(${uuids(some.map(({ chargeId }) => chargeId))}::uuid[])
        and ${namesIn(document)}`);
    const known = new Map(charges.map((charge) => [keyOf(charge), charge]));
    const chargeOf = (row: ReceiptRow) => known.get(keyOf({ ...row, id: row.chargeId ?? "" }));
    const aboutOf = (row: ReceiptRow) => (chargeOf(row)?.e2eId === row.id ? (row.chargeId as string) : row.id);
    // The Pix that paid one of the person's charges was searched for with the charge.
    const payments = some
      .filter((row) => aboutOf(row) === row.id)
      .map((row) => {
        const charge = row.outcome === "second_payment" ? chargeOf(row) : undefined;
        const isFurther = charge !== undefined && roleOf(charge, document) !== "payer";
        return { ...row, kind: "receipt" as const, e2eId: row.id, isCustomers: false, isFurther, about: row.id };
      });
    const about = await findAbout(queries, payments);
    yield [
      ...some.map((row) => toRecord("receipt", row, { aboutOf, reportedAsOf: ({ id }) => id })),
      // Events about a second payment of another person's charge repeat that charge's texts, which are the other
      // person's.
      ...recordsAbout(about, () => "payer"),
    ];
  }
}

async function* findWithdrawals(
  queries: Queries,
  document: string,
  { payouts }: Reported,
): AsyncGenerator<PersonRecord[]> {
  const { rows: places } = await queries.query<Place>(sql`
    select account_id, withdrawal_id as id from withdrawals
    where holder_document = ${document} or counterpart_document = ${document} or pix_key = ${document} order by created_at`);
  const rows = rowsOf<Row & { pspId: string | null; pspReferences: string[] }>(
    queries,
    places,
    ({ accounts, ids }) => sql`
    select account_id, withdrawal_id as id, created_at as at, status, amount, pix_key as "pixKey", holder_name as "holderName",
      holder_document as "holderDocument", external_reference as "externalReference", settled_at as "settledAt",
      e2e_id as "e2eId", psp_id as "pspId", array(select jsonb_array_elements(psp_references) ->> 'reference') as "pspReferences",
      counterpart_name as "counterpartName", counterpart_document as "counterpartDocument"
    from withdrawals where account_id = any(${accounts}::uuid[]) and withdrawal_id = any(${uuids(ids)}::uuid[]) order by 3`,
  );
  for await (const some of rows) {
    for (const { pspId, pspReferences } of some) payouts.push(...(pspId === null ? [] : [pspId]), ...pspReferences);
    const payments = some.map((row) => ({
      ...{ ...row, kind: "withdrawal" as const, e2eId: null, isCustomers: false, isFurther: false, about: row.id },
    }));
    const about = await findAbout(queries, payments);
    yield [
      ...some.map((row) =>
        toRecord("withdrawal", row, { reportedAsOf: ({ pspId }) => pspId, namedAsOf: (one) => one.pspReferences }),
      ),
      ...recordsAbout(about, () => null),
    ];
  }
}

/**
 * Selects notifications that name a Pix by the institution's own id. They show the texts of its charge and not who paid, so
 * they are found by its txid; one of a Pix without a charge gets the end-to-end id (polls/confirm.ts).
 */
export const NAMED = part`(kind in ('charge_paid', 'return_moved') and subject_id !~ '^E[a-zA-Z0-9]{31}$')`;

/**
 * Notifications with the document, or about Pix that the person paid, charges made out to them, or payouts that they got.
 * Some institutions name a case by the end-to-end id of its Pix.
 */
async function* findNotifications(
  queries: Queries,
  houseId: string,
  document: string,
  { pixes, txids, payouts }: Reported,
): AsyncGenerator<PersonRecord[]> {
  let isTheirs = part`position(${document} in body) > 0`;
  for await (const some of inPieces(pixes, SUBJECTS))
    isTheirs = part`${isTheirs} or (kind in ('charge_paid', 'return_moved', 'case_opened') and subject_id = any(${texts(some)}::text[]))`;
  for await (const some of inPieces(txids, SUBJECTS))
    isTheirs = part`${isTheirs} or (${NAMED} and txid = any(${texts(some)}::text[]))`;
  for await (const some of inPieces(payouts, SUBJECTS))
    isTheirs = part`${isTheirs} or (kind = 'payout_moved' and subject_id = any(${texts(some)}::text[]))`;
  const { rows: places } = await queries.query<Place>(sql`
    select account_id, inbox_id as id from inbox
    where account_id = ${houseId} and body <> '' and (${isTheirs}) order by received_at`);
  const rows = rowsOf<Row>(
    queries,
    places,
    ({ accounts, ids }) => sql`
    select account_id, inbox_id as id, received_at as at, body, status from inbox
    where account_id = any(${accounts}::uuid[]) and inbox_id = any(${uuids(ids)}::uuid[]) order by 3`,
  );
  for await (const some of rows) yield some.map((row) => toRecord("notification", row, { accountIdOf: () => null }));
}

/** The consequences of payments, as records. */
const recordsAbout = (
  { refunds, blocks, events }: About,
  roleAt: (about: string) => Role | null,
): readonly PersonRecord[] => {
  const aboutOf = ({ about }: FoundRow) => about;
  return [
    ...refunds.map((row) => toRecord("refund", row, { aboutOf })),
    ...blocks.map((row) => toRecord("balanceBlock", row, { aboutOf })),
    ...events.map((row) =>
      toRecord("event", row, {
        aboutOf,
        shown: (event) => ({ ...event, body: eventWithoutOthers(event.body as string, roleAt(row.about)) }),
      }),
    ),
  ];
};

/** The key of a row. A person who pays every day has 100,000: all keys are held in memory, and the rows a piece at a time. */
type Place = { readonly account_id: string; readonly id: string };
const keyOf = ({ account_id: account, id }: Place): string => `${account} ${id}`;
const accountsOf = (places: readonly Place[]): Buffer => uuids([...new Set(places.map((place) => place.account_id))]);

/** Selects the charges that the person was expected to pay, or paid. */
const namesIn = (document: string): Fragment =>
  part`(customer ->> 'document' = ${document} or counterpart_document = ${document})`;

/** Payments that are read at once: each may have forty events, whose ids are digests. */
const PAYMENTS = 100;
/** Ids in one array: encoding 200,000 at once blocks the thread for a tenth of a second. */
const SUBJECTS = 10_000;

/** Reads the rows with these keys, a piece at a time. */
async function* rowsOf<T extends Row>(
  queries: Queries,
  places: readonly Place[],
  read: (some: { readonly accounts: Buffer; readonly ids: readonly string[] }) => Sql,
): AsyncGenerator<readonly T[]> {
  for await (const some of inPieces(places, PAYMENTS)) {
    const { rows } = await queries.query<T>(read({ accounts: accountsOf(some), ids: some.map(({ id }) => id) }));
    // Two accounts may have the same end-to-end id.
    const wanted = new Set(some.map(keyOf));
    yield rows.filter((row) => wanted.has(keyOf(row)));
  }
}

/** The longest rest, milliseconds: waiting for the database used no CPU, and its snapshot waits during the rest. */
const LONGEST_REST = 50;

/**
 * Yields some rows at a time, and rests after each piece for as long as its work took: other calls get half of the thread.
 */
async function* inPieces<T>(rows: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < rows.length; from += size) {
    const began = performance.now();
    yield rows.slice(from, from + size);
    if (from + size < rows.length) await pause(Math.min(performance.now() - began, LONGEST_REST));
  }
}

type OwnCharge = Pick<ChargeRow, "account_id" | "id" | "e2eId" | "customer" | "counterpartDocument">;
type ReceiptRow = Row & { readonly chargeId: string | null; readonly outcome: string };

type ChargeRow = Row & {
  readonly e2eId: string | null;
  readonly txid: string | null;
  readonly customer: { readonly document?: string } | null;
  readonly counterpartDocument: string | null;
};

/** A customer without a document, and a payer whom the institution named without one, count as the person. */
function roleOf(
  { customer, counterpartDocument }: Pick<ChargeRow, "customer" | "counterpartDocument">,
  document: string,
): Role {
  const isPayer = [null, document].includes(counterpartDocument);
  const isCustomer = customer === null || ["", document].includes(customer.document ?? "");
  if (isCustomer && isPayer) return "both";
  return isCustomer ? "customer" : "payer";
}

/** A charge without its data about somebody else. */
const withoutOthers = (charge: Row, role: Role): Row => ({
  ...charge,
  ...(role === "payer" ? { customer: null, description: null, metadata: null, notes: null } : {}),
  ...(role === "customer" ? { counterpartName: null, counterpartDocument: null } : {}),
});

/** The body of an event without its data about somebody else. */
function eventWithoutOthers(body: string, role: Role | null): string {
  if (role === null || role === "both") return body;
  const event = JSON.parse(body) as { data: Record<string, unknown> };
  const others = role === "payer" ? ["metadata"] : ["counterpartName", "counterpartDocument"];
  const data = Object.fromEntries(Object.entries(event.data).filter(([field]) => !others.includes(field)));
  return JSON.stringify({ ...event, data });
}

/** How a row becomes a record: by default it concerns itself and shows all of its columns. */
type How<T extends Row> = {
  readonly aboutOf?: (row: T) => string;
  readonly reportedAsOf?: (row: T) => string | null;
  readonly namedAsOf?: (row: T) => readonly string[];
  readonly roleOf?: (row: T) => Role;
  readonly accountIdOf?: (row: T) => string | null;
  readonly shown?: (row: T) => Row;
};

function toRecord<T extends Row>(kind: PersonRecord["kind"], row: T, how: How<T> = {}): PersonRecord {
  const {
    aboutOf = ({ id }) => id,
    reportedAsOf = () => null,
    accountIdOf = (r) => r.account_id,
    shown = (r) => r,
  } = how;
  const { account_id: _, id, at, about: __, ...rest }: Row = shown(row);
  const data = { ...rest, ...(rest.amount === undefined ? {} : { amount: toBrl(rest.amount) }) };
  const base = { accountId: accountIdOf(row), about: aboutOf(row), reportedAs: reportedAsOf(row) };
  return { kind, ...base, namedAs: how.namedAsOf?.(row) ?? [], id, role: how.roleOf?.(row) ?? null, at, data };
}
