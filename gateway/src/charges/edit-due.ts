import { type Decision, update } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { type DueEdit, type DueTerms, payableUntil, sameTerms } from "../lib/due.ts";
import { LIMITS } from "../lib/limits.ts";
import { type ChargeStatus, chargesTable } from "./charge.ts";
import { openEdit } from "./terms.ts";

type AskDueEdit = { readonly accountId: string; readonly chargeId: string; readonly to: DueTerms };

/**
 * - `asked`: stored. `open`: the same edit was asked before and waits for its answer.
 * - `standing`: the charge has these terms already.
 * - `other_open`: another edit waits for its answer. `too_many`: see `LIMITS.dueEdits`.
 * - `ended`: the charge is not pending any more, or past its last day.
 */
type DueEditAsked = {
  readonly outcome: "asked" | "open" | "standing" | "other_open" | "too_many" | "ended";
  readonly status: ChargeStatus;
};

/** Stores that a charge is to have other terms, before its institution is told. From now on a Pix by either is expected. */
export const askDueEdit: CommandKind<AskDueEdit, DueEditAsked | null> = {
  name: "ask due edit",
  wants({ accountId, chargeId }, want) {
    want.row(chargesTable, { accountId, id: chargeId });
  },
  decide({ accountId, chargeId, to }, books, { now }): Decision<DueEditAsked | null> {
    const charge = books.find(chargesTable, { accountId, id: chargeId });
    if (!charge || charge.due === null) return { result: null };
    const { status, due, dueEdits, expiresAt } = charge;
    const open = openEdit(charge);
    const answer = (outcome: DueEditAsked["outcome"]) => ({ outcome, status });
    if (status !== "pending") return { result: answer("ended") };
    if (open !== null) return { result: answer(sameTerms(open.to, to) ? "open" : "other_open") };
    if (now >= expiresAt) return { result: { outcome: "ended", status: "expired" } };
    if (sameTerms(due, to)) return { result: answer("standing") };
    if ((dueEdits ?? []).length >= LIMITS.dueEdits) return { result: answer("too_many") };
    const edit: DueEdit = { from: due, to, askedAt: now.toISOString(), status: "asked", endedAt: null };
    const set = { due, dueEdits: [...(dueEdits ?? []), edit], expiresAt, updatedAt: now };
    return { result: answer("asked"), writes: [update(chargesTable, charge, "dueEdit", set)] };
  },
};

type EndDueEdit = {
  readonly accountId: string;
  readonly chargeId: string;
  /** The edit that the institution has answered. */
  readonly to: DueTerms;
  readonly end: "done" | "refused";
};

/**
 * Ends an edit as its institution has answered. One that another call has ended meanwhile stays as it is; that of a charge
 * that was paid meanwhile is never ended.
 *
 * @returns the status of the charge, and how its last edit to these terms ended; null when there is no such charge.
 */
export const endDueEdit: CommandKind<
  EndDueEdit,
  { readonly status: ChargeStatus; readonly end: DueEdit["status"] } | null
> = {
  name: "end due edit",
  wants({ accountId, chargeId }, want) {
    want.row(chargesTable, { accountId, id: chargeId });
  },
  decide({ accountId, chargeId, to, end }, books, { now }) {
    const charge = books.find(chargesTable, { accountId, id: chargeId });
    if (!charge || charge.due === null) return { result: null };
    const { status, due, dueEdits, expiresAt } = charge;
    const open = openEdit(charge);
    if (status !== "pending" || open === null || !sameTerms(open.to, to)) {
      const last = dueEdits?.findLast((edit) => sameTerms(edit.to, to));
      return { result: { status, end: last?.status ?? "refused" } };
    }
    const ended: DueEdit = { ...open, status: end, endedAt: now.toISOString() };
    const done = end === "done";
    const set = {
      due: done ? to : due,
      dueEdits: [...dueEdits!.slice(0, -1), ended],
      expiresAt: done ? payableUntil(to) : expiresAt,
      updatedAt: now,
    };
    return { result: { status, end }, writes: [update(chargesTable, charge, "dueEdit", set)] };
  },
};
