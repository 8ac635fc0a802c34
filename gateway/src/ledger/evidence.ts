import { instant, int, nullable, oneOf, table, text, textOf, uuid } from "../db/columns.ts";
import type { Tx } from "../db/pool.ts";
import type { Posting } from "./books.ts";
import type { TransferKind } from "./chart.ts";

/**
 * What a movement of money at an institution is booked from.
 * - `answer`: what the institution answered, or notified where its answers leave it out.
 * - `proposal`: what operators proposed about a case and decided.
 * - `decision`: what an operator decided alone; the audit log has it under this object.
 * - `receipt`: a receipt of the house, which has an answer of its own and was assigned.
 */
export const EVIDENCE_ORIGINS = ["answer", "proposal", "decision", "receipt"] as const;
export type Evidence =
  | {
      readonly origin: "answer";
      /** Who answered. */
      readonly institutionId: string;
      /** End-to-end id of a received Pix, or our id of a payout. */
      readonly about: string;
      /** Left out: the person whom it names was erased before. */
      readonly said?: unknown;
    }
  | {
      readonly origin: "proposal" | "decision" | "receipt";
      /** Id of the proposal or of the audit log's object; end-to-end id of the receipt. */
      readonly about: string;
    };

/** The part of an answer, as its institution wrote it, that a value was read from. */
export type Said = {
  /** Left out: the value is all that there is. */
  readonly said?: unknown;
};

/** The evidence of what an institution showed. */
export const answered = (institutionId: string, about: string, shown: Said): Evidence => ({
  ...{ origin: "answer", institutionId, about },
  said: shown.said ?? shown,
});

/** One row for each transfer at an institution, by the transfer's key. Only its text is ever erased. */
const bookingEvidence = table({
  name: "booking_evidence",
  key: ["accountId", "sourceId", "kind", "leg"],
  columns: {
    accountId: uuid,
    sourceId: uuid,
    kind: textOf<TransferKind>(),
    leg: int,
    origin: oneOf(EVIDENCE_ORIGINS),
    institutionId: nullable(uuid),
    about: text,
    body: nullable(text),
    bookedAt: instant,
  },
});
const insertEvidence = bookingEvidence.inserter([
  "accountId", "sourceId", "kind", "leg", "origin", "institutionId", "about", "body", "bookedAt",
]); // biome-ignore format: a list

const isAtInstitution = ({ from, to }: Posting): boolean => from.kind === "psp" || to.kind === "psp";

/** Writes what the postings at institutions are booked from. A command that names nothing is a bug. */
export async function writeEvidence(tx: Tx, postings: readonly Posting[], bookedAt: Date): Promise<void> {
  const rows = postings.filter(isAtInstitution).map(({ evidence, accountId, sourceId, kind, leg }) => {
    if (evidence === undefined) throw new Error(`a transfer ${kind} at an institution has no evidence`);
    const { origin, about } = evidence;
    const answer = origin === "answer" ? evidence : null;
    return {
      ...{ accountId, sourceId, kind, leg, origin, institutionId: answer?.institutionId ?? null, about },
      body: answer?.said === undefined ? null : JSON.stringify(answer.said),
      bookedAt,
    };
  });
  if (rows.length > 0) await insertEvidence(tx, rows);
}
