import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError, notFound } from "../http/errors.ts";
import type { Institution } from "../institutions/registry.ts";
import { dayOf } from "../lib/days.ts";
import { type DueTerms, sameEffect } from "../lib/due.ts";
import type { Outcome } from "../psp/outcome.ts";
import type { PspCharge } from "../psp/psp.ts";
import type { Due } from "../transactions/due.ts";
import type { PixApplier } from "./cancel.ts";
import { type ChargeColumns, type ChargeStatus, chargesTable } from "./charge.ts";
import { askDueEdit, countDueEditRequest, type EditRequest, endDueEdit } from "./edit-due.ts";
import { acceptDue } from "./terms.ts";

type Key = { readonly accountId: string; readonly walletId: string; readonly chargeId: string };

/**
 * `PATCH /pix/{id}`: other terms for a pending charge with a due date. The edit is stored before it is sent to the
 * institution. Without an answer it stays open, until the same call, or the poller, reads its outcome at the institution.
 */
export async function editDue(
  ctx: Context,
  applier: PixApplier,
  key: Key & { readonly actor: string },
  body: Due,
): Promise<void> {
  const { accountId, chargeId, actor } = key;
  const charge = await readCharge(ctx, key);
  if (charge === null) throw notFound("charge", chargeId);
  const { due, status, amount } = charge;
  if (status !== "pending") throw notEditable(status);
  if (due === null) throw notEditable(status, "The charge has no due date.");
  const institution = await ctx.psps.find(charge.institutionId);
  if (institution === null) throw unanswered();
  if (!institution.can.dueEdits) throw noEdits();
  const to = acceptDue(body, amount, dayOf(ctx.clock.date()), due);
  const asked = await ctx.lanes.run(askDueEdit, { accountId, chargeId, to, actor });
  if (asked === null || asked.outcome === "ended") throw notEditable(asked?.status ?? status);
  if (asked.outcome === "other_open")
    throw notEditable(status, "Another change of its terms waits for the institution's answer.");
  if (asked.outcome === "too_many") throw notEditable(status, "Its terms were changed too often.");
  if (asked.outcome === "standing") return;
  const edit = { ...key, ...charge, due, to };
  const sent = asked.outcome === "asked" ? { request: 1, sentBefore: null } : null;
  const found = await ctx.admission.outside(accountId, carryOut(ctx, institution, applier, edit, sent));
  if (found.end === "unknown") throw unanswered();
  if (found.end === "paid") throw notEditable(await statusOf(ctx, key));
  const ended = await endEdit(ctx, { accountId, chargeId, to }, found);
  if (ended?.status !== "pending") throw notEditable(ended?.status ?? "completed");
  if (found.end === "unsent" || ended.end === "asked") throw unanswered();
  if (found.end === "other")
    throw notEditable(status, "The institution shows other terms than those that were asked for: read the charge.");
  if (ended.end !== "done") throw notEditable(status, "The institution has refused the change.");
}

/** An edit at an institution. */
type Edit = {
  readonly accountId: string;
  readonly chargeId: string;
  readonly txid: string;
  readonly amount: number;
  /** The terms of the charge in the books. */
  readonly due: DueTerms;
  readonly dueEdits: ChargeColumns["dueEdits"];
  readonly to: DueTerms;
};

/**
 * The outcome of an edit at the institution.
 *
 * - `done`: the institution has the new terms. `other`: it has terms that no edit of ours requested.
 * - `refused`, `unsent`: the outcome of one request. Other requests of the edit may have another.
 * - `paid`: the payment that the institution shows was booked. `unknown`: the edit may have been made.
 */
type EditState = Open | Ended;
type Open = { readonly end: "paid" } | { readonly end: "unknown" };
type Ended =
  | { readonly end: "done" }
  | { readonly end: "other"; readonly shown: DueTerms }
  | ({ readonly end: "refused" | "unsent"; readonly isProven: boolean } & EditRequest);

/** Stores the outcome of an edit. */
export function endEdit(ctx: Context, of: Pick<Edit, "accountId" | "chargeId" | "to">, found: Ended) {
  if (found.end === "done") return ctx.lanes.run(endDueEdit, { ...of, end: "done" });
  if (found.end === "other") return ctx.lanes.run(endDueEdit, { ...of, ...found });
  return ctx.lanes.run(endDueEdit, { ...of, ...found, end: "refused" });
}

/**
 * Gives a charge other terms at its institution. Where an earlier request had no answer, the institution's charge shows its
 * outcome; while it still shows the old terms, the same edit is sent again.
 *
 * @param first the request that was counted when the edit was stored; null where it was stored earlier.
 */
export async function carryOut(
  ctx: Context,
  institution: Institution,
  applier: PixApplier,
  edit: Edit,
  first: EditRequest | null,
): Promise<EditState> {
  const { accountId, chargeId, txid, amount, to } = edit;
  if (first === null) {
    const seen = await readOutcome(institution, applier, edit);
    if (seen.end !== "not_done" && seen.end !== "not_shown") return seen;
  }
  const sent = first ?? (await ctx.lanes.run(countDueEditRequest, { accountId, chargeId, to }));
  if (sent === null) return { end: "unknown" };
  const revised = await institution.psp.reviseCharge?.({ txid, amount, due: to });
  if (revised?.kind === "accepted" && (revised.value.due === undefined || sameEffect(revised.value.due, to)))
    return { end: "done" };
  if (revised?.kind === "unsent") return { end: "unsent", isProven: false, ...sent };
  const seen = await readOutcome(institution, applier, edit);
  if (seen.end === "done" || seen.end === "paid" || seen.end === "other") return seen;
  if (revised !== undefined && revised.kind !== "rejected") return { end: "unknown" };
  const isProven = seen.end === "not_done" && isLongAgo(ctx.clock.now(), sent, revised);
  return { end: "refused", isProven, ...sent };
}

/** Whether no request before this one can still arrive, as for an order (outgoing/pursue.ts). `now` in milliseconds. */
function isLongAgo(now: number, { sentBefore }: EditRequest, revised: Outcome<PspCharge> | undefined): boolean {
  const status = revised?.kind === "rejected" ? revised.httpStatus : 0;
  const wait = status === 401 || status === 403 ? REFUSED_INCONCLUSIVE : REFUSED_FOR;
  return sentBefore === null || now >= Date.parse(sentBefore) + wait;
}
const REFUSED_FOR = 60_000;
const REFUSED_INCONCLUSIVE = 86_400_000;

type Seen =
  | Exclude<EditState, { readonly end: "refused" | "unsent" }>
  | { readonly end: "not_done" }
  | { readonly end: "not_shown" };

/** What the institution's charge shows of an edit. `not_shown`: it does not show its terms, or none that can be read. */
async function readOutcome(
  institution: Institution,
  applier: PixApplier,
  { txid, due, dueEdits, to }: Edit,
): Promise<Seen> {
  const found = await institution.psp.findCharge(txid, "due");
  // A charge that the institution does not have cannot have the new terms. A Pix by them stays expected all the same.
  if (found.kind === "absent") return { end: "not_done" };
  if (found.kind !== "found") return { end: "unknown" };
  const { pix, status, due: shown } = found.value;
  for (const paid of pix) await applier.apply(institution, paid, { inCharge: txid });
  if (status === "paid" || pix.length > 0) return { end: "paid" };
  // Nobody can change a charge that was removed.
  if (shown === undefined) return { end: status === "removed" ? "not_done" : "not_shown" };
  if (sameEffect(shown, to)) return { end: "done" };
  // Reads may lag behind, so any terms of its history count as the old ones.
  const old = [due, ...(dueEdits ?? []).flatMap(({ from, to: wanted }) => [from, wanted])];
  return old.some((terms) => sameEffect(shown, terms)) ? { end: "not_done" } : { end: "other", shown };
}

const READ = ["status", "txid", "institutionId", "amount", "due", "dueEdits"] as const;

async function readCharge(
  ctx: Context,
  { accountId, walletId, chargeId }: Key,
): Promise<Pick<ChargeColumns, (typeof READ)[number]> | null> {
  const { rows } = await ctx.db.query<Pick<ChargeColumns, (typeof READ)[number]>>(sql`
    select ${chargesTable.select("", READ)} from charges
    where account_id = ${accountId} and wallet_id = ${walletId} and charge_id = ${chargeId}
      and status not in ('creating', 'rejected')`);
  return rows[0] ?? null;
}

async function statusOf(ctx: Context, key: Key): Promise<ChargeStatus> {
  const status = (await readCharge(ctx, key))?.status ?? "pending";
  // The institution says paid and does not show the Pix yet.
  return status === "pending" ? "completed" : status;
}

/** The refusal of new terms. */
export const notEditable = (
  status: ChargeStatus,
  message = "The charge is not pending, so its terms cannot be changed.",
): ApiError => new ApiError("CHARGE_NOT_EDITABLE", message, { status });

const noEdits = (): ApiError =>
  new ApiError("NOT_SUPPORTED_BY_INSTITUTION", "The institution of this charge does not change due dates.", {
    needs: "changes of a due date",
  });

const unanswered = (): ApiError =>
  new ApiError(
    "PSP_UNAVAILABLE",
    "The institution has not confirmed the new terms, so the charge may be paid by either. The same call may be repeated.",
    { retryable: true },
    { "retry-after": "2" },
  );
