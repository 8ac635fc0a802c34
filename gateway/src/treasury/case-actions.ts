import { Type } from "typebox";
import { type CaseAction, NO_PARAMETERS } from "../cases/action.ts";
import { readStanding } from "../cases/basis.ts";
import type { CaseRow } from "../cases/list.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Exact } from "../http/contract.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import { parseTxid, uuidOfHash } from "../lib/ids.ts";
import { toBrl } from "../lib/money.ts";
import { sha256 } from "../lib/secrets.ts";
import { standingOfReceipt } from "../unmatched/case-actions.ts";
import { joinReceipt } from "../unmatched/join.ts";
import { bookDecided, bookDecidedReceipt, discardDecided, entryStanding, nameDecided } from "./book.ts";
import type { TreasuryEntry, TreasuryKind } from "./entry.ts";
import { findRecorded, isExplained } from "./explained.ts";
import { findEntry } from "./list.ts";

export const TEXTS = {
  reference: Type.Optional(Type.String({ maxLength: 100 })),
  description: Type.Optional(Type.String({ maxLength: 255 })),
};
type Execution = Parameters<CaseAction["execute"]>[3];
type Given = { readonly kind: TreasuryKind; readonly reference?: string; readonly description?: string };

/** The common fields of an operator's record of something found. */
const about = ({ kind, reference, description }: Given) => ({
  kind,
  reference: reference ?? null,
  description: description ?? null,
  toInstitutionId: null,
});

export const answer = (done: TreasuryEntry | ApiError) => {
  if (done instanceof ApiError) throw done;
  return { entryId: done.entryId, kind: done.kind, status: done.status };
};

/** Books a received Pix without a charge as the operator's own, unless an account has settled it meanwhile. */
export async function receiptBecomes(
  ctx: Context,
  { accountId, objectId: pixId }: CaseRow,
  given: Given,
  { actor, proposalId }: Execution,
) {
  const { rows } = await ctx.db.query<{ e2e_id: string; institution_id: string; amount: number; paid_at: Date }>(sql`
    select e2e_id, institution_id, amount, paid_at from received_pix
    where account_id = ${accountId} and pix_id = ${pixId} and outcome in ('unmatched', 'assigned', 'treasury')`);
  const pix = rows[0];
  if (!pix) throw notFound("unmatched", pixId);
  const { e2e_id: e2eId, institution_id: institutionId, amount, paid_at: occurredAt } = pix;
  const joined = await joinReceipt(ctx, accountId, e2eId);
  if (joined) throw new ApiError("UNMATCHED_RESOLVED", undefined, { status: joined.status });
  const entry = {
    ...about(given),
    ...{ accountId, entryId: pixId, source: "receipt" as const, institutionId, amount, occurredAt, about: e2eId },
    createdBy: actor,
  };
  const command = { accountId, e2eId, entry, actor };
  return answer(await ctx.lanes.run(bookDecidedReceipt, { accountId, proposalId, command }));
}

/** The received Pix without a charge was the operator's own money. */
const receiptIsTreasury: CaseAction = {
  action: "treasury",
  kinds: ["unmatched_receipt"],
  description: "Book the Pix as the operator's own money: a top-up, or the arrival of an interbank transfer.",
  parameters: Exact({ kind: Type.Enum(["top_up", "interbank"]), ...TEXTS }),
  standing: standingOfReceipt,
  execute: (ctx, row, parameters, execution) => receiptBecomes(ctx, row, parameters as Given, execution),
};

/** The id of the entry about something that an institution shows: one thing is booked once. */
const entryIdOf = (institutionId: string, key: string): string => uuidOfHash(sha256(`${institutionId} ${key}`));

const changed = (message: string): ApiError => invalid("parameters", message);

/** A Pix that the institution lists as sent and that is no payout of this gateway: the operator sent it. */
const sentIsTreasury: CaseAction = {
  action: "treasury",
  kinds: ["reconciliation_difference"],
  fits: (row) => findSent(row) !== null,
  description:
    "Book a Pix that was sent outside of this gateway as the operator's own: a sweep, a tariff, or the departure of an interbank transfer.",
  parameters: Exact({ kind: Type.Enum(["sweep", "tariff", "interbank"]), ...TEXTS }),
  standing: (ctx, row) =>
    readStanding(ctx.lanes, entryStanding, { accountId: row.accountId, entryId: sentOf(row).entryId }),
  async execute(ctx, row, parameters, { actor, proposalId }) {
    const { at, amount } = row.evidence.data ?? {};
    const { accountId } = row;
    const { institutionId, key, entryId } = sentOf(row);
    if (await isOurs(ctx, key))
      throw changed("the id is a payout's of this gateway, which is not the operator's own money");
    const entry = {
      ...about(parameters as Given),
      ...{ accountId, entryId, source: "sent" as const, institutionId },
      ...{ amount: amount as number, occurredAt: new Date(at as string), about: key, createdBy: actor },
    };
    const recorded = await findRecorded(ctx.db, entry, key);
    if (recorded === null) {
      return answer(await ctx.lanes.run(bookDecided, { accountId, proposalId, command: { accountId, entry, actor } }));
    }
    const command = { accountId, entryId: recorded, about: key, actor };
    return { ...answer(await ctx.lanes.run(nameDecided, { accountId, proposalId, command })), named: true };
  },
};

/** The sent Pix that only the institution lists, with the id of the entry that books it; null: the case is about no such Pix. */
function findSent({ evidence, institutionId }: CaseRow) {
  const { kind, state, key } = evidence.data ?? {};
  if (kind !== "sent" || state !== "missing_here" || institutionId === null || typeof key !== "string") return null;
  return { institutionId, key, entryId: entryIdOf(institutionId, key) };
}

function sentOf(row: CaseRow) {
  const sent = findSent(row);
  if (sent !== null) return sent;
  throw changed("only a Pix that was sent and is not in the books can be booked as the operator's own");
}

/** Whether this gateway gave the id to a payout of one of its accounts. */
async function isOurs({ db }: Pick<Context, "db">, id: string): Promise<boolean> {
  const parsed = parseTxid(id);
  if (parsed === null) return false;
  const { rowCount } = await db.query(
    sql`select from accounts where number = ${parsed.accountNumber} and not is_house`,
  );
  return rowCount > 0;
}

/**
 * Refuses a difference that the newest comparison of the balance does not show any more; the case itself is closed only
 * when a second comparison agrees.
 */
export async function queryDifference(ctx: Context, row: CaseRow): Promise<Record<string, never>> {
  const difference = differenceOf(row);
  const { rows } = await ctx.db.query<{ holds: boolean }>(sql`
    select theirs - ours - moving <= ${difference} and theirs - ours + moving + under_way >= ${difference} as holds
    from balance_checks where institution_id = ${row.institutionId} order by sampled_at desc limit 1`);
  if (rows[0]?.holds === false) throw changed("the newest comparison shows another difference: wait for the next one");
  return {};
}

/** The difference of an institution's balance is money of the operator that nobody recorded. */
const differenceIsTreasury: CaseAction = {
  action: "book_difference",
  kinds: ["balance_drift"],
  description:
    "Book the difference as the operator's own money: a top-up where the institution holds more, a sweep or a tariff where it holds less.",
  parameters: Exact({
    kind: Type.Enum(["top_up", "sweep", "tariff"]),
    amount: Type.Number({ exclusiveMinimum: 0, description: "The difference, BRL, without its sign." }),
    ...TEXTS,
  }),
  check: checkOwn,
  standing: () => Promise.resolve({}),
  ask: queryDifference,
  async execute(ctx, row, parameters, execution) {
    checkOwn(row, parameters);
    return differenceBecomes(ctx, row, parameters as GivenDifference, execution);
  },
};

export type GivenDifference = Given & { readonly amount: number };

function checkOwn(row: CaseRow, parameters: Readonly<Record<string, unknown>>): void {
  const { kind, amount } = parameters as GivenDifference;
  const { holdsMore } = checkDifference(row, amount);
  if (holdsMore !== (kind === "top_up")) {
    throw changed(holdsMore ? "the institution holds more: only a top_up fits" : "the institution holds less");
  }
}

/** The size of the difference, centavos; 400 where its amount is not, or not any more, the one that was decided. */
export function checkDifference(row: CaseRow, amount: number): { readonly size: number; readonly holdsMore: boolean } {
  const difference = differenceOf(row);
  const size = Math.abs(difference);
  if (amount !== toBrl(size)) throw changed(`the difference is ${toBrl(size)} now`);
  return { size, holdsMore: difference === size };
}

/** Centavos that the institution holds more than the books. */
function differenceOf({ evidence, institutionId }: CaseRow): number {
  const { difference } = evidence.data ?? {};
  if (typeof difference !== "number" || institutionId === null) throw changed("the case names no difference");
  return difference;
}

/** Books the difference of a balance as the operator's own, if its amount is still the one that was decided. */
export async function differenceBecomes(
  ctx: Context,
  row: CaseRow,
  given: GivenDifference,
  { actor, proposalId }: Execution,
) {
  const { accountId, institutionId } = row;
  const { size: amount } = checkDifference(row, given.amount);
  const sampledAt = new Date(row.evidence.data?.sampledAt as string);
  const entry = {
    ...about(given),
    ...{ accountId, entryId: proposalId, source: "operator" as const, institutionId: institutionId!, amount },
    ...{ about: null, occurredAt: sampledAt, createdBy: actor },
  };
  if (await isExplained(ctx.db, entry, sampledAt)) {
    throw changed(
      "an entry was booked since the balance was compared, which explains the difference: wait for the next comparison",
    );
  }
  return answer(await ctx.lanes.run(bookDecided, { accountId, proposalId, command: { accountId, entry, actor } }));
}

/** A decision about an entry that waits for a second person. */
const decide = (action: "book" | "discard", description: string): CaseAction => ({
  action,
  kinds: ["treasury_entry"],
  description: description,
  parameters: NO_PARAMETERS,
  standing: (ctx, { accountId, objectId: entryId }) => readStanding(ctx.lanes, entryStanding, { accountId, entryId }),
  async execute(ctx, { accountId, objectId: entryId }, _parameters, { actor, proposalId }) {
    const entry = await findEntry(ctx.db, accountId, entryId);
    const kind = action === "book" ? bookDecided : discardDecided;
    return answer(await ctx.lanes.run(kind, { accountId, proposalId, command: { accountId, entry, actor } }));
  },
});

/** What an operator can do about money that may be the operator's own. */
export const TREASURY_ACTIONS: readonly CaseAction[] = [
  receiptIsTreasury,
  sentIsTreasury,
  differenceIsTreasury,
  decide("book", "Book the entry."),
  decide("discard", "End the entry without booking it."),
];
