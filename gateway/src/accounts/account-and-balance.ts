import { type Static, Type } from "typebox";
import { AnswerObject, AnswerPart, OrNull, ref } from "../http/contract.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { type AccountRow, feeOf } from "./account.ts";
import { Fee, toFee } from "./fees.ts";

const Money = AnswerObject("Money", "An amount of a balance.", {
  amount: Type.Integer({ description: "Centavos (minor units)." }),
  amountFormatted: Type.Number({ description: "The same in BRL (currency units)." }),
});
const balance = (description: string) => Type.Unsafe<Static<typeof Money>>({ $ref: "Money#", description });

const AccountLimit = AnswerObject("AccountLimit", "A limit of withdrawals, and what is left of it.", {
  limit: OrNull(Type.Number(), "The most, BRL; of `perHourCount` a number of withdrawals. Null: no limit."),
  used: Type.Number({
    description:
      "What withdrawals that did not fail have used of it, BRL; of `perHourCount` a number of withdrawals. Those of all wallets, or in `walletLimits` those of the sub-account.",
  }),
  remaining: OrNull(
    Type.Number(),
    "What is left of it, never below zero, BRL; of `perHourCount` a number of withdrawals. Null: no limit.",
  ),
  resetsAt: OrNull(
    Type.String({ format: "date-time" }),
    "When `used` is zero again; null for `perWithdrawal`, and for `perNight` by day.",
  ),
});
type AccountLimit = Static<typeof AccountLimit>;
const limit = (description: string) => Type.Unsafe<AccountLimit>({ $ref: "AccountLimit#", description });
const nullable = (description: string) => OrNull(Type.Number(), description);

const AccountLimits = AnswerPart(
  "Extension. Limits of withdrawals, counted over all wallets of the account. `limitName` of `WITHDRAWAL_LIMIT_EXCEEDED` names the one that a request would pass.",
  {
    perWithdrawal: limit("One withdrawal."),
    perDay: limit("All withdrawals of a day of São Paulo."),
    perNight: limit("All withdrawals of a night of São Paulo, 20:00 to 06:00."),
    perHourCount: limit("How many withdrawals an hour of the clock may have."),
    perHourSum: limit("All withdrawals of an hour of the clock."),
  },
);
export type AccountLimits = Static<typeof AccountLimits>;

const WalletLimits = AnswerPart(
  "Extension. Only of a sub-account: limits that the operator set for its withdrawals, beside `limits`; `used` counts the sub-account alone. Where a request would pass one, the details of `WITHDRAWAL_LIMIT_EXCEEDED` name the `subAccount`.",
  {
    perWithdrawal: limit("One withdrawal of the sub-account."),
    perDay: limit("All withdrawals of the sub-account of a day of São Paulo."),
    perNight: limit("All withdrawals of the sub-account of a night of São Paulo, 20:00 to 06:00."),
  },
);
export type WalletLimits = Static<typeof WalletLimits>;

const AccountPolicies = AnswerPart("Extension. What the operator has decided about the account's money.", {
  blockCnpjPayers: Type.Boolean({ description: "Whether a deposit of a payer with a CNPJ is sent back." }),
  unknownPayers: Type.Enum(["credit", "return"], {
    description: "What becomes of a deposit without a payer's document, where CNPJ payers are blocked.",
  }),
  latePayments: Type.Enum(["credit", "return"], {
    description: "What becomes of a payment made after expiry or cancellation.",
  }),
  institutionChoice: Type.Boolean({ description: "Whether a charge may name its institution (`pspCredentialId`)." }),
  approvalAbove: nullable("Above this, BRL, another credential must approve a withdrawal; null: never."),
  newKeyWaitMinutes: nullable("How long a withdrawal to a key that was never paid waits; null: not at all."),
  newKeyMaxAmount: nullable("Most that may be on its way to a key that was never paid, BRL; null: no limit."),
});

export const AccountAndBalance = AnswerObject(
  "AccountAndBalance",
  "The account and the balance of the wallet that the call runs against.",
  {
    account: AnswerPart("The account of the credential.", {
      id: Type.String({ format: "uuid", description: "Id of the account." }),
      status: Type.Enum(["approved", "pending", "suspended"], { description: "Status of the account." }),
      environment: Type.Enum(["sandbox", "production"], {
        description: "Extension. Whether its money is simulated or real. Never changes.",
      }),
      company: Type.Optional(
        AnswerPart("Extension. The company, when it is known.", {
          legalName: Type.Optional(Type.String({ description: "Legal name of the company." })),
          document: Type.Optional(Type.String({ description: "CNPJ or CPF of the company." })),
        }),
      ),
    }),
    balance: AnswerPart("The balance of the wallet.", {
      available: balance("What can be withdrawn. A MED can take it below zero."),
      promotional: balance("Credit given by the operator, which cannot be withdrawn."),
      held: balance("Reserved for withdrawals, refunds and balance blocks under way."),
      total: balance("available + promotional + held."),
      currency: Type.Literal("BRL", { description: "Currency code." }),
      updatedAt: Type.String({
        format: "date-time",
        description: "When the balance last changed; of a wallet without a line, when it was opened.",
      }),
      lastLine: Type.Integer({
        description:
          "Extension. Number of the statement's line at which `available` stands (`line` of `GET /statement`); 0: none yet.",
      }),
    }),
    fees: AnswerPart("Extension. What the account pays for each operation, as it is now.", {
      charge: ref(Fee),
      withdrawal: ref(Fee),
      refund: ref(Fee),
    }),
    limits: AccountLimits,
    walletLimits: Type.Optional(WalletLimits),
    policies: AccountPolicies,
  },
);

const money = (centavos: number) => ({ amount: centavos, amountFormatted: toBrl(centavos) });
const brl = (centavos: number | null): number | null => (centavos === null ? null : toBrl(centavos));

/** The columns that an account's answer is made from. */
export const SHOWN = [
  "accountId", "status", "environment", "legalName", "document", "chargeFeeFixed", "chargeFeeBps", "chargeFeeMin", "chargeFeeMax",
  "withdrawalFeeFixed", "withdrawalFeeBps", "withdrawalFeeMin", "withdrawalFeeMax", "refundFeeFixed", "refundFeeBps", "refundFeeMin",
  "refundFeeMax", "limitPerWithdrawal", "limitPerDay", "limitPerNight", "payoutsPerHourCount", "payoutsPerHourSum",
  "blockCnpjPayers", "unknownPayers", "latePayments", "institutionChoice", "payoutApprovalAbove", "newKeyWaitMinutes",
  "newKeyMaxAmount",
] as const; // biome-ignore format: a list
export type ShownAccount = Pick<AccountRow, (typeof SHOWN)[number]>;

/** The balances of a wallet, centavos; null: it has no line yet. */
export type Balances = {
  readonly available: number | null;
  readonly promotional: number | null;
  readonly held: number | null;
  /** Number of the last line of `available`. */
  readonly lastLine: number | null;
  /** When the last line of any of them was booked. */
  readonly changedAt: Date | null;
  readonly openedAt: Date;
};

/** What is left of the withdrawal limits of the account and of the call's sub-account (null: the main account). */
export type Limits = { readonly limits: AccountLimits; readonly walletLimits: WalletLimits | null };

type Company = NonNullable<Static<typeof AccountAndBalance>["account"]["company"]>;

/** What `GET /account` answers. */
export function toAccountAndBalance(
  account: ShownAccount,
  balances: Balances,
  { limits, walletLimits }: Limits,
): Static<typeof AccountAndBalance> {
  const { available, promotional, held } = balances;
  const company = present<Company>({ legalName: account.legalName, document: account.document });
  return present({
    account: {
      id: account.accountId,
      status: account.status,
      environment: account.environment,
      ...(Object.keys(company).length > 0 ? { company } : {}),
    },
    balance: {
      available: money(available ?? 0),
      promotional: money(promotional ?? 0),
      held: money(held ?? 0),
      total: money((available ?? 0) + (promotional ?? 0) + (held ?? 0)),
      currency: "BRL",
      updatedAt: new Date(Math.max(+balances.openedAt, +(balances.changedAt ?? 0))).toISOString(),
      lastLine: balances.lastLine ?? 0,
    },
    fees: {
      charge: toFee(feeOf(account, "charge")),
      withdrawal: toFee(feeOf(account, "withdrawal")),
      refund: toFee(feeOf(account, "refund")),
    },
    limits,
    walletLimits,
    policies: {
      blockCnpjPayers: account.blockCnpjPayers,
      unknownPayers: account.unknownPayers,
      latePayments: account.latePayments,
      institutionChoice: account.institutionChoice,
      approvalAbove: brl(account.payoutApprovalAbove),
      newKeyWaitMinutes: account.newKeyWaitMinutes,
      newKeyMaxAmount: brl(account.newKeyMaxAmount),
    },
  });
}
