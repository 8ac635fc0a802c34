import { type Fragment, part } from "../db/sql.ts";
import type { TransferKind } from "../ledger/chart.ts";
import type { StatementLine } from "../ledger/statement.ts";
import type { Components } from "../lib/due.ts";

/** The cause of a line: its transaction in the wallet, and the objects behind it. */
export type Cause = {
  /** Null only for a block that is about no payment, until it is approved. */
  readonly transactionId: string | null;
  readonly description: string | null;
  readonly externalReference: string | null;
  readonly e2eId: string | null;
  readonly counterpart: string | null;
  readonly originalTransactionId: string | null;
  readonly refundTransactionId: string | null;
  readonly blockId: string | null;
  readonly withdrawalId: string | null;
  readonly transferId: string | null;
  /** Reference of the wallet at the other end of a transfer. */
  readonly counterpartSubAccount?: string | null;
};

/** A line of a statement, with its cause. */
export type Explained = StatementLine &
  Cause & {
    /** Of the line of a payment with a due date: how its institution explains the amount. */
    readonly components?: Components | null;
  };

/**
 * Kinds whose source is a charge or a withdrawal, which is also the transaction: nearly all lines of most wallets. They are
 * read by their keys; line by line through the view of all transactions, a page cost PostgreSQL three times as much.
 */
const BY_KEY: ReadonlySet<TransferKind> = new Set<TransferKind>([
  "charge_paid", "charge_fee", "tax_withheld",
  "withdrawal_held", "withdrawal_sent", "withdrawal_fee", "withdrawal_released", "withdrawal_reclaimed",
]); // biome-ignore format: a list
export const isByKey = ({ kind }: StatementLine): boolean => BY_KEY.has(kind);

/**
 * The columns of `KEY_COLUMNS`: the charge or withdrawal of a line; nulls where it has neither, or is not of its wallet.
 */
export type KeyRow = {
  readonly chargeId: string | null;
  readonly withdrawalId: string | null;
  readonly components: Components | null;
} & Pick<Cause, "description" | "externalReference" | "e2eId" | "counterpart">;

export const KEY_COLUMNS: Fragment = part`kc.charge_id as "chargeId", kw.withdrawal_id as "withdrawalId", kc.description, kc.components,
      coalesce(kc.external_reference, kw.external_reference) as "externalReference",
      coalesce(kc.e2e_id, kw.e2e_id) as "e2eId", coalesce(kc.counterpart_name, kw.counterpart_name) as counterpart`;

/** Joins the charge and the withdrawal with these ids; an id that is null costs nothing. */
export const keyJoins = (
  accountId: string,
  on: { readonly charge: Fragment; readonly withdrawal: Fragment; readonly wallet: Fragment },
): Fragment => part`
    left join charges kc on kc.account_id = ${accountId} and kc.charge_id = ${on.charge} and kc.wallet_id = ${on.wallet}
      and kc.status not in ('creating', 'rejected')
    left join withdrawals kw on kw.account_id = ${accountId} and kw.withdrawal_id = ${on.withdrawal}
      and kw.wallet_id = ${on.wallet}`;

/** `keyJoins` for a line (`l`) of a wallet's ledger account (`a`). */
export const keyJoinsOfLine = (accountId: string): Fragment =>
  keyJoins(accountId, {
    charge: part`case when l.kind in ('charge_paid', 'charge_fee', 'tax_withheld') then l.source_id end`,
    withdrawal: part`case when l.kind in ('withdrawal_held', 'withdrawal_sent', 'withdrawal_fee', 'withdrawal_released',
      'withdrawal_reclaimed') then l.source_id end`,
    wallet: part`a.owner_id`,
  });

/** The cause of a line that was found by key; nulls where none was. */
export const causeOf = ({ kind }: StatementLine, row: KeyRow | undefined): Omit<Explained, keyof StatementLine> => ({
  transactionId: row?.chargeId ?? row?.withdrawalId ?? null,
  description: row?.description ?? null,
  externalReference: row?.externalReference ?? null,
  e2eId: row?.e2eId ?? null,
  counterpart: row?.counterpart ?? null,
  originalTransactionId: row?.chargeId ?? null,
  refundTransactionId: null,
  blockId: null,
  withdrawalId: row?.withdrawalId ?? null,
  transferId: null,
  components: (kind === "charge_paid" && row?.components) || null,
});
