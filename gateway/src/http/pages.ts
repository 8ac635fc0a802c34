import { type Static, type TSchema, Type } from "typebox";
import { isUuid } from "../lib/ids.ts";
import { ApiError, invalid } from "./errors.ts";

/** Items of a page when the call does not say, and at most (contract, section 5). */
export const PAGE = { standard: 20, most: 100 } as const;

/** Query parameters of every list of ours. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE.most, default: PAGE.standard, description: "Items on a page." }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 255, description: "`nextCursor` of the page before; left out: the first page." }),
  ),
};

/** Query parameters of the interface's lists without pages: everything is on one page unless a limit is asked for. */
export const OptionalPageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, description: "Extension. Items on a page; left out: all on one page." }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "Extension. `nextCursor` of the page before; left out: the first page.",
    }),
  ),
};
type OptionalPage = Static<ReturnType<typeof Type.Object<typeof OptionalPageQuery>>>;

/** `nextCursor` of a list of which pages are optional. */
export const NextCursor = Type.Optional(
  Type.Union([Type.String(), Type.Null()], {
    description:
      "Extension. Send it as `cursor` for the next page; null at the end. Only where `limit` or `cursor` was sent.",
  }),
);

const byId = (position: readonly unknown[]): position is readonly [string] =>
  position.length === 1 && isUuid(position[0]);

/** How many rows a list with optional pages reads (one more than a page; null: all), and after which id. */
export function optionalPage(list: string, { limit, cursor }: OptionalPage) {
  const after = readCursor(list, cursor, byId)?.[0] ?? null;
  const most = limit ?? (cursor === undefined ? null : 1_000);
  return { after, rows: most === null ? null : most + 1 };
}

/** What of the rows a page shows, and the answer's `nextCursor` where one was asked for. */
export function cutPage<Row>(list: string, found: readonly Row[], rows: number | null, idOf: (row: Row) => string) {
  if (rows === null) return { shown: found, next: {} };
  const shown = found.slice(0, rows - 1);
  const last = shown.at(-1);
  return { shown, next: { nextCursor: found.length === rows && last ? writeCursor(list, [idOf(last)]) : null } };
}

/** Query parameter of a list that can be read over all wallets of the account. */
export const WalletsQuery = {
  subAccount: Type.Optional(
    Type.Literal("*", {
      description:
        "`*`: of all wallets, whatever `X-Sub-Account` says; each item then has its `subAccount`. Needs the credential's sub-account access.",
    }),
  ),
};

/** What a list is about: one wallet, or (null) every wallet of the account. */
export type OfWallets = { readonly accountId: string; readonly walletId: string | null };

/** The wallets that a call's list is about. 403 where the credential may not use sub-accounts. */
export function walletsOf(
  { accountId, subAccountAccess }: { readonly accountId: string; readonly subAccountAccess: boolean },
  { walletId }: { readonly walletId: string },
  { subAccount }: { readonly subAccount?: "*" | undefined },
): OfWallets {
  if (subAccount === undefined) return { accountId, walletId };
  if (!subAccountAccess) throw new ApiError("SUB_ACCOUNT_FORBIDDEN");
  return { accountId, walletId: null };
}

/** A page of a list of ours: newest first, and how to go on. */
export const pageOf = <T extends TSchema>(item: T, description: string) =>
  Type.Object(
    {
      items: Type.Array(item, { description: "The items of this page, newest first." }),
      nextCursor: Type.Union([Type.String(), Type.Null()], {
        description: "Send it as `cursor` for the next page; null at the end.",
      }),
    },
    { description },
  );
export type Page<T> = { items: T[]; nextCursor: string | null };

/**
 * Where a page ended, as text that means nothing to the caller. `list` is in it, so that the cursor of another list is
 * refused.
 */
export function writeCursor(list: string, position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([list, ...position])).toString("base64url");
}

/**
 * The position in a cursor; null without one (the first page).
 *
 * @param fits tells whether a position can be one of this list's. Anybody can make up a cursor: 400.
 */
export function readCursor<P extends readonly unknown[]>(
  list: string,
  cursor: string | undefined,
  fits: (position: readonly unknown[]) => position is P,
): P | null {
  if (cursor === undefined) return null;
  const value = parse(cursor);
  const [name, ...position] = Array.isArray(value) ? (value as unknown[]) : [];
  if (name !== list || !fits(position)) throw invalid("cursor", "is not a cursor of this list");
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

/** Query parameters of a list that can be cut by time; windows that meet share nothing. */
export const TimeQuery = {
  from: Instant("Only what was made at this time or later."),
  to: Instant("Only what was made before this time."),
};

/** Query parameters of a list that can be cut by time of change and of payment. */
export const ChangeQuery = {
  updatedFrom: Instant(
    "Only what has changed at this time or later. Poll with the time of the last poll, less a minute.",
  ),
  updatedTo: Instant("Only what has changed last before this time."),
  paidFrom: Instant("Only what was paid at this time or later."),
  paidTo: Instant("Only what was paid before this time."),
};

/** A time of the query; null when it is left out. The format has been checked, but a leap second is no Date. */
export function readInstant(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const instant = new Date(text);
  if (!(instant.getTime() >= 0)) throw invalid(name, "is not a time after 1970");
  return instant;
}
