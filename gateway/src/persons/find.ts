import { texts } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { toBrl } from "../lib/money.ts";
import { pause } from "../lib/pause.ts";
import { type About, type FoundRow, findAbout, type Payment, type Row } from "./about.ts";

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
  /** The person's part in a charge; null where the record is no charge. */
  readonly role: Role | null;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
};

/** The expected payer, the actual payer, or both. */
type Role = "customer" | "payer" | "both";

/** False for records that only show what happened to an erased payment: they name nobody. Open ones still may. */
export function isPersonal({ kind, data }: PersonRecord): boolean {
  if (kind === "refund") return data.status === "pending" || data.reason !== null;
  return kind !== "balanceBlock" || data.resolvedAt === null || hasTexts(data);
}

/** Whether a block still has a text. */
export const hasTexts = ({ reason, defence, resolutionText }: Readonly<Record<string, unknown>>): boolean =>
  (reason ?? defence ?? resolutionText) !== null;

/**
 * Everything that is stored about the person (or company) with a normalised document. No index covers every column with a
 * document, since every payment would pay for it: tables are read whole. A search for a payment (search/find.ts) reads
 * fewer columns.
 */
export async function findPerson(queries: Queries, houseId: string, document: string): Promise<PersonRecord[]> {
  const accounts = await queries.query<Row>(sql`
    select account_id, account_id as id, created_at as at, name, legal_name as "legalName", document, status
    from accounts where document = ${document} order by 2`);
  const { receipts, charges: found, withdrawals } = await findPayments(queries, document);
  const charges: OwnCharge[] = [];
  const [paidBy, roles] = [new Map<string, string>(), new Map<string, Role>()];
  for await (const some of inPieces(found))
    for (const row of some) {
      const role = roleOf(row, document);
      charges.push(Object.assign(row, { role }));
      paidBy.set(`${row.account_id} ${row.e2eId}`, row.id);
      roles.set(row.id, role);
    }
  const aboutOf = ({ account_id, id }: Row) => paidBy.get(`${account_id} ${id}`) ?? id;
  const { refunds, blocks, events } = await findAboutAll(queries, { charges, receipts, withdrawals, aboutOf });
  const notifications = await findNotifications(queries, houseId, document, {
    pixes: [
      ...receipts.map(({ id }) => id),
      ...charges.flatMap(({ e2eId, role }) => (role === "customer" ? [] : (e2eId ?? []))),
    ],
    payouts: withdrawals.flatMap(({ pspId }) => pspId ?? []),
  });

  const sent = new Set(withdrawals.map(({ id }) => id));
  // In events about a second payment of somebody else's charge, the charge's texts belong to somebody else too.
  const roleAt = (about: string) => roles.get(about) ?? (sent.has(about) ? null : "payer");
  const records: PersonRecord[] = [];
  const add = async <T extends Row>(kind: PersonRecord["kind"], rows: readonly T[], how: How<T> = {}) => {
    for await (const some of inPieces(rows)) for (const row of some) records.push(toRecord(kind, row, how));
  };
  const about = ({ about }: FoundRow) => about;
  await add("account", accounts.rows);
  await add("charge", charges, {
    shown: ({ role, ...row }) => withoutOthers(row, role),
    roleOf: ({ role }) => role,
    reportedAsOf: ({ e2eId }) => e2eId,
  });
  await add("receipt", receipts, { aboutOf, reportedAsOf: ({ id }) => id });
  await add("withdrawal", withdrawals, { reportedAsOf: ({ pspId }) => pspId });
  await add("refund", refunds, { aboutOf: about });
  await add("balanceBlock", blocks, { aboutOf: about });
  await add("event", events, {
    aboutOf: about,
    shown: (row) => ({ ...row, body: eventWithoutOthers(row.body as string, roleAt(row.about)) }),
  });
  await add("notification", notifications, { accountIdOf: () => null });
  return records;
}

/** Rows that are processed before other calls get the thread. A person who pays every day has 100,000: seconds of work. */
const PIECE = 500;
/**
 * Payments whose refunds, blocks and events are searched for at once: each may have forty events, whose ids are digests.
 */
const PAYMENTS = 100;

/** The longest rest, milliseconds: waiting for the database used no CPU, and its snapshot waits during the rest. */
const LONGEST_REST = 50;

/**
 * Yields some rows at a time, and rests after each piece for as long as its work took: other calls get half of the thread.
 */
async function* inPieces<T>(rows: readonly T[], size = PIECE): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < rows.length; from += size) {
    const began = performance.now();
    yield rows.slice(from, from + size);
    if (from + size < rows.length) await pause(Math.min(performance.now() - began, LONGEST_REST));
  }
}

type Payments = {
  readonly charges: readonly OwnCharge[];
  readonly receipts: readonly Row[];
  readonly withdrawals: readonly Row[];
  aboutOf(receipt: Row): string;
};

/**
 * Finds the consequences of payments, some payments at a time. A charge and the Pix that paid it are searched for together.
 */
async function findAboutAll(queries: Queries, { charges, receipts, withdrawals, aboutOf }: Payments): Promise<About> {
  const none = { e2eId: null, isCustomers: false };
  // Receipts without a charge come first: an event about a further payment of the person's charge belongs to the charge,
  // which comes later.
  const groups = new Map<string, Payment[]>();
  const add = (about: string, payment: Payment) => {
    const group = groups.get(about);
    if (group) group.push(payment);
    else groups.set(about, [payment]);
  };
  const paid = new Map<string, Payment>();
  for await (const some of inPieces(receipts))
    for (const row of some) {
      const about = aboutOf(row);
      const payment = { ...row, ...none, kind: "receipt" as const, e2eId: row.id, about };
      if (about === row.id) add(about, payment);
      else paid.set(about, payment);
    }
  for await (const some of inPieces(charges))
    for (const row of some) {
      add(row.id, { ...row, kind: "charge", isCustomers: row.role !== "payer", about: row.id });
      const receipt = paid.get(row.id);
      if (receipt) add(row.id, receipt);
    }
  for await (const some of inPieces(withdrawals))
    for (const row of some) add(row.id, { ...row, ...none, kind: "withdrawal", about: row.id });

  const [refunds, blocks, events]: [FoundRow[], FoundRow[], Map<string, FoundRow>] = [[], [], new Map()];
  for await (const some of inPieces([...groups.values()], PAYMENTS)) {
    const found = await findAbout(queries, some.flat());
    refunds.push(...found.refunds);
    blocks.push(...found.blocks);
    for (const event of found.events) events.set(`${event.account_id} ${event.id}`, event);
  }
  return { refunds, blocks, events: [...events.values()] };
}

/** The payments that contain the person's document. */
async function findPayments(queries: Queries, document: string) {
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
  return {
    receipts: receipts.rows,
    charges: charges.rows,
    withdrawals: withdrawals.rows,
  };
}

/** Notifications with the document, or about Pix that the person paid or payouts that the person got. */
async function findNotifications(
  queries: Queries,
  houseId: string,
  document: string,
  { pixes, payouts }: { readonly pixes: readonly string[]; readonly payouts: readonly string[] },
): Promise<Row[]> {
  const { rows } = await queries.query<Row>(sql`
    select account_id, inbox_id as id, received_at as at, body, status from inbox
    where account_id = ${houseId} and body <> '' and (position(${document} in body) > 0
      or (kind in ('charge_paid', 'return_moved') and subject_id = any(${texts(pixes)}::text[]))
      or (kind = 'payout_moved' and subject_id = any(${texts(payouts)}::text[])))
    order by 3`);
  return rows;
}

type ChargeRow = Row & {
  readonly e2eId: string | null;
  readonly customer: { readonly document?: string } | null;
  readonly counterpartDocument: string | null;
};

type OwnCharge = ChargeRow & { readonly role: Role };

/** A customer without a document, and a payer whom the institution named without one, count as the person. */
function roleOf({ customer, counterpartDocument }: ChargeRow, document: string): Role {
  const isPayer = [null, document].includes(counterpartDocument);
  const isCustomer = customer === null || ["", document].includes(customer.document ?? "");
  if (isCustomer && isPayer) return "both";
  return isCustomer ? "customer" : "payer";
}

/** A charge without its data about somebody else. */
const withoutOthers = (charge: Row, role: Role): Row => ({
  ...charge,
  ...(role === "payer" ? { customer: null, description: null, metadata: null } : {}),
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
  readonly roleOf?: (row: T) => Role;
  readonly accountIdOf?: (row: T) => string | null;
  readonly shown?: (row: T) => Row;
};

function toRecord<T extends Row>(kind: PersonRecord["kind"], row: T, how: How<T>): PersonRecord {
  const {
    aboutOf = ({ id }) => id,
    reportedAsOf = () => null,
    accountIdOf = (r) => r.account_id,
    shown = (r) => r,
  } = how;
  const { account_id: _, id, at, about: __, ...rest }: Row = shown(row);
  const data = { ...rest, ...(rest.amount === undefined ? {} : { amount: toBrl(rest.amount) }) };
  const base = { accountId: accountIdOf(row), about: aboutOf(row), reportedAs: reportedAsOf(row) };
  return { kind, ...base, id, role: how.roleOf?.(row) ?? null, at, data };
}
