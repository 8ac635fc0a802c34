/**
 * What an institution shows and nobody here can read or reach may be about money that moved: it is a case. An operator who has
 * decided about it is asked again when the institution shows something else.
 */
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { dayOf, daysAfter } from "../lib/days.ts";
import type { PspPix, PspReturn } from "../psp/psp.ts";

const KIND = "reconciliation_difference";

type Deps = Pick<Context, "db" | "ids" | "clock">;
type Data = { readonly kind: string; readonly state: string } & Readonly<Record<string, string | number>>;
type Case = { readonly accountId: string; readonly institutionId: string; readonly objectId: string };

/** Returns of a Pix that the institution shows and nobody here can book: unreadable, or in a status that is not known. */
export const unclearReturns = ({ returns, unreadableReturns = 0 }: PspPix): number =>
  unreadableReturns + returns.filter(({ status }) => status === "unrecognised").length;

/** What is said of the cases of a Pix that the comparison of its day leaves alone (reconciliation/findings.ts). */
export const CONTRADICTING = "contradicting";
/** The object of the case of a Pix, or of its returns, as an institution shows them. */
export const pixObject = (institutionId: string, kind: "received" | "returned", e2eId: string): string =>
  `${institutionId} ${kind} ${e2eId}`;

/** Opens the case of a Pix that an institution shows, and that these books have at another one. */
export function reportElsewhere(ctx: Deps, houseId: string, institutionId: string, pix: PspPix): Promise<void> {
  const { e2eId, paidAt, amount, returns } = pix;
  const about = { accountId: houseId, institutionId, objectId: pixObject(institutionId, "received", e2eId) };
  const says =
    "The institution shows a Pix that another institution has received: nothing of it is booked here. Ask both institutions who holds the money.";
  const data = {
    day: dayOf(paidAt),
    kind: "received",
    state: CONTRADICTING,
    key: e2eId,
    amount,
    returns: returns.length,
  };
  return open(ctx, about, says, data);
}

/**
 * Opens the case of a Pix whose returns cannot be booked as the institution shows them, since money may have gone back; closes it
 * when they can.
 *
 * @param contradicting with these more would have gone back than was paid, or nothing tells them from others.
 */
export async function reportReturns(
  ctx: Deps,
  houseId: string,
  institutionId: string,
  pix: PspPix,
  contradicting: readonly PspReturn[],
): Promise<void> {
  const unclear = unclearReturns(pix);
  if (unclear === 0 && pix.returns.length === 0) return;
  const { e2eId, paidAt } = pix;
  const about = { accountId: houseId, institutionId, objectId: pixObject(institutionId, "returned", e2eId) };
  if (contradicting.length > 0) {
    const says =
      "The institution shows more returns of the Pix than fit: with these more would have gone back than was paid, or two bear one name. They are not booked. Ask the institution.";
    const amount = contradicting.reduce((sum, back) => sum + back.amount, 0);
    const names = contradicting.map(({ id, rtrId }) => rtrId ?? id).join(" ");
    return open(ctx, about, says, {
      day: dayOf(paidAt),
      kind: "returned",
      state: CONTRADICTING,
      key: e2eId,
      amount,
      names,
    });
  }
  if (unclear === 0) return close(ctx, [about]);
  const says =
    "The institution shows a return of the Pix that cannot be read, or in a status that is not known: money may have gone back. Ask the institution.";
  const data = { day: dayOf(paidAt), kind: "returned", state: "unreadable", key: e2eId, unclear };
  await open(ctx, about, says, data);
}

/** Lists of an institution: what an item of each that cannot be read may be about, and one that the list does not reach. */
const LISTS = {
  received: {
    unreadable: "The institution lists a received Pix that cannot be read: money may have come in that is not booked.",
    unlisted:
      "The institution received more Pix at one time than it shows: money may have come in that is not booked. Ask the institution for all of that time.",
    unanswered:
      "The institution does not list a part of the received Pix: money may have come in that is not booked. The comparison of the day lists it again.",
    refused:
      "The institution refuses to list the received Pix of a day so long ago: money may have come in that is not booked, and nothing asks again by itself. Ask the institution for all of that day.",
  },
  returned: {
    unreadable:
      "The institution lists a returned Pix that cannot be read: money may have gone back that is not booked. Ask the institution.",
    unlisted:
      "The institution has more returned Pix at one time than it shows: money may have gone back that is not booked. Ask the institution for all of that time.",
    unanswered:
      "The institution did not list a part of the returned Pix in any call of a night: money may have gone back that is not booked. Ask the institution.",
    refused:
      "The institution refuses to list returned Pix from so long ago: money may have gone back that is not booked where its notification was lost. Ask the institution for the returns of that time.",
  },
  sent: {
    unlisted:
      "The institution sent more Pix at one time than it shows: a payout may be missing from the comparison. Ask the institution for all of that time.",
    refused:
      "The institution refuses to list the sent Pix of a day so long ago: a payout may be missing from the comparison, and nothing asks again by itself. Ask the institution for all of that day.",
  },
  infractions: {
    unreadable:
      "The institution lists a MED case that cannot be read: money of a wallet may be contested and not be held.",
    unlisted:
      "The institution has more MED cases at one time than it shows: money of a wallet may be contested and not be held. Ask the institution for all of that time.",
  },
} as const;

/**
 * What a list does not show: an item that cannot be read, what is beyond the most that it shows at one time, a part of its time, or what
 * is older than the institution lists.
 */
type Unread = "unreadable" | "unlisted" | "unanswered" | "refused";
/** What a case of a refusal names: the same whatever the time, so that an operator decides about it once. */
export const REFUSED = "old";
export type List = { readonly houseId: string; readonly institutionId: string; readonly of: keyof typeof LISTS };

/** Lists that a comparison of the day lists too: their cases are of a day, and the comparison closes them when it can read all. */
const DAILY: ReadonlySet<string> = new Set(["received", "sent"]);
/** Items that a case names. */
const NAMED = 100;

/** What of a list is missing: what tells it apart, and when it was. */
type Missing = { readonly item: string; readonly from: Date; readonly to: Date };
type ListData = { readonly from: string; readonly items: string };

const nameOf = ({ institutionId, of }: List, what: Unread): string => `${institutionId} ${of} ${what}`;

/** A page of a list, of which `at` is a moment. */
type Page = {
  readonly page: { readonly unreadable?: readonly string[] } | null;
  readonly from: Date;
  readonly to: Date;
  readonly passed: boolean;
};

/** Opens the cases of what a page does not show. Gives whether items of it could not be read. */
export async function reportPage(ctx: Deps, list: List, { page, from, to, passed }: Page, at?: Date): Promise<boolean> {
  const unreadable = (page?.unreadable ?? []).map((item) => {
    const time = new Date(item.slice(0, item.indexOf("/")));
    return time >= from && time <= to ? { item, from: time, to: time } : { item, from, to };
  });
  if (unreadable.length > 0) await reportList(ctx, list, "unreadable", unreadable);
  if (passed) await reportList(ctx, list, "unlisted", [{ item: secondOf(at ?? from), from: at ?? from, to: at ?? to }]);
  return unreadable.length > 0;
}

export const secondOf = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;

/**
 * Opens the case of a list that does not show all, or adds to it what is new. There is one for each list, and for each day where
 * a comparison closes it. What an operator has decided about opens none again.
 */
export function reportList(ctx: Deps, list: List, what: Unread, missing: readonly Missing[]): Promise<void> {
  return ctx.db.transaction((tx) => reportListIn(tx, ctx, list, what, missing));
}

/** `reportList` in the transaction that finds it. */
export async function reportListIn(
  tx: Tx,
  ctx: Deps,
  list: List,
  what: Unread,
  missing: readonly Missing[],
): Promise<void> {
  if (!DAILY.has(list.of)) return reportOne(tx, ctx, list, what, missing, null);
  const ofDays = new Map<string, Missing[]>();
  for (const one of missing) {
    const last = dayOf(new Date(Math.max(one.from.getTime(), Math.min(one.to.getTime(), ctx.clock.now()))));
    for (let day = dayOf(one.from); day <= last; day = daysAfter(day, 1)) {
      ofDays.set(day, [...(ofDays.get(day) ?? []), one]);
    }
  }
  for (const [day, those] of ofDays) await reportOne(tx, ctx, list, what, those, day);
}

async function reportOne(
  tx: Tx,
  ctx: Deps,
  list: List,
  what: Unread,
  missing: readonly Missing[],
  day: string | null,
): Promise<void> {
  const { houseId: accountId, institutionId, of } = list;
  const objectId = nameOf(list, what) + (day === null ? "" : ` ${day}`);
  const { rows } = await tx.query<{ status: string; data: ListData }>(sql`
    select status, evidence -> 'data' as data from cases
    where account_id = ${accountId} and kind = ${KIND} and object_id = ${objectId}
      and (status = 'open' or closed_because = 'decided')`);
  const known = new Set(rows.flatMap(({ data }) => data.items.split(" ")));
  const fresh = missing.filter(({ item }) => !known.has(item) && !(what === "unlisted" && isNear(item, known)));
  const open = rows.find(({ status }) => status === "open")?.data;
  const before = open?.items.split(" ") ?? [];
  const items = [...new Set([...before, ...fresh.map(({ item }) => item)])].slice(0, NAMED);
  if (fresh.length === 0 || items.length === before.length) return;
  const first = Math.min(open ? Date.parse(open.from) : Infinity, ...fresh.map(({ from }) => from.getTime()));
  const data = {
    ...{ kind: of, state: what, ...(day !== null && { day }) },
    ...{ from: new Date(first).toISOString(), items: items.join(" ") },
  };
  const says = (LISTS[of] as Partial<Record<Unread, string>>)[what]!;
  await write(tx, ctx, { accountId, institutionId, objectId }, says, data);
}

/** Windows of a second begin elsewhere in each listing, and show a second as the one before or after it. Milliseconds. */
const NEAR = 2_000;
const isNear = (second: string, known: ReadonlySet<string>): boolean =>
  [...known].some((one) => Math.abs(Date.parse(one) - Date.parse(second)) <= NEAR);

/**
 * Closes the open case of a list that could be read, or reached, whole from a time on. One that is about what was before stays, since
 * nobody has read that.
 */
export async function closeList(ctx: Deps, list: List, what: Unread, from: Date): Promise<void> {
  const { houseId: accountId, institutionId } = list;
  const objectId = nameOf(list, what);
  const { rowCount } = await ctx.db.query(sql`
    select from cases
    where account_id = ${accountId} and kind = ${KIND} and status = 'open' and object_id = ${objectId}
      and (evidence -> 'data' ->> 'from')::timestamptz >= ${from}`);
  if (rowCount > 0) await close(ctx, [{ accountId, institutionId, objectId }]);
}

/** Opens a case with this evidence, unless an operator has decided about the same. */
async function open(ctx: Deps, about: Case, says: string, data: Data): Promise<void> {
  const { rowCount } = await ctx.db.query(sql`
    select from cases
    where account_id = ${about.accountId} and kind = ${KIND} and object_id = ${about.objectId}
      and closed_because = 'decided' and evidence -> 'data' = ${JSON.stringify(data)}::jsonb`);
  if (rowCount === 0) await ctx.db.transaction((tx) => write(tx, ctx, about, says, data));
}

async function write(tx: Tx, ctx: Deps, about: Case, says: string, data: Data): Promise<void> {
  const evidence = { says, source: "institution" as const, data };
  const fact = { ...about, kind: KIND, amount: null, deadline: null, evidence } as const;
  await writeCases(tx, { open: [fact] }, idsOf(ctx));
}

function close(ctx: Deps, cases: readonly Case[]): Promise<void> {
  const closing = cases.map(({ accountId, objectId }) => ({ accountId, objectId, kind: KIND }) as const);
  return ctx.db.transaction((tx) => writeCases(tx, { close: closing }, idsOf(ctx)));
}

const idsOf = ({ clock, ids }: Deps) => ({ now: clock.date(), newId: () => ids.uuid() });
