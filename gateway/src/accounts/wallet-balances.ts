import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { part, sql } from "../db/sql.ts";
import { AnswerPart, component, OrNull } from "../http/contract.ts";
import { type Page, pageOf, readPage } from "../http/pages.ts";
import { toBrl } from "../lib/money.ts";

const brl = (description: string) => Type.Number({ description });
const held = (what: string) =>
  AnswerPart(`Open ${what} of the wallet.`, {
    count: Type.Integer({ description: "How many." }),
    amount: brl("What they hold, BRL."),
  });

const BALANCES = {
  subAccount: OrNull(Type.String(), "Reference of the wallet; null: the main account."),
  name: Type.String({ description: "Its name." }),
  status: Type.Enum(["approved", "suspended"], { description: "Its own status." }),
  available: brl("What can be withdrawn, BRL."),
  held: brl("What is reserved, BRL: the sum of what holds it."),
  promotional: brl("Credit that cannot be withdrawn, BRL."),
  total: brl("available + held + promotional, BRL."),
};
const HELD_BY = {
  withdrawals: held("withdrawals"),
  refunds: held("refunds, with their fees,"),
  blocks: held("balance blocks"),
};
const DESCRIPTION = { description: "The balances of a wallet, and what holds what." };

const WalletBalance = component(
  "WalletBalance",
  Type.Object({ ...BALANCES, heldBy: AnswerPart("What holds what.", HELD_BY) }, DESCRIPTION),
);
export const WalletBalancePage = pageOf(
  WalletBalance,
  "A page of an account's wallets, the main account first, then the oldest.",
);

/** A wallet as a merchant sees it: each part of the held money is shown only to a caller who may read what holds it. */
const MerchantWalletBalance = component(
  "MerchantWalletBalance",
  Type.Object(
    {
      ...BALANCES,
      heldBy: Type.Partial(Type.Object(HELD_BY), {
        description:
          "What holds what, as far as the credential may read it: `withdrawals` and `refunds` need TRANSACTION:READ, `blocks` BALANCE_BLOCK:READ.",
      }),
    },
    DESCRIPTION,
  ),
);
export const MerchantWalletBalancePage = pageOf(
  MerchantWalletBalance,
  "A page of an account's wallets, the newest first.",
);

type Counted = { count: number; amount: number };
type WalletRow = {
  walletId: string;
  reference: string;
  name: string;
  status: "approved" | "suspended";
  available: number;
  held: number;
  promotional: number;
  withdrawals: Counted;
  refunds: Counted;
  blocks: Counted;
};

/** For each thing that holds money, whether the caller may see how much. */
type Sees = Readonly<Record<keyof typeof HELD_BY, boolean>>;

/** A page of a merchant's wallets, the newest first. */
export async function listOwnBalances(
  ctx: Context,
  accountId: string,
  query: { readonly limit?: number; readonly cursor?: string },
  sees: Sees,
): Promise<Page<Static<typeof MerchantWalletBalance>>> {
  const page = await listBalances(ctx, { accountId, only: null, order: "newest" }, query);
  const seen = (heldBy: Static<typeof WalletBalance>["heldBy"]) =>
    Object.fromEntries(Object.entries(heldBy).filter(([what]) => sees[what as keyof Sees]));
  return { ...page, items: page.items.map((item) => ({ ...item, heldBy: seen(item.heldBy) })) };
}

/** A page of an account's wallets, or `only` one of them: the newest first, or the main one and then the oldest. */
export const listBalances = (
  ctx: Context,
  { accountId, only, order }: Pick<Wanted, "only" | "order"> & { readonly accountId: string },
  query: { readonly limit?: number; readonly cursor?: string },
): Promise<Page<Static<typeof WalletBalance>>> =>
  readPage("wallets", query, {
    read: async (after, limit) => ({ rows: await readWallets(ctx, accountId, { only, order, after, limit }) }),
    show: (row) => toWalletBalance(row, accountId),
    key: (row) => row.walletId,
  });

type Wanted = {
  readonly only: string | null;
  readonly order: "newest" | "oldest";
  readonly after: string | null;
  readonly limit: number;
};

/** Wallets of an account with their balances and open amounts. */
async function readWallets(
  ctx: Context,
  accountId: string,
  { only, order, after, limit }: Wanted,
): Promise<WalletRow[]> {
  const { rows } = await ctx.db.query<WalletRow>(sql`
    select w.wallet_id as "walletId", w.reference, w.name, w.status,
      coalesce(sum(l.balance) filter (where l.kind = 'available'), 0)::bigint as available,
      coalesce(sum(l.balance) filter (where l.kind = 'held'), 0)::bigint as held,
      coalesce(sum(l.balance) filter (where l.kind = 'promotional'), 0)::bigint as promotional,
      (select json_build_object('count', count(*), 'amount', coalesce(sum(amount), 0)) from withdrawals o
        where o.account_id = ${accountId} and o.wallet_id = w.wallet_id and o.transaction_status = 'pending') as withdrawals,
      (select json_build_object('count', count(*), 'amount', coalesce(sum(amount + fee_amount), 0)) from refunds o
        where o.account_id = ${accountId} and o.wallet_id = w.wallet_id and o.status = 'pending') as refunds,
      (select json_build_object('count', count(*), 'amount', coalesce(sum(held_amount), 0)) from balance_blocks o
        where o.account_id = ${accountId} and o.wallet_id = w.wallet_id and o.held_amount > 0) as blocks
    from wallets w
    left join ledger_accounts l on l.account_id = w.account_id and l.owner_id = w.wallet_id and l.kind <> 'psp'
    where w.account_id = ${accountId} and (${only}::uuid is null or w.wallet_id = ${only})
      and (${after}::uuid is null or ${order === "newest" ? part`w.wallet_id < ${after}` : part`w.wallet_id > ${after}`})
    group by w.account_id, w.wallet_id order by w.wallet_id ${order === "newest" ? part`desc` : part``} limit ${limit}`);
  return rows;
}

function toWalletBalance(row: WalletRow, accountId: string): Static<typeof WalletBalance> {
  const shown = ({ count, amount }: Counted) => ({ count, amount: toBrl(amount) });
  return {
    subAccount: row.walletId === accountId ? null : row.reference,
    name: row.name,
    status: row.status,
    available: toBrl(row.available),
    held: toBrl(row.held),
    promotional: toBrl(row.promotional),
    total: toBrl(row.available + row.held + row.promotional),
    heldBy: { withdrawals: shown(row.withdrawals), refunds: shown(row.refunds), blocks: shown(row.blocks) },
  };
}
