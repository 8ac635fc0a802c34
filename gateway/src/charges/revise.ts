import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError, notFound } from "../http/errors.ts";
import type { Institution } from "../institutions/registry.ts";
import { dayOf } from "../lib/days.ts";
import { type DueTerms, sameTerms } from "../lib/due.ts";
import type { PspCharge } from "../psp/psp.ts";
import type { Due } from "../transactions/due.ts";
import type { PixApplier } from "./cancel.ts";
import { type ChargeColumns, type ChargeStatus, chargesTable } from "./charge.ts";
import { askDueEdit, endDueEdit } from "./edit-due.ts";
import { acceptDue } from "./terms.ts";

type Key = { readonly accountId: string; readonly walletId: string; readonly chargeId: string };

/**
 * `PATCH /pix/{id}`: other terms for a pending charge with a due date. The edit is stored first, then the institution is
 * told. Without its answer the edit stays open; the same call, or the poller, ends it by what the institution shows.
 */
export async function editDue(ctx: Context, applier: PixApplier, key: Key, body: Due): Promise<void> {
  const { accountId, chargeId } = key;
  const charge = await readCharge(ctx, key);
  if (charge === null) throw notFound("charge", chargeId);
  const { due, status, amount, txid } = charge;
  if (status !== "pending") throw notEditable(status);
  if (due === null) throw notEditable(status, "The charge has no due date.");
  const institution = await ctx.psps.find(charge.institutionId);
  if (institution === null) throw unanswered();
  if (!institution.can.dueEdits) throw noEdits();
  const to = acceptDue(body, amount, dayOf(ctx.clock.date()), due);
  const asked = await ctx.lanes.run(askDueEdit, { accountId, chargeId, to });
  if (asked === null || asked.outcome === "ended") throw notEditable(asked?.status ?? status);
  if (asked.outcome === "other_open")
    throw notEditable(status, "Another change of its terms waits for the institution's answer.");
  if (asked.outcome === "too_many") throw notEditable(status, "Its terms were changed too often.");
  if (asked.outcome === "standing") return;
  const edit = { txid, amount, from: due, to, mayHaveBeenSent: asked.outcome === "open" };
  const end = await ctx.admission.outside(accountId, carryOut(institution, applier, edit));
  if (end === "unknown") throw unanswered();
  if (end === "paid") throw notEditable(await statusOf(ctx, key));
  const ended = await ctx.lanes.run(endDueEdit, { accountId, chargeId, to, end: end === "done" ? "done" : "refused" });
  if (ended?.status !== "pending") throw notEditable(ended?.status ?? "completed");
  if (end === "unsent") throw unanswered();
  if (ended.end !== "done") throw notEditable(status, "The institution has refused the change.");
}

/** An edit at an institution. `mayHaveBeenSent`: by an earlier call, of which no answer is known. */
type Edit = {
  readonly txid: string;
  readonly amount: number;
  readonly from: DueTerms;
  readonly to: DueTerms;
  readonly mayHaveBeenSent: boolean;
};

/**
 * Gives a charge other terms at its institution. After a lost answer the charge itself shows what became of the edit; where
 * it still shows the old terms, the same edit is sent again.
 *
 * @returns `unsent`: it never left this machine. `paid`: the payment that the institution shows was booked. `unknown`: it
 *   may have been made.
 */
export async function carryOut(
  institution: Institution,
  applier: PixApplier,
  edit: Edit,
): Promise<"done" | "refused" | "unsent" | "paid" | "unknown"> {
  const { txid, amount, to, mayHaveBeenSent } = edit;
  if (mayHaveBeenSent) {
    const seen = await look(institution, applier, edit);
    if (seen !== "not_done") return seen;
  }
  const revised = await institution.psp.reviseCharge?.({ txid, amount, due: to });
  if (revised?.kind === "accepted" && !isOld(revised.value, edit)) return "done";
  if (revised?.kind === "unsent" && !mayHaveBeenSent) return "unsent";
  const seen = await look(institution, applier, edit);
  // A refusal is a proof; one of a repetition only together with a charge that does not show the edit either.
  const isRefused = revised === undefined || revised.kind === "rejected";
  if (isRefused && (seen === "not_done" || (seen === "unknown" && !mayHaveBeenSent))) return "refused";
  return seen === "not_done" ? "unknown" : seen;
}

/** What the institution's charge shows of an edit. */
async function look(
  institution: Institution,
  applier: PixApplier,
  edit: Edit,
): Promise<"done" | "not_done" | "paid" | "unknown"> {
  const found = await institution.psp.findCharge(edit.txid, "due");
  if (found.kind !== "found") return "unknown";
  const { pix, status, due } = found.value;
  for (const one of pix) await applier.apply(institution, one, { inCharge: edit.txid });
  if (status === "paid" || pix.length > 0) return "paid";
  return due !== undefined && sameTerms(due, edit.to) ? "done" : "not_done";
}

/** Whether the institution's charge still has the old terms: an answer may come before what it announces. */
const isOld = ({ due }: PspCharge, { from, to }: Edit): boolean =>
  due !== undefined && sameTerms(due, from) && !sameTerms(due, to);

const READ = ["status", "txid", "institutionId", "amount", "due"] as const;

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
