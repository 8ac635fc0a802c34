import { type Static, Type } from "typebox";
import { type ChargeColumns, chargesTable } from "../charges/charge.ts";
import type { Context } from "../context.ts";
import type { Queries } from "../db/pool.ts";
import { literal, sql } from "../db/sql.ts";
import { AnswerObject, ref } from "../http/contract.ts";
import { invalid, notFound } from "../http/errors.ts";
import { firstUuidAt } from "../lib/ids.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import type { PspPix } from "../psp/psp.ts";
import { Unmatched, type UnmatchedRow } from "./item.ts";
import type { Suggested } from "./keep.ts";

const DAY = 86_400_000;
/** How long before its payment, and (for wrong clocks) after it, a suggested charge may have been made. */
const BEFORE = 7 * DAY;
const MOST = 10;
/**
 * The longest search for an incoming Pix, milliseconds. It reaches a day back: 10,000 charges a day take some 10 ms.
 * All searches together have a budget (`SEARCH_BUDGET`), which grows back at `SEARCH_SHARE` of the time.
 */
const LONGEST_SEARCH = 500;
/** For an operator's page: the longest search of a week, and of a day where that took too long. Milliseconds. */
const WEEK_SEARCH = 2_000;
const DAY_SEARCH = 1_000;
const SEARCH_BUDGET = 2_000;
const SEARCH_SHARE = 0.1;
/** For how long after a charge was paid a Pix without a payer may be its second payment, milliseconds. */
const SECOND = 3_600_000;

const Suggestion = AnswerObject("UnmatchedSuggestion", "A charge that an unmatched receipt may be meant for.", {
  accountId: Type.String({ format: "uuid", description: "Account of the charge." }),
  accountName: Type.String({ description: "Its name." }),
  chargeId: Type.String({ format: "uuid", description: "The charge." }),
  status: Type.String({ description: "Status of the charge." }),
  amount: Type.Number({ description: "BRL: the same as the receipt's." }),
  externalReference: Type.Optional(Type.String({ description: "The merchant's reference of it." })),
  customerName: Type.Optional(Type.String({ description: "Whom the merchant expects to pay it." })),
  samePayer: Type.Boolean({ description: "Whether the payer's document is that of its customer." }),
  sameInstitution: Type.Boolean({ description: "Whether it was issued where the money came in." }),
  createdAt: Type.String({ format: "date-time", description: "When it was made." }),
});

export const UnmatchedWithSuggestions = AnswerObject(
  "UnmatchedWithSuggestions",
  "A receipt without a charge or a failed return, with the charges that it may be meant for.",
  {
    ...Unmatched.properties,
    suggestions: Type.Array(ref(Suggestion), {
      description:
        "Charges of the same amount made in the week before the payment: those of the same payer first, then unpaid ones, then those of the same institution, then the nearest in time; at most 10. One that is `completed` was paid by the same payer, or at the same institution within the hour before where the payer is not known: assigning the receipt to it books a second payment, which goes back to its payer.",
    }),
  },
);
const SUGGESTED = ["accountId", "chargeId", "status", "amount", "externalReference", "createdAt"] as const;
type Row = Pick<ChargeColumns, (typeof SUGGESTED)[number]> & {
  readonly accountName: string;
  readonly customerName: string | null;
  readonly samePayer: boolean;
  readonly sameInstitution: boolean;
};

/**
 * Charges for which an open receipt may be meant; none for anything else, or where even the search of a day takes too long.
 */
export async function suggestCharges(
  ctx: Pick<Context, "db" | "psps" | "config">,
  row: UnmatchedRow,
): Promise<Static<typeof Suggestion>[]> {
  if (row.kind !== "receipt" || row.status !== "open") return [];
  for (const [beforeMs, longest] of [
    [BEFORE, WEEK_SEARCH],
    [DAY, DAY_SEARCH],
  ] as const) {
    try {
      return await searchWithin(ctx, row, { beforeMs, most: MOST }, longest);
    } catch (error) {
      if (!isGivenUp(error)) throw error;
    }
  }
  return [];
}

/** True where PostgreSQL ended a statement because it took too long (query_canceled). */
const isGivenUp = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === "57014";

/** A search that PostgreSQL ends after this many milliseconds. */
async function searchWithin(
  ctx: Pick<Context, "db" | "psps" | "config">,
  row: Sought,
  reach: Omit<Reach, "environment">,
  longest: number,
): Promise<Static<typeof Suggestion>[]> {
  // Read first: a transaction has one connection, and those which asked for a second one could wait for each other.
  const environment = (await ctx.psps.find(row.institutionId))?.environment ?? ctx.config.environment;
  return ctx.db.transaction(async (tx) => {
    await tx.query(sql`set local statement_timeout = ${literal(longest)}`);
    return chargesFor(tx, row, { ...reach, environment });
  });
}

/** The charge for which an incoming Pix is most likely meant; undefined: none fits, or there was no time. */
export type SuggestCharge = (institutionId: string, pix: PspPix) => Promise<Suggested | undefined>;

/**
 * Limits the cost of a process's searches. No index has the amount of a charge, so a search reads the charges of every
 * account, and anybody can cause one by sending a centavo to a Pix key. When the time is used up, the money is booked
 * without a suggestion; the operator's page searches again, a week back.
 */
export function createSuggester(ctx: Pick<Context, "db" | "psps" | "config" | "clock">): SuggestCharge {
  let left = SEARCH_BUDGET;
  let at = ctx.clock.now();
  return async (institutionId, { amount, paidAt, payer }) => {
    const began = ctx.clock.now();
    left = Math.min(SEARCH_BUDGET, left + Math.max(0, began - at) * SEARCH_SHARE);
    at = began;
    if (left < LONGEST_SEARCH) return undefined;
    left -= LONGEST_SEARCH;
    const receipt = { institutionId, amount, paidAt, payerDocument: payer?.document ?? null };
    try {
      const [first] = await searchWithin(ctx, receipt, { beforeMs: DAY, most: 1 }, LONGEST_SEARCH);
      return first && { accountId: first.accountId, chargeId: first.chargeId, status: first.status };
    } finally {
      left += Math.max(0, LONGEST_SEARCH - Math.max(0, ctx.clock.now() - began));
    }
  };
}

type Sought = Pick<UnmatchedRow, "institutionId" | "amount" | "paidAt" | "payerDocument">;
type Reach = {
  readonly beforeMs: number;
  readonly most: number;
  readonly environment: Context["config"]["environment"];
};

async function chargesFor(
  queries: Queries,
  row: Sought,
  { beforeMs, most, environment }: Reach,
): Promise<Static<typeof Suggestion>[]> {
  const paidAt = row.paidAt.getTime();
  const { rows } = await queries.query<Row>(sql`
    select ${chargesTable.select("c", SUGGESTED)}, a.name as "accountName", c.customer ->> 'name' as "customerName",
      coalesce(c.customer ->> 'document' = ${row.payerDocument} or p.payer_document = ${row.payerDocument}, false) as "samePayer",
      c.institution_id = ${row.institutionId} as "sameInstitution"
    from accounts a join charges c on c.account_id = a.account_id
    left join received_pix p on p.account_id = c.account_id and p.e2e_id = c.e2e_id and p.outcome = 'credited'
    where not a.is_house and a.environment = ${environment} and c.amount = ${row.amount}
      and c.charge_id >= ${firstUuidAt(paidAt - beforeMs)} and c.charge_id < ${firstUuidAt(paidAt + DAY)}
      and (c.status in ('pending', 'expired', 'cancelled') or (c.status = 'completed' and (
        p.payer_document = ${row.payerDocument} or (${row.payerDocument}::text is null
          and c.institution_id = ${row.institutionId} and p.paid_at <= ${row.paidAt}::timestamptz
          and p.paid_at >= ${new Date(paidAt - SECOND)}))))
    order by 8 desc, c.status = 'completed', 9 desc, abs(extract(epoch from c.created_at - ${row.paidAt}::timestamptz)) limit ${most}`);
  return rows.map(({ externalReference, customerName, amount, createdAt, ...same }) =>
    present<Static<typeof Suggestion>>({
      ...same,
      amount: toBrl(amount),
      externalReference,
      customerName,
      createdAt: createdAt.toISOString(),
    }),
  );
}

/** The one charge of an account that has this reference of the merchant's. 400 where several have it. */
export async function chargeOfReference(
  ctx: Pick<Context, "db">,
  accountId: string,
  reference: string,
): Promise<string> {
  const { rows } = await ctx.db.query<{ charge_id: string }>(sql`
    select c.charge_id from wallets w
    join charges c on c.account_id = w.account_id and c.wallet_id = w.wallet_id and c.external_reference = ${reference}
    where w.account_id = ${accountId} and c.status not in ('creating', 'rejected') limit 2`);
  if (rows.length > 1) throw invalid("externalReference", "is that of several charges: name the chargeId");
  if (!rows[0]) throw notFound("transaction", reference);
  return rows[0].charge_id;
}
