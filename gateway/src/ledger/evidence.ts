/**
 * Why money at an institution is booked as moved.
 * - `answer`: the institution's answer, or its notification if its answers leave the fact out.
 * - `proposal`: a proposal about a case that operators decided.
 * - `decision`: an entry of the audit log: what one operator decided alone.
 * - `receipt`: an assigned receipt of the house account, which has its own evidence.
 */
export type Evidence =
  | {
      readonly origin: "answer";
      /** The institution that answered. */
      readonly institutionId: string;
      /** End-to-end id of a received Pix, or our id of a payout. */
      readonly about: string;
      /** The answer as the institution sent it. Left out once the person whom it names was erased. */
      readonly said?: unknown;
    }
  | {
      readonly origin: "proposal" | "decision" | "receipt";
      /** Id of the proposal or of the audit log's entry, or end-to-end id of the receipt. */
      readonly about: string;
    };

/** Evidence from an institution's answer: the value that was read from it, or the part of it that the value names. */
export const answered = (institutionId: string, about: string, shown: { readonly said?: unknown }): Evidence => ({
  ...{ origin: "answer", institutionId, about },
  said: shown.said ?? shown,
});
