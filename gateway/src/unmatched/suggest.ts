import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { component, ref } from "../http/contract.ts";
import { invalid, notFound } from "../http/errors.ts";
import { firstUuidAt } from "../lib/ids.ts";
import { toBrl } from "../lib/money.ts";
import type { PspPix } from "../psp/psp.ts";
import { Unmatched, type UnmatchedRow } from "./item.ts";
import type { Suggested } from "./keep.ts";

const DAY = 86_400_000;
/** How long before its payment, and after it by a wrong clock, a charge may have been made to be suggested. */
const BEFORE = 7 * DAY;
const MOST = 10;
/** How long after a charge was paid a Pix whose payer nobody named may be its second payment. */
const SECOND = 3_600_000;

const Suggestion = component(
  "UnmatchedSuggestion",
  Type.Object(
    {
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
    },
    { description: "A charge that an unmatched receipt may be meant for." },
  ),
);

export const UnmatchedWithSuggestions = component(
  "UnmatchedWithSuggestions",
  Type.Object(
    {
      ...Unmatched.properties,
      suggestions: Type.Array(ref(Suggestion), {
        description:
          "Charges of the same amount made in the week before the payment: those of the same payer first, then unpaid ones, then those of the same institution, then the nearest in time; at most 10. One that is `completed` was paid by the same payer, or at the same institution within the hour before where the payer is not known: assigning the receipt to it books a second payment, which goes back to its payer.",
      }),
    },
    { description: "A receipt without a charge or a failed return, with the charges that it may be meant for." },
  ),
);
export const SUGGESTION_COMPONENTS = [Suggestion, UnmatchedWithSuggestions] as const;

type Row = {
  accountId: string;
  accountName: string;
  chargeId: string;
  status: string;
  amount: number;
  externalReference: string | null;
  customerName: string | null;
  samePayer: boolean;
  sameInstitution: boolean;
  createdAt: Date;
};

/** Charges that an open receipt may be meant for; none for anything else. */
export async function suggestCharges(
  ctx: Pick<Context, "db" | "psps" | "config">,
  row: UnmatchedRow,
): Promise<Static<typeof Suggestion>[]> {
  return row.kind === "receipt" && row.status === "open" ? chargesFor(ctx, row) : [];
}

/** The charge that a Pix is most likely meant for, as it is when the Pix comes; undefined: none fits. */
export async function suggestCharge(
  ctx: Pick<Context, "db" | "psps" | "config">,
  institutionId: string,
  { amount, paidAt, payer }: PspPix,
): Promise<Suggested | undefined> {
  const of = { institution_id: institutionId, amount, paid_at: paidAt, payer_document: payer?.document ?? null };
  const [first] = await chargesFor(ctx, of, 1);
  return first && { accountId: first.accountId, chargeId: first.chargeId, status: first.status };
}

async function chargesFor(
  ctx: Pick<Context, "db" | "psps" | "config">,
  row: Pick<UnmatchedRow, "institution_id" | "amount" | "paid_at" | "payer_document">,
  most = MOST,
): Promise<Static<typeof Suggestion>[]> {
  const environment = (await ctx.psps.find(row.institution_id))?.environment ?? ctx.config.environment;
  const paidAt = row.paid_at.getTime();
  const { rows } = await ctx.db.query<Row>(sql`
    select c.account_id as "accountId", a.name as "accountName", c.charge_id as "chargeId", c.status, c.amount,
      c.external_reference as "externalReference", c.customer ->> 'name' as "customerName",
      coalesce(c.customer ->> 'document' = ${row.payer_document} or p.payer_document = ${row.payer_document}, false) as "samePayer",
      c.institution_id = ${row.institution_id} as "sameInstitution", c.created_at as "createdAt"
    from accounts a join charges c on c.account_id = a.account_id
    left join received_pix p on p.account_id = c.account_id and p.e2e_id = c.e2e_id and p.outcome = 'credited'
    where not a.is_house and a.environment = ${environment} and c.amount = ${row.amount}
      and c.charge_id >= ${firstUuidAt(paidAt - BEFORE)} and c.charge_id < ${firstUuidAt(paidAt + DAY)}
      and (c.status in ('pending', 'expired', 'cancelled') or (c.status = 'completed' and (
        p.payer_document = ${row.payer_document} or (${row.payer_document}::text is null
          and c.institution_id = ${row.institution_id} and p.paid_at <= ${row.paid_at}::timestamptz
          and p.paid_at >= ${new Date(paidAt - SECOND)}))))
    order by 8 desc, c.status = 'completed', 9 desc, abs(extract(epoch from c.created_at - ${row.paid_at}::timestamptz)) limit ${most}`);
  return rows.map(({ externalReference, customerName, amount, createdAt, ...same }) => ({
    ...same,
    amount: toBrl(amount),
    ...(externalReference === null ? {} : { externalReference }),
    ...(customerName === null ? {} : { customerName }),
    createdAt: createdAt.toISOString(),
  }));
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
