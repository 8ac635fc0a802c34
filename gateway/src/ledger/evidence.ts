import type { Said } from "../lib/said.ts";

/**
 * What a movement of money at an institution is booked from.
 * - `answer`: what the institution answered, or notified where its answers leave it out.
 * - `proposal`: what operators proposed about a case and decided.
 * - `decision`: what an operator decided alone: its entry of the audit log.
 * - `receipt`: a receipt of the house, which has an answer of its own and was assigned.
 */
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
      /** Id of the proposal or of the audit log's entry; end-to-end id of the receipt. */
      readonly about: string;
    };

/** The evidence of what an institution showed. */
export const answered = (institutionId: string, about: string, shown: Said): Evidence => ({
  ...{ origin: "answer", institutionId, about },
  said: shown.said ?? shown,
});
