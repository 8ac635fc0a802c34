import { type AuditRow, auditTable, evidenceOfEntry } from "../audit-log/write.ts";
import { carryingOut, type Facts, NO_STANDING, type Standing } from "../cases/basis.ts";
import { closeCase } from "../cases/write.ts";
import { claimedPixTable, claimWrites, wantMoneyOf, wantPix } from "../claims/pix.ts";
import { receivedPixTable } from "../claims/received-pix.ts";
import { ApiError } from "../http/errors.ts";
import { type Decision, insert, update, type Write } from "../ledger/books.ts";
import type { CommandKind, Deciding, Want } from "../ledger/lane.ts";
import { assignmentsTable } from "../unmatched/assignment.ts";
import { receiptStanding } from "../unmatched/decided.ts";
import { receivedInto, sidesOf, type TreasuryEntry, transfersOf, treasuryTable } from "./entry.ts";

/** An entry to be booked, with the operator who decided it. */
type BookEntry = {
  /** The house account. */
  readonly accountId: string;
  /** The entry as it will be booked, without the time of booking. */
  readonly entry: Omit<TreasuryEntry, "status" | "bookedAt" | "createdAt">;
  /** Name of the operator who decides. */
  readonly actor: string;
};

const keyOf = ({ accountId, entry }: BookEntry) => ({ accountId, id: entry.entryId });

function wantEntry(command: BookEntry, want: Want): void {
  want.row(treasuryTable, keyOf(command));
  for (const { from, to } of sidesOf(command.entry)) {
    want.ledger(command.accountId, from);
    want.ledger(command.accountId, to);
  }
}

const resolved = (status: string): ApiError => new ApiError("UNMATCHED_RESOLVED", undefined, { status });

/** One id is booked once: a repeat returns what was booked. */
export const bookEntry: CommandKind<BookEntry, TreasuryEntry | ApiError> = {
  name: "book treasury entry",
  evidence: evidenceOfEntry,
  wants: wantEntry,
  decide(command, books, deciding) {
    const stored = books.find(treasuryTable, keyOf(command));
    if (stored?.status === "booked") return { result: stored };
    if (stored?.status === "discarded") return { result: resolved("discarded") };

    // ---- All checks are done.
    if (!stored) return booked(command, deciding);
    const end = { status: "booked", bookedAt: deciding.now } as const;
    const after: TreasuryEntry = { ...stored, ...end };
    return {
      result: after,
      transfers: transfersOf(after),
      writes: [update(treasuryTable, stored, "end", end), logged(after, command.actor, deciding)],
    };
  },
};

function booked({ accountId, entry, actor }: BookEntry, deciding: Deciding): Decision<TreasuryEntry> {
  const { now } = deciding;
  const fresh: TreasuryEntry = { ...entry, accountId, status: "booked", createdAt: now, bookedAt: now };
  return {
    result: fresh,
    transfers: transfersOf(fresh),
    writes: [insert(treasuryTable, fresh), logged(fresh, actor, deciding)],
  };
}

/** The id that an institution gives to a booked entry. */
type NameEntry = {
  readonly accountId: string;
  readonly entryId: string;
  readonly about: string;
  readonly actor: string;
};

/**
 * Stores the institution's id of a booked entry, which was unknown when it was booked. Nothing moves; a repeat changes
 * nothing.
 */
export const nameEntry: CommandKind<NameEntry, TreasuryEntry | ApiError> = {
  name: "name treasury entry",
  wants: ({ accountId, entryId }, want) => want.row(treasuryTable, { accountId, id: entryId }),
  decide({ accountId, entryId, about, actor }, books, deciding) {
    const stored = books.find(treasuryTable, { accountId, id: entryId });
    if (stored?.status !== "booked") throw new Error("an entry to name that is not booked");
    if (stored.about === about) return { result: stored };
    if (stored.about !== null) return { result: resolved("booked") };

    // ---- All checks are done.
    const after: TreasuryEntry = { ...stored, about };
    return {
      result: after,
      writes: [update(treasuryTable, stored, "name", { about }), logged(after, actor, deciding, "treasury.name")],
    };
  },
};

/** Ends an entry that waits for a second person, without booking it. */
export const discardEntry: CommandKind<BookEntry, TreasuryEntry | ApiError> = {
  name: "discard treasury entry",
  wants: (command, want) => want.row(treasuryTable, keyOf(command)),
  decide(command, books, deciding) {
    const stored = books.find(treasuryTable, keyOf(command));
    if (!stored) throw new Error("an entry to discard that does not exist");
    if (stored.status === "discarded") return { result: stored };
    if (stored.status === "booked") return { result: resolved("booked") };

    // ---- All checks are done.
    const end = { status: "discarded", bookedAt: null } as const;
    const after: TreasuryEntry = { ...stored, ...end };
    return {
      result: after,
      writes: [update(treasuryTable, stored, "end", end), logged(after, command.actor, deciding)],
    };
  },
};

/**
 * Books a received Pix without a charge as the operator's own, out of suspense. One receipt is decided once: as treasury,
 * for a charge, or to go back. `entry.entryId` is the receipt's id.
 */
export const bookReceipt: CommandKind<BookEntry & { readonly e2eId: string }, TreasuryEntry | ApiError> = {
  name: "book receipt as treasury",
  wants(command, want) {
    wantEntry(command, want);
    const key = { accountId: command.accountId, id: command.e2eId };
    want.row(receivedPixTable, key);
    want.row(assignmentsTable, key);
    wantPix(want, command.accountId, command.e2eId);
  },
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide(command, books, deciding) {
    const { accountId, e2eId, actor } = command;
    const key = { accountId, id: e2eId };
    const stored = books.find(treasuryTable, keyOf(command));
    if (stored) return { result: stored.kind === command.entry.kind ? stored : resolved("booked") };
    const received = books.find(receivedPixTable, key)!;
    const pix = books.find(claimedPixTable, key)!;
    const assignment = books.find(assignmentsTable, key);
    if (assignment) return { result: resolved(assignment.status) };
    // A part has gone back or is on its way, so it is not the operator's whole movement.
    if (pix.returns.length > 0 || pix.pspReturns.length > 0) return { result: resolved("returned") };
    if (pix.blocks.length > 0) return { result: resolved("blocked") };

    // ---- All checks are done.
    const { result, transfers = [], writes = [] } = booked(command, deciding);
    return {
      result,
      transfers,
      writes: [
        ...writes,
        update(receivedPixTable, received, "outcome", { outcome: "treasury" }),
        ...claimWrites(pix, { ...pix, outcome: "treasury", bookedAs: receivedInto(command.entry.kind) }),
        closeCase(
          { accountId, kind: "unmatched_receipt", objectId: received.pixId, because: "decided", actor },
          deciding,
        ),
      ],
    };
  },
};

/** The state of an entry on which a decision is based; nothing while it is only proposed. */
export const entryStanding: Standing<{ readonly accountId: string; readonly entryId: string }> = {
  wants: ({ accountId, entryId: id }, want) => want.row(treasuryTable, { accountId, id }),
  facts({ accountId, entryId: id }, books) {
    const stored = books.find(treasuryTable, { accountId, id });
    return stored ? factsOfEntry(stored) : {};
  },
};
export const factsOfEntry = ({ status, kind, amount }: Pick<TreasuryEntry, "status" | "kind" | "amount">): Facts => ({
  ...{ status, kind, amount },
});

/** The decisions below run only while the entry or receipt is as it was when the operators decided. */
const entryOf = ({ accountId, entry: { entryId } }: BookEntry) => ({ accountId, entryId });
export const bookDecided = carryingOut(bookEntry, entryStanding, entryOf);
export const nameDecided = carryingOut(nameEntry, NO_STANDING, (command) => command);
export const discardDecided = carryingOut(discardEntry, entryStanding, entryOf);
export const bookDecidedReceipt = carryingOut(bookReceipt, receiptStanding, (command) => command);

type Action = Extract<AuditRow["action"], `treasury.${string}`>;

function logged(
  entry: TreasuryEntry,
  actor: string,
  { now, newId }: Deciding,
  action: Action = entry.status === "discarded" ? "treasury.discard" : "treasury.book",
): Write {
  const { accountId, entryId: objectId, kind, institutionId, toInstitutionId, amount, about, status } = entry;
  const after = { kind, institutionId, toInstitutionId, amount, about, status };
  return insert(auditTable, {
    ...{ accountId, auditId: newId(), actor, action, objectId, before: null, after },
    createdAt: now,
  });
}
