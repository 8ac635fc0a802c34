import { type Static, Type } from "typebox";
import { accounts, feeOf } from "../accounts/account.ts";
import type { WalletRow } from "../accounts/wallet.ts";
import { texts } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { Brl, RequestObject } from "../http/contract.ts";
import { ApiError } from "../http/errors.ts";
import { type Centavos, type FeeSchedule, fee, fromBrl, toBrl } from "../lib/money.ts";

/** Most allocations of a charge (interface, Limits). */
export const MAX_LEGS = 10;

export const SplitAllocation = RequestObject(
  "SplitAllocation",
  "A part of a charge that goes to another wallet when it is paid.",
  {
    subAccount: Type.String({
      maxLength: 64,
      description: "Reference of the receiving sub-account, or `principal`.",
    }),
    amount: Brl({ minimum: 0.01, description: "Fixed amount, BRL." }, { "*": "SPLIT_INVALID_AMOUNT" }),
  },
);

/** The `split` of a charge request. */
export const Split = Type.Array(Type.Unsafe<Static<typeof SplitAllocation>>({ $ref: "SplitAllocation#" }), {
  maxItems: MAX_LEGS,
  description: "Parts for other wallets of the account, out of the net amount, settled when the charge is paid.",
  "x-error-codes": { maxItems: "SPLIT_TOO_MANY_ITEMS" },
});

/** An accepted allocation, as a charge stores it. Centavos. */
export type SplitLeg = { readonly walletId: string; readonly reference: string; readonly amount: number };

const readAccount = accounts.reader({});

/**
 * Checks a requested split (interface, Split rules) against the fee and the wallets as they are now. Returns the legs to
 * store; null when there is nothing to split.
 */
export async function acceptSplit(
  queries: Queries,
  originator: { readonly accountId: string; readonly walletId: string },
  amount: number,
  requested: readonly Static<typeof SplitAllocation>[] | undefined,
): Promise<SplitLeg[] | null> {
  if (requested === undefined || requested.length === 0) return null;
  const { accountId, walletId } = originator;
  const [[account], wallets] = await Promise.all([
    readAccount(queries, [{ accountId }]),
    queries.query<{ wallet_id: string; reference: string; status: WalletRow["status"] }>(sql`
      select wallet_id, reference, status from wallets
      where account_id = ${accountId} and reference = any(${texts(requested.map((item) => item.subAccount))}::text[])`),
  ]);
  return acceptLegs(requested, {
    walletId,
    amount,
    wallets: wallets.rows.map((row) => ({ walletId: row.wallet_id, reference: row.reference, status: row.status })),
    fee: feeOf(account!, "charge"),
  });
}

/** The legs of a requested split. Throws the refusal where it breaks a rule. */
export function acceptLegs(
  requested: readonly Static<typeof SplitAllocation>[],
  context: {
    /** The originator. */
    readonly walletId: string;
    readonly amount: number;
    /** The wallets that the request names, as far as they exist. */
    readonly wallets: readonly Omit<WalletRow, "accountId">[];
    readonly fee: FeeSchedule;
  },
): SplitLeg[] {
  const legs = requested.map((item, i) => {
    const details = { resource: "sub-account", reference: item.subAccount, field: `split[${i}].subAccount` };
    const wallet = context.wallets.find((row) => row.reference === item.subAccount);
    if (!wallet) throw new ApiError("SUB_ACCOUNT_NOT_FOUND", undefined, details);
    if (wallet.walletId === context.walletId) throw new ApiError("SPLIT_INVALID_RECIPIENT", undefined, details);
    if (wallet.status === "suspended") throw new ApiError("SUB_ACCOUNT_SUSPENDED", undefined, details);
    return { walletId: wallet.walletId, reference: item.subAccount, amount: fromBrl(item.amount)! };
  });
  const net = context.amount - fee(context.fee, context.amount);
  const total = legs.reduce((sum, leg) => sum + leg.amount, 0);
  if (total > net) throw exceeding(net, total);
  return legs;
}

/** The refusal of a split that asks for more than the charge leaves. */
export const exceeding = (net: Centavos, total: Centavos): ApiError =>
  new ApiError("SPLIT_EXCEEDS_NET_AMOUNT", undefined, { netAmount: toBrl(net), splitTotal: toBrl(total) });

/** A leg with the amount that it really gets. `leg` is its position in the request. */
type ServedLeg = SplitLeg & { readonly leg: number };

/**
 * Pays the legs out of the net amount, in the order sent: each gets its share or what is left, whichever is smaller. A leg
 * that gets nothing is not applied. If a recipient was suspended meanwhile, its leg stays with the originator.
 */
export function serveLegs(
  legs: readonly SplitLeg[],
  net: number,
  statusOf: (walletId: string) => WalletRow["status"] | undefined,
): ServedLeg[] {
  const served: ServedLeg[] = [];
  let left = net;
  for (const [leg, asked] of legs.entries()) {
    if (statusOf(asked.walletId) !== "approved") continue;
    const amount = Math.min(asked.amount, left);
    if (amount === 0) continue;
    left -= amount;
    served.push({ ...asked, amount, leg });
  }
  return served;
}

/** The centavos that each leg got, in the order of the request; 0: not applied. */
export const appliedAmounts = (legs: readonly SplitLeg[], served: readonly ServedLeg[]): number[] =>
  legs.map((_, leg) => served.find((servedLeg) => servedLeg.leg === leg)?.amount ?? 0);

/** Legs as answers and events show them. */
export const toAllocations = (legs: readonly SplitLeg[]): Static<typeof SplitAllocation>[] =>
  legs.map((leg) => ({ subAccount: leg.reference, amount: toBrl(leg.amount) }));
