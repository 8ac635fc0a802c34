import type { Static } from "typebox";
import { audit } from "../audit-log/write.ts";
import { type Acting, changeOfRows } from "../cases/second-person.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { stopSending } from "../db/sending-lock.ts";
import { sql } from "../db/sql.ts";
import { notFound } from "../http/errors.ts";
import { present } from "../lib/present.ts";
import { type AccountRow, accounts, feeOf, STATED_NEEDS } from "./account.ts";
import { feeColumns, toFee } from "./fees.ts";
import { Loosens, loosened } from "./loosen.ts";
import { refuseUnmet, unmetNeeds } from "./needs.ts";
import type { AccountPatch, OperatorAccount } from "./operator-account.ts";
import { payoutColumns, toPayoutPolicy } from "./payout-policy.ts";
import { limitColumns, toLimits } from "./withdrawal-limits.ts";

type Banks = Awaited<ReturnType<Acting["psps"]["all"]>>;

/** A change of an account that one person may not make alone. */
export const CHANGE_ACCOUNT = changeOfRows<Static<typeof AccountPatch>, Banks>({
  name: "accounts.update",
  role: ({ status, policies }) => (status === undefined && policies === undefined ? "finance" : "admin"),
  lock: (tx, { accountId }) => tx.query(sql`select from accounts where account_id = ${accountId} for no key update`),
  async read(queries, { accountId }) {
    const { updatedAt: _, ...settings } = toAccount(await findAccount(queries, accountId));
    return { settings: JSON.stringify(settings) };
  },
  prepare: ({ psps }) => psps.all(),
  async write(ctx, tx, { accountId, ...patch }, banks) {
    await patchAccount(ctx, tx, accountId, patch, { above: null, banks });
    return { accountId };
  },
});

/** 404 where it does not exist. */
export async function findAccount(queries: Queries, id: string): Promise<AccountRow> {
  const { rows } = await queries.query<AccountRow>(
    sql`select ${accounts.select("a")} from accounts a where account_id = ${id} and not is_house`,
  );
  if (!rows[0]) throw notFound("account", id);
  return rows[0];
}

/**
 * Changes settings under the tenant's lock, so that no settlement sees half of a change.
 *
 * @param known.banks as read before the transaction: those who wait for the lock may have all connections, and a second one that is
 * asked for under the lock would wait for them, until they give up after ten seconds.
 * @param known.above what one person may move alone, centavos; null: two have decided, or one is enough.
 * @throws Loosens where one person may not decide it.
 */
export async function patchAccount(
  ctx: Acting,
  tx: Tx,
  id: string,
  patch: Static<typeof AccountPatch>,
  { above, banks }: { readonly above: number | null; readonly banks: Banks },
): Promise<OperatorAccount> {
  const before = await tx.query<AccountRow>(
    sql`select ${accounts.select("a")} from accounts a where account_id = ${id} and not is_house for no key update`,
  );
  const row = before.rows[0];
  if (!row) throw notFound("account", id);
  const { policies, fees, limits } = patch;
  const next: AccountRow = {
    ...row,
    ...policies,
    needs: policies?.needs === undefined ? row.needs : STATED_NEEDS.filter((need) => policies.needs!.includes(need)),
    status: patch.status ?? row.status,
    ...feeColumns("charge", fees?.charge),
    ...feeColumns("withdrawal", fees?.withdrawal),
    ...feeColumns("refund", fees?.refund),
    ...limitColumns(limits, row),
    ...payoutColumns(patch.payouts, row),
    updatedAt: ctx.clock.date(),
  };
  if (policies !== undefined) await refuseUnableBanks(ctx, tx, { was: row, next, banks });
  const loose = above === null ? [] : loosened(row, next, above);
  if (loose.length > 0) throw new Loosens(loose);
  if (next.status === "suspended" && row.status !== "suspended") await stopSending(tx);
  await writeSettings(tx, [next]);
  await audit(ctx, tx, row.accountId, "account.update", row.accountId, toAccount(row), toAccount(next));
  return toAccount(next);
}

/** Refuses policies that need what a linked bank cannot do, unless they needed it before. */
async function refuseUnableBanks(
  { psps }: Pick<Acting, "psps">,
  tx: Tx,
  { was, next, banks }: { readonly was: AccountRow; readonly next: AccountRow; readonly banks: Banks },
): Promise<void> {
  const { accountId } = next;
  const { rows } = await tx.query<{ institution_id: string }>(sql`
    select institution_id from account_institutions where account_id = ${accountId} and enabled`);
  // Only a bank that was added within the last second, or is no longer in use, must still be read.
  const read = (id: string) => banks.find(({ institutionId }) => institutionId === id) ?? psps.find(id);
  const linked = (await Promise.all(rows.map((row) => read(row.institution_id)))).filter((bank) => bank !== null);
  for (const { institutionId, can } of linked) {
    const others = linked.filter((other) => other.institutionId !== institutionId).map(({ can }) => can);
    refuseUnmet(unmetNeeds(next, can, others), unmetNeeds(was, can, others), { accountId, institutionId });
  }
}

export const writeSettings = accounts.updater("settings");

/** As the operator API shows it. */
export function toAccount(row: AccountRow): OperatorAccount {
  return present({
    id: row.accountId,
    name: row.name,
    legalName: row.legalName,
    document: row.document,
    environment: row.environment,
    status: row.status,
    policies: {
      blockCnpjPayers: row.blockCnpjPayers,
      unknownPayers: row.unknownPayers,
      institutionChoice: row.institutionChoice,
      latePayments: row.latePayments,
      uncheckedHolders: row.uncheckedHolders,
      needs: [...row.needs],
    },
    fees: {
      charge: toFee(feeOf(row, "charge")),
      withdrawal: toFee(feeOf(row, "withdrawal")),
      refund: toFee(feeOf(row, "refund")),
    },
    limits: toLimits(row),
    payouts: toPayoutPolicy(row),
    ...(row.withdrawalsFrozenAt === null
      ? {}
      : {
          withdrawalsFrozen: {
            since: row.withdrawalsFrozenAt.toISOString(),
            reason: row.withdrawalsFrozenReason ?? "",
          },
        }),
    ...{ createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() },
  });
}
