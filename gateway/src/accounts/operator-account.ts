import { type Static, Type } from "typebox";
import { AnswerObject, AnswerPart, Name, OPEN, RequestObject, RequestPart, ref } from "../http/contract.ts";
import { pageOf } from "../http/pages.ts";
import { VISIBLE } from "../http/validation-error.ts";
import { STATED_NEEDS } from "./account.ts";
import { Fee } from "./fees.ts";
import { PayoutPolicyFields } from "./payout-policy.ts";
import { Warnings } from "./warnings.ts";
import { Frozen, LimitFields, ShownLimits } from "./withdrawal-limits.ts";

const ENVIRONMENT =
  "Whether its money is simulated or real: only institutions of the same can be linked. Never changes.";
const NAME = { maxLength: 255, description: "Name of the account, for people." };

export const AccountRequest = RequestObject("AccountRequest", "An account to open.", {
  name: Name(NAME),
  legalName: Type.Optional(
    Type.String({ maxLength: 255, [VISIBLE]: "some", description: "Legal name of the company." }),
  ),
  document: Type.Optional(
    Type.String({ maxLength: 14, description: "CPF or CNPJ, without punctuation, with right check digits." }),
  ),
  environment: Type.Optional(
    Type.Enum(["sandbox", "production"], { description: `${ENVIRONMENT} Left out: that of the installation.` }),
  ),
  limits: Type.Optional(LimitFields),
});

const STATUS = Type.Enum(["approved", "pending", "suspended"], {
  description: "Suspended: its credentials can read only; money of earlier charges is still credited.",
});
const policies = {
  blockCnpjPayers: Type.Boolean({ description: "Whether a deposit of a payer with a CNPJ is sent back." }),
  unknownPayers: Type.Enum(["credit", "return"], {
    description: "What becomes of a deposit without a payer's document, where CNPJ payers are blocked.",
  }),
  institutionChoice: Type.Boolean({ description: "Whether a charge may name its institution (`pspCredentialId`)." }),
  uncheckedHolders: Type.Boolean({
    description:
      "Whether withdrawals may leave by an institution that does not compare the owner of the PIX key with the holder before it pays. Without it such an institution cannot be linked.",
  }),
  needs: Type.Array(Type.Enum([...STATED_NEEDS], { ...OPEN, description: "Something that banks differ in." }), {
    maxItems: STATED_NEEDS.length,
    uniqueItems: true,
    description:
      "What the account needs of its institutions. `partial_refunds` (a payment goes back in several returns) and `disputes` (MED cases are listed and defended) of each that receives; of one at least `payouts`, `unattended_payouts` (nobody has to approve them at the bank), `due_dates`, `static_codes` (codes that stay) and `tills`. An institution that adds nothing of what is missing is not linked.",
  }),
  latePayments: Type.Enum(["credit", "return"], {
    description: "What becomes of a payment made after expiry or cancellation.",
  }),
};
export const AccountPatch = RequestObject(
  "AccountPatch",
  "What may be changed of an account; what is left out stays.",
  {
    status: Type.Optional(STATUS),
    policies: Type.Optional(
      RequestPart("Policies to change.", {
        blockCnpjPayers: Type.Optional(policies.blockCnpjPayers),
        unknownPayers: Type.Optional(policies.unknownPayers),
        institutionChoice: Type.Optional(policies.institutionChoice),
        uncheckedHolders: Type.Optional(policies.uncheckedHolders),
        latePayments: Type.Optional(policies.latePayments),
        needs: Type.Optional(policies.needs),
      }),
    ),
    fees: Type.Optional(
      RequestPart("Fees to change, each as a whole.", {
        charge: Type.Optional(ref(Fee)),
        withdrawal: Type.Optional(ref(Fee)),
        refund: Type.Optional(ref(Fee)),
      }),
    ),
    limits: Type.Optional(LimitFields),
    payouts: Type.Optional(PayoutPolicyFields),
  },
);

const brl = (description: string) => Type.Number({ description });
const AccountBalance = AnswerPart(
  "Sums of all its wallets, main account included; only in a list that was read with `balance=true`, and left out where the page would have to sum more than 10,000 wallets for it.",
  {
    available: brl("What can be withdrawn, BRL: a wallet below zero counts as nothing, since no other pays its debt."),
    held: brl("What is reserved for withdrawals, refunds and balance blocks, BRL."),
    promotional: brl("Credit that cannot be withdrawn, BRL."),
  },
);

export const OperatorAccount = AnswerObject("OperatorAccount", "An account as its operator sees it.", {
  id: Type.String({ format: "uuid", description: "Id of the account." }),
  name: Type.String({ description: NAME.description }),
  legalName: Type.Optional(Type.String({ description: "Legal name of the company." })),
  document: Type.Optional(Type.String({ description: "CPF or CNPJ." })),
  environment: Type.Enum(["sandbox", "production"], { description: ENVIRONMENT }),
  status: STATUS,
  policies: AnswerPart("How money that comes in is treated.", policies),
  fees: AnswerPart("What the account pays for each operation.", {
    charge: ref(Fee),
    withdrawal: ref(Fee),
    refund: ref(Fee),
  }),
  limits: ShownLimits,
  payouts: PayoutPolicyFields,
  withdrawalsFrozen: Type.Optional(Frozen),
  balance: Type.Optional(AccountBalance),
  ...Warnings,
  createdAt: Type.String({ format: "date-time", description: "When it was opened." }),
  updatedAt: Type.String({ format: "date-time", description: "When it last changed." }),
});
export type OperatorAccount = Static<typeof OperatorAccount>;

export const OperatorAccountPage = pageOf(OperatorAccount, "A page of the accounts of this installation.");
