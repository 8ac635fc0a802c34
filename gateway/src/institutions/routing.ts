/** Why a charge or withdrawal went to its institution: stored with it, and described to operators in words. */
import { type Static, Type } from "typebox";
import { AnswerObject, AnswerPart, OPEN } from "../http/contract.ts";

const REASONS = {
  priority: "It is the first of the account's institutions that could take it.",
  share:
    "Institutions of the same priority divide charges and withdrawals by their shares, and it was this one's turn.",
  tariff: "Of the institutions of the same priority that could take it, it costs the least.",
  pinned: "The request named it.",
  failover: "An institution before it was tried and did not issue it.",
} as const;

const PASSED = {
  draining: "It is inactive, and takes nothing new.",
  no_due_dates: "It issues no charges with a due date.",
  no_payouts: "It only receives.",
  over_limit: "It is more than one Pix may be there.",
  down: "It did not answer.",
  at_capacity: "It had as many charges as it takes in a second.",
  refused: "It was tried there, and refused.",
  no_answer: "It was tried there, and no answer came in time.",
  balance: "By the books it does not hold enough, with what is on its way deducted.",
  repeats_unsafe: "A lost answer is not safely repeated there, and another institution could pay.",
} as const;

/** Why an institution was passed over. */
export type PassedBecause = keyof typeof PASSED;
type Reason = keyof typeof REASONS;

/** A choice as it is stored. */
export type Routing = {
  readonly reason: Reason;
  readonly passed: readonly { readonly institutionId: string; readonly because: PassedBecause }[];
};

const codes = (words: Readonly<Record<string, string>>): string =>
  Object.entries(words)
    .map(([code, says]) => `\`${code}\`: ${says}`)
    .join(" ");

export const ShownRouting = AnswerObject(
  "Routing",
  "Why an institution was chosen, as it was stored with the choice.",
  {
    reason: Type.Enum(Object.keys(REASONS) as Reason[], { ...OPEN, type: "string", description: codes(REASONS) }),
    says: Type.String({ description: "The reason in words." }),
    passed: Type.Array(
      AnswerPart("An institution that came before by the account's order.", {
        institutionId: Type.String({ format: "uuid", description: "Id of the institution." }),
        because: Type.Enum(Object.keys(PASSED) as PassedBecause[], {
          ...OPEN,
          type: "string",
          description: codes(PASSED),
        }),
        says: Type.String({ description: "The same in words." }),
      }),
      { description: "Those that were passed over, in that order." },
    ),
  },
);

/** A stored choice in words. Null is stored where the first institution took it, which is the usual case. */
export function toRouting(stored: Routing | null): Static<typeof ShownRouting> {
  const { reason, passed } = stored ?? { reason: "priority" as const, passed: [] };
  return {
    reason,
    says: REASONS[reason],
    passed: passed.map((one) => ({ ...one, says: PASSED[one.because] })),
  };
}

/** What is stored of a choice: nothing where the first institution took it. */
export const storedRouting = (routing: Routing): Routing | null =>
  routing.reason === "priority" && routing.passed.length === 0 ? null : routing;
