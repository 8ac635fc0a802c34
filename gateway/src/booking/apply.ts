import { findByTxid } from "../charges/qr-codes/find.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { accountOfCodeTxid, parseTxid } from "../lib/ids.ts";
import type { PspPayout, PspPix } from "../psp/psp.ts";
import { createSuggester } from "../unmatched/suggest.ts";
import { bookWithdrawal } from "../withdrawals/book.ts";
import { isOpen } from "../withdrawals/withdrawal.ts";
import { type Applied, bookPix, type PixSource, type TxidOwner } from "./book-pix.ts";
import { completeListed } from "./identify.ts";
import { createReceiptFinder, type FindReceipt } from "./receipts.ts";

/** Books what PSPs confirm, whether a notification, a poll or the reconciliation found it. */
export type Applier = {
  readonly houseId: string;
  /** Finds in which account's books a Pix is booked. */
  readonly findReceipt: FindReceipt;
  /** Books a Pix. `awaiting_payer`: it is not booked yet, and has to be applied again after `payerDue`. */
  apply(institution: Institution, pix: PspPix, source?: PixSource): Promise<Applied>;
  /** Books a Pix of a PSP's list. If the list leaves out the txid, the PSP is queried for this Pix first. */
  applyListed(institution: Institution, pix: PspPix): Promise<Applied>;
  applyPayout(institution: Institution, payout: PspPayout): Promise<PayoutApplied>;
};

/** How a payout that the PSP shows was applied. `unknown`: its id is none of ours. `open`: it has no final outcome yet. */
type PayoutApplied = "booked" | "nothing new" | "open" | "unknown";

type FindTxidOwner = (id: string | undefined) => Promise<TxidOwner | null>;

export function createApplier(ctx: Context, houseId: string): Applier {
  const findOwner = createTxidOwnerReader(ctx);
  const findReceipt = createReceiptFinder(ctx, houseId);
  const suggest = createSuggester(ctx);
  const objectOf = (id: string | undefined) => (ctx.tracing.on ? (parseTxid(id ?? "")?.id ?? null) : null);

  const apply: Applier["apply"] = (institution, shownPix, source = {}) => {
    const txid = shownPix.txid ?? source.inCharge;
    const book = async () =>
      bookPix({ ctx, houseId, findReceipt, suggest, institution }, shownPix, source, await findOwner(txid));
    return ctx.tracing.span({ name: "book Pix", objectId: objectOf(txid) }, book, attributesOf);
  };

  return {
    houseId,
    findReceipt,
    apply,
    applyListed: async (institution, listed) => apply(institution, await completeListed(institution.psp, listed)),
    applyPayout: (institution, payout) =>
      ctx.tracing.span({ name: "book payout", objectId: objectOf(payout.id) }, async () =>
        bookPayout(ctx, institution, payout, await findOwner(payout.id)),
      ),
  };
}

/**
 * Finds the account and object that a txid or payout id of ours names. A static code's txid does not name them: its row
 * does. Numbers of accounts never change, so they are cached.
 */
function createTxidOwnerReader(ctx: Pick<Context, "db">): FindTxidOwner {
  const accounts = new Map<number, string>();

  async function accountOf(number: number): Promise<string | null> {
    const cached = accounts.get(number);
    if (cached !== undefined) return cached;
    const { rows } = await ctx.db.query<{ account_id: string }>(sql`
      select account_id from accounts where number = ${number} and not is_house`);
    // The sequence makes numbers unique, but no key of the database does. Should two accounts have one number, choose
    // neither.
    if (rows.length > 1) throw new Error(`${rows.length} accounts have the number ${number}`);
    const accountId = rows[0]?.account_id ?? null;
    if (accountId !== null) accounts.set(number, accountId);
    return accountId;
  }

  async function ownerOfCode(txid: string): Promise<TxidOwner | null> {
    const number = accountOfCodeTxid(txid);
    const accountId = number === null ? null : await accountOf(number);
    const qrCodeId = accountId === null ? null : await findByTxid(ctx.db, accountId, txid);
    return qrCodeId === null ? null : { txid, accountId: accountId!, objectId: qrCodeId, isCode: true };
  }

  return async (id) => {
    const parsed = id === undefined ? null : parseTxid(id);
    const accountId = parsed && (await accountOf(parsed.accountNumber));
    if (parsed && accountId) return { txid: id!, accountId, objectId: parsed.id };
    return parsed || id === undefined ? null : ownerOfCode(id);
  };
}

async function bookPayout(
  ctx: Context,
  { institutionId, environment }: Institution,
  payout: PspPayout,
  owner: TxidOwner | null,
): Promise<PayoutApplied> {
  if (owner === null || owner.isCode) return "unknown";
  const { accountId, objectId: withdrawalId } = owner;
  const reported = { kind: "shown" as const, payout };
  const resolved = await bookWithdrawal(ctx, { accountId, withdrawalId, institutionId, environment, reported });
  if (resolved.kind === "not_ours") return "unknown";
  if (resolved.kind === "contradiction") return "nothing new";
  if (isOpen(resolved.status)) return "open";
  return resolved.changed ? "booked" : "nothing new";
}

const attributesOf = ({ outcome }: Applied) => ({ "pixgate.outcome": outcome });
