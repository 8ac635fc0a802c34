import { type Static, Type } from "typebox";
import { AnswerObject, OPEN, OrNull, ref } from "../http/contract.ts";
import { toBrl } from "../lib/money.ts";
import type { Capabilities } from "../psp/capabilities.ts";

const oneOf = <V extends string>(values: readonly V[], description: string) =>
  Type.Enum([...values], { ...OPEN, type: "string", description });

const calls = (description: string) => Type.Integer({ description });

const callsWithin = (time: "minute" | "second") =>
  Type.Optional(
    Type.Partial(
      Type.Object({
        tokens: calls("Token calls: kept to, beside a growing pause after one that failed."),
        charges: calls("Charges: kept to unless `capacityPerSecond` is set."),
        payouts: calls("Payouts: kept to."),
        payout_queries: calls("Queries for a payout: kept to."),
        balance: calls("Reads of the balance: kept to."),
      }),
      { description: `Calls a ${time} that its rules allow; a kind that is left out has no known limit.` },
    ),
  );

const BankDefence = AnswerObject("BankDefence", "How a bank takes the defence of a MED case.", {
  deadline: oneOf(["shown", "not_shown"], "Whether a case shows until when a defence is taken."),
  evidence: oneOf(
    ["text", "document"],
    "`text`: it takes a text. `document`: a document, whose description is the text.",
  ),
});
const BankPayouts = AnswerObject("BankPayouts", "How a bank pays out.", {
  to: Type.Array(oneOf(["key", "account", "qr_code"], "A kind of receiver."), {
    description: "What a payout may be sent to.",
  }),
  holderChecked: Type.Boolean({
    description: "Whether it refuses to pay a key whose owner is another than the withdrawal's holder.",
  }),
  foundBy: oneOf(["our_id", "bank_id"], "By which id a payout is found whose answer was lost."),
  repeat: oneOf(
    ["our_id", "list_first"],
    "What makes a repeat safe. `our_id`: the same id never pays twice. `list_first`: its list is searched first.",
  ),
  remembered: oneOf(["for_ever", "unknown"], "For how long it knows a repeat."),
  authorised: Type.Boolean({
    description: "Whether it pays in two steps: a request prepares a payout, and a second call lets it be paid.",
  }),
  listed: Type.Boolean({
    description: "Whether it lists what was sent; where it does not, days are compared without payouts.",
  }),
  approvedAtBank: Type.Boolean({ description: "Whether a person may have to approve payouts at the bank." }),
});
const BankCapabilities = AnswerObject(
  "BankCapabilities",
  "What a bank can do through its adapter here; it may offer more.",
  {
    charges: Type.Array(oneOf(["immediate", "due"], "`immediate`: `cob` of API Pix. `due`: `cobv`, with a due date."), {
      description: "Kinds of charges that it issues.",
    }),
    chargesShown: oneOf(
      ["always", "once_paid"],
      "When the query for a charge shows it. `once_paid`: an unpaid charge is absent.",
    ),
    dueEdits: Type.Boolean({ description: "Whether it changes the terms of a pending charge with a due date." }),
    receivedList: oneOf(
      ["all", "charges_only"],
      "What its list of received Pix contains. `charges_only`: a plain transfer to the key is left out.",
    ),
    staticCodes: Type.Boolean({
      description:
        "Whether it shows each Pix of a static code with the code's txid: without it no code that stays is made.",
    }),
    tills: Type.Boolean({
      description: "Whether it makes locations (`loc` of API Pix), on which one charge after the other is put.",
    }),
    automatic: Type.Boolean({
      description: "Whether recurring charges of Pix Automático are made there. No adapter does so yet.",
    }),
    payers: oneOf(
      ["in_notifications", "varies", "never"],
      "Where it names the payer. `varies`: the standard leaves the payer out, and some banks add it.",
    ),
    returns: oneOf(["whole", "parts"], "`parts`: a received Pix goes back in several returns, up to its amount."),
    tariffs: Type.Boolean({ description: "Whether it reports what it charges for a Pix." }),
    balance: Type.Boolean({ description: "Whether it reports its balance." }),
    infractions: Type.Boolean({ description: "Whether it lists MED cases and takes a defence." }),
    precautionaryBlocks: Type.Optional(
      Type.Boolean({ description: "Whether it shows the received Pix that it holds while it looks at them." }),
    ),
    payouts: OrNull(ref(BankPayouts), "How it pays out; null: it only receives."),
    maxAmount: OrNull(Type.Number(), "Most of one Pix, BRL; null: no limit is known."),
    sandboxPayment: oneOf(
      ["by_command", "by_itself", "none"],
      "How a charge of its sandbox is paid. `by_command`: by `/v2/sandbox`. `by_itself`: the bank pays small ones.",
    ),
    perMinute: callsWithin("minute"),
    perSecond: callsWithin("second"),
    pageItems: Type.Optional(Type.Integer({ description: "Most items on a page of its lists." })),
    zone: Type.Optional(
      oneOf(["written", "brasilia"], "`written`: its times name their zone. `brasilia`: they do not."),
    ),
    defence: Type.Optional(ref(BankDefence)),
  },
);
/** What a bank can do, in an answer about it. */
export const able = {
  capabilities: ref(BankCapabilities),
  unverified: Type.Array(Type.String(), {
    description: "What nobody has confirmed, beside everything that only the live bank can show.",
  }),
};
/** What a bank can do, as the operator API shows it. */
export function showAbilities({ unverified, maxAmount, charges, payouts, ...can }: Capabilities) {
  const capabilities: Static<typeof BankCapabilities> = {
    ...can,
    charges: [...charges],
    payouts: payouts && showPayouts(payouts),
    maxAmount: maxAmount === null ? null : toBrl(maxAmount),
  };
  return { capabilities, unverified: [...unverified] };
}

const showPayouts = ({ numbers: _, to, ...payouts }: NonNullable<Capabilities["payouts"]>) => ({
  ...payouts,
  to: [...to],
});
