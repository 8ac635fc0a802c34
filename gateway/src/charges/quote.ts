import { type Static, Type } from "typebox";
import { accounts, feeOf } from "../accounts/account.ts";
import type { Queries } from "../db/pool.ts";
import { AnswerObject, Brl, RequestObject, ref } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import { type Centavos, fee, fromBrl, toBrl } from "../lib/money.ts";
import { acceptSplit, exceeding, MAX_LEGS, SplitAllocation } from "./split.ts";

/** Basis points of the whole: 100 %. */
const WHOLE = 10_000;

const QuoteLeg = RequestObject("QuoteLeg", "A part of a charge for another wallet: an amount or a percentage.", {
  subAccount: SplitAllocation.properties.subAccount,
  amount: Type.Optional(
    Brl(
      { minimum: 0.01, description: "Fixed amount, BRL; `percent` is left out then." },
      {
        "*": "SPLIT_INVALID_AMOUNT",
      },
    ),
  ),
  percent: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 100,
      multipleOf: 0.01,
      description: "Part of the net amount, %; `amount` is left out then.",
    }),
  ),
});
type QuoteLeg = Static<typeof QuoteLeg>;

export const QuoteRequest = RequestObject("QuoteRequest", "A charge to compute, without issuing it.", {
  amount: Brl({ minimum: 0.01, description: "What the charge would say, BRL." }),
  split: Type.Optional(
    Type.Array(Type.Unsafe<QuoteLeg>({ $ref: "QuoteLeg#" }), {
      maxItems: MAX_LEGS,
      description: "Parts for other wallets of the account, as amounts or percentages of the net amount.",
      "x-error-codes": { maxItems: "SPLIT_TOO_MANY_ITEMS" },
    }),
  ),
});

export const ChargeQuote = AnswerObject("ChargeQuote", "What a charge would cost, and who would get what.", {
  amount: Type.Number({ description: "As asked, BRL." }),
  feeAmount: Type.Number({ description: "The fee as it is now, BRL. A charge pays the fee of when it is paid." }),
  netAmount: Type.Number({ description: "amount - feeAmount, BRL." }),
  split: Type.Array(ref(SplitAllocation), {
    description: "The parts as amounts, ready for `split` of `POST /pix`; one that rounds to nothing is left out.",
  }),
  remainder: Type.Number({ description: "What stays with the wallet that issues the charge, BRL." }),
});

/** Computes fee, net amount and split as `POST /pix` would accept them now, and refuses the same splits. */
export async function quoteCharge(
  queries: Queries,
  originator: { readonly accountId: string; readonly walletId: string },
  asked: Static<typeof QuoteRequest>,
): Promise<Static<typeof ChargeQuote>> {
  const amount = fromBrl(asked.amount)!;
  const [account] = await accounts.reader({})(queries, [{ accountId: originator.accountId }]);
  const feeAmount = fee(feeOf(account!, "charge"), amount);
  const net = amount - feeAmount;
  const legs = (asked.split ?? []).map(readLeg);
  const sizes = legs.map(({ size }) => size);
  const parts = share(net, sizes);
  if (parts === null) throw exceeding(net, totalOf(net, sizes));
  const shares = legs.map(({ subAccount }, i) => ({ subAccount, amount: toBrl(parts[i]!) }));
  // Checks the wallets of all legs, also of those that round to nothing.
  await acceptSplit(queries, originator, amount, shares);
  const split = shares.filter((leg) => leg.amount > 0);
  const remainder = net - parts.reduce((sum, part) => sum + part, 0);
  return {
    amount: toBrl(amount),
    feeAmount: toBrl(feeAmount),
    netAmount: toBrl(net),
    split,
    remainder: toBrl(remainder),
  };
}

/** The size of a leg: centavos, or basis points of the net amount. */
type Size = { readonly amount: Centavos } | { readonly bps: number };

function readLeg(leg: QuoteLeg, i: number): { readonly subAccount: string; readonly size: Size } {
  const { subAccount, amount, percent } = leg;
  if (amount !== undefined && percent === undefined) return { subAccount, size: { amount: fromBrl(amount)! } };
  // A percentage with two decimals is a whole number of basis points.
  if (percent !== undefined && amount === undefined) return { subAccount, size: { bps: fromBrl(percent)! } };
  throw invalid(`split[${i}].amount`, "is needed, or `percent`, and not both");
}

/** The sum of what the legs ask for, in whole centavos. Rounded up, so that a refusal never names a sum that would fit. */
function totalOf(net: Centavos, legs: readonly Size[]): Centavos {
  const sum = exactly(net, legs).reduce((total, leg) => total + leg, 0n);
  return Number((sum + BigInt(WHOLE - 1)) / BigInt(WHOLE));
}

/** What each leg asks for, in ten-thousandths of a centavo, exact: amounts × 10,000 exceed 2^53. */
const exactly = (net: Centavos, legs: readonly Size[]): bigint[] =>
  legs.map((leg) => ("bps" in leg ? BigInt(leg.bps) * BigInt(net) : BigInt(leg.amount) * BigInt(WHOLE)));

/**
 * The legs of a split in centavos; null where together they ask for more than `net` (docs/money.md, Splits in per cent). A
 * percentage is rounded half up. Where that takes more than there is, the last legs that were rounded up give back a
 * centavo each. The originator keeps the rest.
 */
export function share(net: Centavos, legs: readonly Size[]): Centavos[] | null {
  const exact = exactly(net, legs);
  const sum = exact.reduce((total, leg) => total + leg, 0n);
  if (sum > BigInt(net) * BigInt(WHOLE)) return null;
  const parts = legs.map((leg) => ("bps" in leg ? fee({ fixed: 0, percentBps: leg.bps }, net) : leg.amount));
  let excess = parts.reduce((total, part) => total + part, 0) - net;
  for (let i = parts.length - 1; excess > 0; i -= 1) {
    const roundedUp = BigInt(parts[i]!) * BigInt(WHOLE) > exact[i]!;
    if (!roundedUp) continue;
    parts[i]! -= 1;
    excess -= 1;
  }
  return parts;
}
