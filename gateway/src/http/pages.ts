import { type TSchema, Type } from "typebox";
import { isUuid } from "../lib/ids.ts";
import { LIMITS } from "../lib/limits.ts";
import { AnswerObject, OrNull, ref } from "./contract.ts";
import { ApiError, invalid } from "./errors.ts";

/** Items of a page by default, and at most (contract, section 5). */
export const PAGE = { standard: 20, most: 100 } as const;

/** Query parameters of every list with pages. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE.most,
      default: PAGE.standard,
      description: "Items on a page, fewer where they are large.",
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 255, description: "`nextCursor` of the page before; left out: the first page." }),
  ),
};

/** Query parameter of a list that can cover all wallets of the account. */
export const WalletsQuery = {
  subAccount: Type.Optional(
    Type.Literal("*", {
      description:
        "`*`: of all wallets, whatever `X-Sub-Account` says; each item then has its `subAccount`. Needs the credential's sub-account access.",
    }),
  ),
};

/** The wallets that a list covers: one, or (null) every wallet of the account. */
export type OfWallets = { readonly accountId: string; readonly walletId: string | null };

/** The wallets of a call's list. 403 where the credential may not use sub-accounts. */
export function walletsOf(
  { accountId, subAccountAccess }: { readonly accountId: string; readonly subAccountAccess: boolean },
  { walletId }: { readonly walletId: string },
  { subAccount }: { readonly subAccount?: "*" | undefined },
): OfWallets {
  if (subAccount === undefined) return { accountId, walletId };
  if (!subAccountAccess) throw new ApiError("SUB_ACCOUNT_FORBIDDEN");
  return { accountId, walletId: null };
}

/** The fields of a page: items, newest first, and the cursor of the next page. */
export const pageFields = <T extends TSchema & { $id: string }>(item: T) => ({
  items: Type.Array(ref(item), { description: "The items of this page, newest first." }),
  nextCursor: OrNull(Type.String(), "Send it as `cursor` for the next page; null at the end."),
});

/** The component of a page of other components, called after them. */
export const pageOf = <T extends TSchema & { $id: string }>(item: T, description: string, name = `${item.$id}Page`) =>
  AnswerObject(name, description, pageFields(item));
export type Page<T> = { items: T[]; nextCursor: string | null };

/**
 * The first items that fit into `LIMITS.pageBytes` of JSON, at least one: a hundred objects, each with 16 KiB of metadata,
 * would be a page of 1.6 MB. The first `PAGE.standard` items are not measured, since they are read most, and have a third
 * of a megabyte at most.
 */
function takeFitting<T>(items: readonly T[]): readonly T[] {
  if (items.length <= PAGE.standard) return items;
  let bytes = 0;
  const end = items.findIndex((item, i) => {
    bytes += Buffer.byteLength(JSON.stringify(item));
    return i >= PAGE.standard && bytes > LIMITS.pageBytes;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** Whether a time of a cursor has the form that we write: PostgreSQL must accept it, whatever a caller made up. */
export function isInstant(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const at = Date.parse(value);
  return at >= 0 && at < MAX_TIME && new Date(at).toISOString() === value;
}

/** As `isInstant`, for a time in Unix milliseconds. */
export const isTime = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < MAX_TIME;

/** From the year 10,000 on, JavaScript writes times in a form that PostgreSQL does not read. */
const MAX_TIME = Date.UTC(10_000, 0);

type Asked = { readonly limit?: number | undefined; readonly cursor?: string | undefined };
type Position = readonly (string | number)[];

/** A list that is sorted by several values. */
type Sorted<Row, Item, P extends Position> = {
  /** Whether a cursor's position can belong to this list. */
  isPosition(position: readonly unknown[]): position is P;
  /** At most `count` rows after a position; null: from the first row. */
  read(after: P | null, count: number): Promise<{ readonly rows: readonly Row[] }>;
  show(row: Row): Item | Promise<Item>;
  positionOf(row: Row): Position;
};

/**
 * A page of a list that is sorted by several values. It reads one row more than it shows, to know whether there are more,
 * and ends early, with a cursor, when its bytes are reached.
 */
export async function readSortedPage<Row, Item, P extends Position>(
  list: string,
  { limit = PAGE.standard, cursor }: Asked,
  { isPosition, read, show, positionOf }: Sorted<Row, Item, P>,
): Promise<Page<Item>> {
  const { rows } = await read(readCursor(list, cursor, isPosition), limit + 1);
  const items = [...takeFitting(await Promise.all(rows.slice(0, limit).map((row) => show(row))))];
  const last = items.length < rows.length ? rows[items.length - 1] : undefined;
  return { items, nextCursor: last === undefined ? null : writeCursor(list, positionOf(last)) };
}

/** A list, newest first by an id that never changes. */
type ById<Row, Item> = {
  /** At most `count` rows after an id; null: from the first row. */
  read(after: string | null, count: number): Promise<{ readonly rows: readonly Row[] }>;
  show(row: Row): Item | Promise<Item>;
  /** The id by which the rows are sorted. */
  key(row: Row): string;
};

/** A page of a list that is sorted by an id. */
export const readPage = <Row, Item>(
  list: string,
  asked: Asked,
  { read, show, key }: ById<Row, Item>,
): Promise<Page<Item>> =>
  readSortedPage(list, asked, {
    isPosition: isOneId,
    read: (after, count) => read(after?.[0] ?? null, count),
    show,
    positionOf: (row) => [key(row)],
  });

/** Whether a cursor's position is that of a list sorted by an id. */
export const isOneId = (position: readonly unknown[]): position is readonly [string] =>
  position.length === 1 && isUuid(position[0]);

/**
 * A cursor: the position at which a page ended, as text without meaning for the caller. It contains `list`, so that another
 * list refuses it.
 */
export function writeCursor(list: string, position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([list, ...position])).toString("base64url");
}

/**
 * The position in a cursor; null without one (the first page).
 *
 * @param isPosition whether a position can belong to this list. Anybody can make up a cursor: 400.
 */
export function readCursor<P extends readonly unknown[]>(
  list: string,
  cursor: string | undefined,
  isPosition: (position: readonly unknown[]) => position is P,
): P | null {
  if (cursor === undefined) return null;
  const value = parse(cursor);
  const [name, ...position] = Array.isArray(value) ? (value as unknown[]) : [];
  if (name !== list || !isPosition(position)) throw invalid("cursor", "is not a cursor of this list");
  return position;
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}

const Instant = (description: string) =>
  Type.Optional(Type.String({ format: "date-time", maxLength: 40, description }));

/** Query parameters of a list that can be limited by time. Adjacent periods share nothing. */
export const TimeQuery = {
  from: Instant("Only what was made at this time or later."),
  to: Instant("Only what was made before this time."),
};

/** Query parameters of a list that can be limited by when something happened at the institution. */
export const OccurredQuery = {
  occurredFrom: Instant("Only what happened at the institution at this time or later."),
  occurredTo: Instant("Only what happened at the institution before this time."),
};

/** Query parameters of a list that can be limited by time of change and of payment. */
export const ChangeQuery = {
  updatedFrom: Instant(
    "Only what has changed at this time or later. Poll with the time of the last poll, less a minute.",
  ),
  updatedTo: Instant("Only what has changed last before this time."),
  paidFrom: Instant("Only what was paid at this time or later."),
  paidTo: Instant("Only what was paid before this time."),
};

/** A time of the query; null when it is left out. Its format was checked, but a leap second is no Date. */
function readInstant(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const instant = new Date(text);
  if (!(instant.getTime() >= 0)) throw invalid(name, "is not a time after 1970");
  return instant;
}

/**
 * The period of a query, from one time (included) to another (excluded); null where one is left out. A period that ends
 * before it begins is refused: its figures would look like those of an empty period.
 */
export function readPeriod<First extends string, Last extends string>(
  query: { readonly [name in First | Last]?: string | undefined },
  [first, last]: readonly [First, Last],
  read: (name: First | Last, text: string | undefined) => Date | null = readInstant,
): [from: Date | null, to: Date | null] {
  const [from, to] = [read(first, query[first]), read(last, query[last])];
  // The day that ends a period counts whole, so compare with that day's beginning.
  if (from !== null && to !== null && to <= from && read(first, query[last])! < from)
    throw invalid(first, `must not be after ${last}`);
  return [from, to];
}
