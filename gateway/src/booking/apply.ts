import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { parseTxid } from "../lib/ids.ts";
import type { PspPayout, PspPix } from "../psp/psp.ts";
import { createSuggester } from "../unmatched/suggest.ts";
import { bookWithdrawal } from "../withdrawals/book.ts";
import { isOpen } from "../withdrawals/withdrawal.ts";
import { type Applied, bookPix, type Named, type Showing } from "./book-pix.ts";
import { completeListed } from "./identify.ts";
import { createReceiptFinder, type FindReceipt } from "./receipts.ts";

/** Books what PSPs confirm, whether a notification, a poll or the reconciliation found it. */
export type Applier = {
  readonly houseId: string;
  /** Where a Pix is booked so far. */
  readonly findReceipt: FindReceipt;
  /** Books a Pix. `awaiting_payer`: it is not booked yet, and has to be applied again after `payerDue`. */
  apply(institution: Institution, pix: PspPix, how?: Showing): Promise<Applied>;
  /** Books a Pix as a list shows it. Without a txid there, the PSP is queried for the Pix alone. */
  applyListed(institution: Institution, pix: PspPix): Promise<Applied>;
  applyPayout(institution: Institution, payout: PspPayout): Promise<PayoutApplied>;
};

/** How a payout that the PSP shows was applied. `unknown`: it is none of ours; `open`: it has not ended. */
type PayoutApplied = "booked" | "nothing new" | "open" | "unknown";

type FindNamed = (id: string | undefined) => Promise<Named | null>;

export function createApplier(ctx: Context, houseId: string): Applier {
  const findNamed = createNameReader(ctx);
  const findReceipt = createReceiptFinder(ctx, houseId);
  const suggest = createSuggester(ctx);
  const objectOf = (id: string | undefined) => (ctx.tracing.on ? (parseTxid(id ?? "")?.id ?? null) : null);

  const apply: Applier["apply"] = (institution, shown, how = {}) => {
    const txid = shown.txid ?? how.inCharge;
    const book = async () =>
      bookPix({ ctx, houseId, findReceipt, suggest, institution }, shown, how, await findNamed(txid));
    return ctx.tracing.span({ name: "book Pix", of: objectOf(txid) }, book, attributesOf);
  };

  return {
    houseId,
    findReceipt,
    apply,
    applyListed: async (institution, listed) => apply(institution, await completeListed(institution.psp, listed)),
    applyPayout: (institution, payout) =>
      ctx.tracing.span({ name: "book payout", of: objectOf(payout.id) }, async () =>
        bookPayout(ctx, institution, payout, await findNamed(payout.id)),
      ),
  };
}

/** Reads ids of ours. The number of an account never changes, so a number that was found is cached. */
function createNameReader(ctx: Pick<Context, "db">): FindNamed {
  const accounts = new Map<number, string>();

  async function accountOf(number: number): Promise<string | null> {
    const known = accounts.get(number);
    if (known !== undefined) return known;
    const { rows } = await ctx.db.query<{ account_id: string }>(sql`
      select account_id from accounts where number = ${number} and not is_house`);
    // The sequence makes numbers unique, no key of the database does: of two accounts neither is chosen.
    if (rows.length > 1) throw new Error(`${rows.length} accounts have the number ${number}`);
    const accountId = rows[0]?.account_id ?? null;
    if (accountId !== null) accounts.set(number, accountId);
    return accountId;
  }

  return async (id) => {
    const parsed = id === undefined ? null : parseTxid(id);
    const accountId = parsed && (await accountOf(parsed.accountNumber));
    return parsed && accountId ? { txid: id!, accountId, objectId: parsed.id } : null;
  };
}

async function bookPayout(
  ctx: Context,
  { institutionId, environment }: Institution,
  payout: PspPayout,
  named: Named | null,
): Promise<PayoutApplied> {
  if (named === null) return "unknown";
  const { accountId, objectId: withdrawalId } = named;
  const reported = { kind: "shown" as const, payout };
  const resolved = await bookWithdrawal(ctx, { accountId, withdrawalId, institutionId, environment, reported });
  if (resolved.kind === "not_ours") return "unknown";
  if (resolved.kind === "contradiction") return "nothing new";
  if (isOpen(resolved.status)) return "open";
  return resolved.changed ? "booked" : "nothing new";
}

const attributesOf = ({ outcome }: Applied) => ({ "pixgate.outcome": outcome });
