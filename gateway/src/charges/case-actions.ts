import { type CaseAction, REASON } from "../cases/action.ts";
import { beginDecision, type Facts } from "../cases/basis.ts";
import type { CaseRow } from "../cases/list.ts";
import type { Context } from "../context.ts";
import type { Selected } from "../db/columns.ts";
import { sql } from "../db/sql.ts";
import { invalid } from "../http/errors.ts";
import { chargesTable } from "./charge.ts";
import { expireCharge } from "./expire.ts";
import { kindOf } from "./terms.ts";

const CHARGE = ["status", "txid", "institutionId", "expiresAt", "due"] as const;
type Charge = Selected<typeof chargesTable.columns, (typeof CHARGE)[number]>;

/** The charge of a case. */
type About = { readonly accountId: string; readonly chargeId: string };

/** Whether a case is about a charge in a status that is not known (booking/report-many.ts). */
export const isOfCharge = ({ evidence }: Pick<CaseRow, "evidence">): boolean =>
  evidence.data?.kind === "charge" && evidence.data.state === "unrecognised";

const chargeOf = ({ evidence }: CaseRow): About => {
  const { accountId, chargeId } = evidence.data ?? {};
  return { accountId: String(accountId), chargeId: String(chargeId) };
};

/**
 * Reads the charge and queries its institution. If that shows a known status, the poll ends the charge. If it shows none, or
 * does not answer any more, the operators decide.
 */
async function queryCharge(ctx: Context, row: CaseRow): Promise<Facts> {
  const { accountId, chargeId } = chargeOf(row);
  const { rows } = await ctx.db.query<Charge>(sql`
    select ${chargesTable.select("", CHARGE)} from charges
    where account_id = ${accountId} and charge_id = ${chargeId}`);
  const charge = rows[0];
  if (charge?.status !== "pending") throw invalid("action", "the charge has ended");
  if (ctx.clock.date() < charge.expiresAt) {
    throw invalid("action", `the charge can be paid until ${charge.expiresAt.toISOString()}: wait until then`);
  }
  const found = await (await ctx.psps.find(charge.institutionId))?.psp.findCharge(charge.txid, kindOf(charge));
  if (found?.kind !== "found") return { shown: found?.kind ?? "unknown", word: null };
  const { status, pix, unknownStatus = null } = found.value;
  // Only where the status is unknown can a person find out more than the poll.
  if (pix.length > 0 || status !== "unrecognised") {
    await ctx.db.query(sql`
      update open_charges set check_at = least(check_at, ${ctx.clock.date()})
      where account_id = ${accountId} and charge_id = ${chargeId}`);
    ctx.hints.wake("charges");
    const how = pix.length === 0 && status === "paid" ? "wait for its Pix, or ask the institution" : "the poll ends it";
    throw invalid("action", `the institution shows the charge as ${pix.length > 0 ? "paid" : status}: ${how}`);
  }
  return { shown: status, word: unknownStatus };
}

/** What an operator can do about a charge that its institution shows in a status which is not known. */
export const CHARGE_ACTIONS: readonly CaseAction[] = [
  {
    action: "expire_charge",
    kinds: ["reconciliation_difference"],
    fits: isOfCharge,
    description:
      "End the charge as unpaid: the merchant gets payment_expired. A Pix that the institution shows for it later is booked as a late payment.",
    parameters: REASON,
    // Nothing moves; where one person may not decide everything, two must have found out that nobody paid.
    amount: () => null,
    standing: () => Promise.resolve({}),
    ask: queryCharge,
    async execute(ctx, row, { reason }, { proposalId }) {
      const charge = chargeOf(row);
      await beginDecision(ctx.lanes, row.accountId, proposalId);
      const institution = row.institutionId === null ? null : await ctx.psps.find(row.institutionId);
      const environment = institution?.environment ?? ctx.config.environment;
      const status = await ctx.lanes.run(expireCharge, { ...charge, environment });
      ctx.hints.wake("deliver");
      ctx.hints.wake(`settled/${charge.chargeId}`);
      return { chargeId: charge.chargeId, status, reason };
    },
  },
];
