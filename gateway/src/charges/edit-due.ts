import { auditTable } from "../audit-log/write.ts";
import { type Decision, insert, update, type Write } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { type DueEdit, type DueTerms, payableUntil, sameEffect, sameTerms } from "../lib/due.ts";
import { LIMITS } from "../lib/limits.ts";
import { type ChargeRow, type ChargeStatus, chargesTable } from "./charge.ts";
import { endedEdits, isSettledEdit, openEdit } from "./terms.ts";

type AskDueEdit = {
  readonly accountId: string;
  readonly chargeId: string;
  readonly to: DueTerms;
  /** Who requests the edit, for the audit log. */
  readonly actor: string;
};

/**
 * - `asked`: stored. `open`: the same edit was requested before and waits for its answer.
 * - `standing`: the charge has these terms already.
 * - `other_open`: another edit waits for its answer. `too_many`: see `LIMITS.dueEdits`.
 * - `ended`: the charge is not pending any more, or past its last day.
 */
type DueEditAsked = {
  readonly outcome: "asked" | "open" | "standing" | "other_open" | "too_many" | "ended";
  readonly status: ChargeStatus;
};

/** Stores new terms of a charge before its institution gets them. From now on a Pix by the old or the new terms is expected. */
export const askDueEdit: CommandKind<AskDueEdit, DueEditAsked | null> = {
  name: "ask due edit",
  wants({ accountId, chargeId }, want) {
    want.row(chargesTable, { accountId, id: chargeId });
  },
  decide({ accountId, chargeId, to, actor }, books, { now, newId }): Decision<DueEditAsked | null> {
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
    const askedAt = now.toISOString();
    const edit: DueEdit = {
      ...{ from: due, to, askedAt, status: "asked", endedAt: null, by: "merchant" },
      // The caller sends it at once.
      ...{ requests: 1, sentAt: askedAt, mayArrive: false },
    };
    const set = { due, dueEdits: [...(dueEdits ?? []), edit], expiresAt, updatedAt: now };
    const asked = { accountId, auditId: newId(), actor, action: "charge.edit_due", objectId: chargeId } as const;
    const entry = { ...asked, before: { due }, after: { due: to }, createdAt: now };
    return {
      result: answer("asked"),
      writes: [update(chargesTable, charge, "dueEdit", set), insert(auditTable, entry)],
    };
  },
};

type OfEdit = {
  readonly accountId: string;
  readonly chargeId: string;
  /** The terms of the edit. */
  readonly to: DueTerms;
};

/** One of the requests of an edit. */
export type EditRequest = {
  /** Its number, from 1. */
  readonly request: number;
  /** When the newest earlier request without a known answer was counted; null for the first. */
  readonly sentBefore: string | null;
};

/**
 * Counts one more request of an open edit, before it is sent. Null: the edit has ended meanwhile, or was sent often enough
 * (`LIMITS.dueEditRequests`).
 */
export const countDueEditRequest: CommandKind<OfEdit, EditRequest | null> = {
  name: "send due edit",
  wants({ accountId, chargeId }, want) {
    want.row(chargesTable, { accountId, id: chargeId });
  },
  decide({ accountId, chargeId, to }, books, { now }): Decision<EditRequest | null> {
    const charge = books.find(chargesTable, { accountId, id: chargeId });
    const open = charge ? openEdit(charge) : null;
    if (!charge || open === null || charge.status !== "pending" || !sameTerms(open.to, to)) return { result: null };
    if (open.requests >= LIMITS.dueEditRequests) return { result: null };
    const sent = { ...open, requests: open.requests + 1, sentAt: now.toISOString() };
    return {
      result: { request: sent.requests, sentBefore: open.sentAt },
      writes: [update(chargesTable, charge, "dueEdit", withLast(charge, sent, now))],
    };
  },
};

type EndDueEdit = OfEdit &
  (
    | { readonly end: "done" }
    | ({
        readonly end: "refused";
        /** The institution still shows the old terms, and no earlier request can arrive any more. */
        readonly isProven: boolean;
      } & EditRequest)
    /** The institution shows terms that are neither the old nor the new ones. */
    | { readonly end: "other"; readonly shown: DueTerms }
  );

/**
 * Ends an edit as its institution has answered. The edit of a charge that was paid meanwhile stays open.
 * - **Done**: the charge gets the new terms, even if another call has ended the edit as refused.
 * - **Other terms**: they become the charge's, and are added to the history of edits.
 * - **Refused**: ends the edit only if this was its only request, or if it is proven (`isProven`): an earlier request may
 *   still be made.
 *
 * @returns the status of the charge, and the status of its last edit to these terms; null when there is no such charge.
 */
export const endDueEdit: CommandKind<
  EndDueEdit,
  { readonly status: ChargeStatus; readonly end: DueEdit["status"] } | null
> = {
  name: "end due edit",
  wants({ accountId, chargeId }, want) {
    want.row(chargesTable, { accountId, id: chargeId });
  },
  decide(command, books, { now }) {
    const { accountId, chargeId, to, end } = command;
    const charge = books.find(chargesTable, { accountId, id: chargeId });
    if (!charge || charge.due === null) return { result: null };
    const { status, due, dueEdits, expiresAt } = charge;
    const open = openEdit(charge);
    const is = (last: DueEdit["status"], set?: DueChange) => ({
      result: { status, end: last },
      ...(set && { writes: [update(chargesTable, charge, "dueEdit", set)] }),
    });
    if (status !== "pending" || open === null || !sameTerms(open.to, to)) {
      if (status === "pending" && end === "done" && !sameTerms(due, to))
        return is("done", withShownTerms(charge, to, now));
      return is(dueEdits?.findLast((edit) => sameTerms(edit.to, to))?.status ?? "refused");
    }
    const ended = { ...open, endedAt: now.toISOString(), mayArrive: open.requests > 1 };
    if (end === "done") {
      const set = withLast(charge, { ...ended, status: end }, now);
      return is(end, { ...set, due: to, expiresAt: payableUntil(to) });
    }
    if (end === "other") {
      const refused = withLast(charge, { ...ended, status: "refused", mayArrive: true }, now);
      return is("refused", withShownTerms({ ...charge, ...refused }, command.shown, now));
    }
    const isLast = command.request === open.requests;
    if (isLast && (command.request === 1 || command.isProven))
      return is(end, { ...withLast(charge, { ...ended, status: end }, now), expiresAt });
    // This request was answered. Only earlier ones may still be on their way.
    if (!isLast || command.sentBefore === null) return is("asked");
    return is("asked", withLast(charge, { ...open, sentAt: command.sentBefore }, now));
  },
};

/**
 * Stores terms that the institution shows and that no edit of ours requested: somebody changed them at the bank itself, or
 * the books were restored from before the edit. Does nothing soon after an edit, since the institution's reads may lag behind.
 */
export const learnDueTerms: CommandKind<Omit<OfEdit, "to"> & { readonly shown: DueTerms }, boolean> = {
  name: "learn due terms",
  wants({ accountId, chargeId }, want) {
    want.row(chargesTable, { accountId, id: chargeId });
  },
  decide({ accountId, chargeId, shown }, books, { now }) {
    const charge = books.find(chargesTable, { accountId, id: chargeId });
    if (!charge || charge.due === null || charge.status !== "pending") return { result: false };
    const { due, dueEdits, expiresAt } = charge;
    const isEnded = expiresAt < payableUntil(due);
    if (isEnded || !isSettledEdit(charge, now) || sameEffect(due, shown)) return { result: false };
    // A bank that shows others each time would make the history endless.
    if ((dueEdits ?? []).length >= 2 * LIMITS.dueEdits) return { result: false };
    return { result: true, writes: [update(chargesTable, charge, "dueEdit", withShownTerms(charge, shown, now))] };
  },
};

/** The write that ends an unpaid charge, and with it an edit that still had no answer. */
export function endCharge(charge: ChargeRow, status: "expired" | "cancelled", now: Date): Write {
  const set = { status, closedAt: now, updatedAt: now } as const;
  if (openEdit(charge) === null) return update(chargesTable, charge, "end", set);
  return update(chargesTable, charge, "endWithEdit", { ...set, dueEdits: endedEdits(charge, now) });
}

type DueChange = Pick<ChargeRow, "due" | "dueEdits" | "expiresAt" | "updatedAt">;

/** The charge with its last edit replaced. */
const withLast = ({ due, dueEdits, expiresAt }: ChargeRow, last: DueEdit, now: Date): DueChange => ({
  ...{ due, expiresAt, updatedAt: now },
  dueEdits: [...dueEdits!.slice(0, -1), last],
});

/** The charge with the terms that its institution shows. An edit that is still open stays the last one. */
function withShownTerms(charge: ChargeRow, shown: DueTerms, now: Date): DueChange {
  const [open, at] = [openEdit(charge), now.toISOString()];
  const edit: DueEdit = {
    ...{ from: charge.due!, to: shown, askedAt: at, status: "done", endedAt: at, by: "institution" },
    ...{ requests: 0, sentAt: at, mayArrive: true },
  };
  const before = (charge.dueEdits ?? []).filter((earlier) => earlier !== open);
  return {
    ...{ due: shown, expiresAt: payableUntil(shown), updatedAt: now },
    dueEdits: [...before, edit, ...(open === null ? [] : [open])],
  };
}
