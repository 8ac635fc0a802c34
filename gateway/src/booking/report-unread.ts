/**
 * Opens a case for everything that an institution has and Pixgate cannot read or list: it may be about money that moved. A
 * case that an operator has decided is opened again only when the institution shows something else.
 */
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { dayOf, daysAfter } from "../lib/days.ts";
import type { PspPix, PspReturn } from "../psp/psp.ts";

export const KIND = "reconciliation_difference";

export type Deps = Pick<Context, "db" | "ids" | "clock">;
export type Data = { readonly kind: string; readonly state: string } & Readonly<Record<string, string | number>>;
export type Case = { readonly accountId: string; readonly institutionId: string; readonly objectId: string };

/** Counts the returns of a Pix that cannot be booked: unreadable ones, and those in an unknown status. */
export const unclearReturns = ({ returns, unreadableReturns = 0 }: PspPix): number =>
  unreadableReturns + returns.filter(({ status }) => status === "unrecognised").length;

/** State in the data of a Pix's case that the daily comparison must not close (reconciliation/findings.ts). */
export const CONTRADICTING = "contradicting";
/** The object id of a case about a Pix, or about its returns, at an institution. */
export const pixObject = (institutionId: string, kind: "received" | "returned", e2eId: string): string =>
  `${institutionId} ${kind} ${e2eId}`;

/** Opens the case of a Pix whose end-to-end id is already booked as received at another institution. */
export function reportElsewhere(ctx: Deps, houseId: string, institutionId: string, pix: PspPix): Promise<void> {
  const { e2eId, paidAt, amount, returns } = pix;
  const about = { accountId: houseId, institutionId, objectId: pixObject(institutionId, "received", e2eId) };
  const description =
    "The institution shows a Pix that another institution has received: nothing of it is booked here. Ask both institutions who holds the money.";
  const data = {
    day: dayOf(paidAt),
    kind: "received",
    state: CONTRADICTING,
    key: e2eId,
    amount,
    returns: returns.length,
  };
  return open(ctx, about, description, data);
}

/**
 * Opens the case of a Pix whose returns cannot be booked as the institution shows them: money may have gone back
 * unbooked. Closes it as soon as they can be booked.
 *
 * @param contradicting returns that would give back more than was paid, or that cannot be told apart from others.
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
    const description =
      "The institution shows returns of the Pix that do not fit: with them more would have gone back than was paid, or two of them have the same id. They are not booked. Ask the institution.";
    const amount = contradicting.reduce((sum, back) => sum + back.amount, 0);
    const names = contradicting.map(({ id, rtrId }) => rtrId ?? id).join(" ");
    return open(ctx, about, description, {
      day: dayOf(paidAt),
      kind: "returned",
      state: CONTRADICTING,
      key: e2eId,
      amount,
      names,
    });
  }
  if (unclear === 0) return closeCases(ctx, [about]);
  const description =
    "The institution shows a return of the Pix that cannot be read or has a status that is not known, or it has notified one and does not show it: money may have gone back. Ask the institution.";
  const data = { day: dayOf(paidAt), kind: "returned", state: "unreadable", key: e2eId, unclear };
  await open(ctx, about, description, data);
}

/** The description of a case, by list and gap: it names what the missing items may be about. */
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
 * Why a list is incomplete.
 * - `unreadable`: an item of it could not be parsed.
 * - `unlisted`: more items fall into one second than the institution shows.
 * - `unanswered`: the institution does not answer for a part of the time.
 * - `refused`: the institution refuses a part of the time because it is too old.
 */
type Gap = "unreadable" | "unlisted" | "unanswered" | "refused";
/** The item that the case of a refusal names, the same for every time, so that an operator decides it once. */
export const REFUSED = "old";
export type List = { readonly houseId: string; readonly institutionId: string; readonly subject: keyof typeof LISTS };

/**
 * Lists that the daily comparison reads too. They have one case for each day, which the comparison closes once it can read
 * the whole day.
 */
const DAILY: ReadonlySet<string> = new Set(["received", "sent"]);
/** Most items that a case names. */
const MOST_ITEMS = 100;

/** A missing part of a list: its name in the case, and its time. */
type Missing = { readonly item: string; readonly from: Date; readonly to: Date };
type ListData = { readonly from: string; readonly items: string };

const objectIdOf = ({ institutionId, subject }: List, gap: Gap): string => `${institutionId} ${subject} ${gap}`;

/** A page of a list. `passed`: more items fall into one second than the institution shows, so the listing went past it. */
type Page = {
  readonly page: { readonly unreadable?: readonly string[] } | null;
  readonly from: Date;
  readonly to: Date;
  readonly passed: boolean;
};

/** Opens the cases of what a page leaves out. Returns true when items of it could not be read. */
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
 * Opens the case of an incomplete list, or adds new items to it. There is one for each list, or one for each day of a list
 * that the daily comparison closes. Items that an operator has decided open no new case.
 */
export function reportList(ctx: Deps, list: List, gap: Gap, missing: readonly Missing[]): Promise<void> {
  return ctx.db.transaction((tx) => reportListIn(tx, ctx, list, gap, missing));
}

/** The same in the caller's transaction. */
export async function reportListIn(
  tx: Tx,
  ctx: Deps,
  list: List,
  gap: Gap,
  missing: readonly Missing[],
): Promise<void> {
  if (!DAILY.has(list.subject)) return reportOfDay(tx, ctx, list, gap, missing, null);
  const ofDays = new Map<string, Missing[]>();
  for (const missed of missing) {
    const last = dayOf(new Date(Math.max(missed.from.getTime(), Math.min(missed.to.getTime(), ctx.clock.now()))));
    for (let day = dayOf(missed.from); day <= last; day = daysAfter(day, 1)) {
      ofDays.set(day, [...(ofDays.get(day) ?? []), missed]);
    }
  }
  for (const [day, those] of ofDays) await reportOfDay(tx, ctx, list, gap, those, day);
}

async function reportOfDay(
  tx: Tx,
  ctx: Deps,
  list: List,
  gap: Gap,
  missing: readonly Missing[],
  day: string | null,
): Promise<void> {
  const { houseId: accountId, institutionId, subject } = list;
  const objectId = objectIdOf(list, gap) + (day === null ? "" : ` ${day}`);
  const { rows } = await tx.query<{ status: string; data: ListData }>(sql`
    select status, evidence -> 'data' as data from cases
    where account_id = ${accountId} and kind = ${KIND} and object_id = ${objectId}
      and (status = 'open' or closed_because = 'decided')`);
  const reported = new Set(rows.flatMap(({ data }) => data.items.split(" ")));
  const fresh = missing.filter(({ item }) => !reported.has(item) && !(gap === "unlisted" && isNear(item, reported)));
  const openCase = rows.find(({ status }) => status === "open")?.data;
  const before = openCase?.items.split(" ") ?? [];
  const items = [...new Set([...before, ...fresh.map(({ item }) => item)])].slice(0, MOST_ITEMS);
  if (fresh.length === 0 || items.length === before.length) return;
  const first = Math.min(openCase ? Date.parse(openCase.from) : Infinity, ...fresh.map(({ from }) => from.getTime()));
  const data = {
    ...{ kind: subject, state: gap, ...(day !== null && { day }) },
    ...{ from: new Date(first).toISOString(), items: items.join(" ") },
  };
  const description = (LISTS[subject] as Partial<Record<Gap, string>>)[gap]!;
  await writeCase(tx, ctx, { accountId, institutionId, objectId }, description, data);
}

/**
 * Two named seconds this close are the same one, milliseconds: the windows of each listing begin at another fraction of
 * a second, so the second that they name may differ by one.
 */
const NEAR = 2_000;
const isNear = (second: string, seconds: ReadonlySet<string>): boolean =>
  [...seconds].some((reported) => Math.abs(Date.parse(reported) - Date.parse(second)) <= NEAR);

/** Closes the open case of a list that was read completely from `from` on. A case about an earlier time stays open. */
export async function closeList(ctx: Deps, list: List, gap: Gap, from: Date): Promise<void> {
  const { houseId: accountId, institutionId } = list;
  const objectId = objectIdOf(list, gap);
  const { rowCount } = await ctx.db.query(sql`
    select from cases
    where account_id = ${accountId} and kind = ${KIND} and status = 'open' and object_id = ${objectId}
      and (evidence -> 'data' ->> 'from')::timestamptz >= ${from}`);
  if (rowCount > 0) await closeCases(ctx, [{ accountId, institutionId, objectId }]);
}

/** Opens a case with this evidence, unless an operator has decided a case with the same data. */
const open = (ctx: Deps, about: Case, description: string, data: Data): Promise<void> =>
  ctx.db.transaction((tx) => openIn(tx, ctx, about, description, data));

/** The same in the caller's transaction. */
export async function openIn(tx: Tx, ctx: Deps, about: Case, description: string, data: Data): Promise<void> {
  const { rowCount } = await tx.query(sql`
    select from cases
    where account_id = ${about.accountId} and kind = ${KIND} and object_id = ${about.objectId}
      and closed_because = 'decided' and evidence -> 'data' = ${JSON.stringify(data)}::jsonb`);
  if (rowCount === 0) await writeCase(tx, ctx, about, description, data);
}

async function writeCase(tx: Tx, ctx: Deps, about: Case, description: string, data: Data): Promise<void> {
  const evidence = { says: description, source: "institution" as const, data };
  const fact = { ...about, kind: KIND, amount: null, deadline: null, evidence } as const;
  await writeCases(tx, { open: [fact] }, idsOf(ctx));
}

export function closeCases(ctx: Deps, cases: readonly Case[]): Promise<void> {
  const closing = cases.map(({ accountId, objectId }) => ({ accountId, objectId, kind: KIND }) as const);
  return ctx.db.transaction((tx) => writeCases(tx, { close: closing }, idsOf(ctx)));
}

const idsOf = ({ clock, ids }: Deps) => ({ now: clock.date(), newId: () => ids.uuid() });
