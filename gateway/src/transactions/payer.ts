import { type Static, Type } from "typebox";
import { MOST_COMPARED, plain, plainOf } from "../db/compare-names.ts";
import type { Queries } from "../db/pool.ts";
import { type Fragment, literal, part, sql } from "../db/sql.ts";
import { invalid } from "../http/errors.ts";
import type { OfWallets } from "../http/pages.ts";
import { documentKind, normaliseDocument } from "../lib/documents.ts";
import { firstUuidAt, ID_SLACK } from "../lib/ids.ts";
import { type Centavos, fromBrl } from "../lib/money.ts";

const PAGES = "A page may have few items or none while `nextCursor` says that there is more to search.";

/** What a completed payment is by the money that was paid: a payment has one of these at a time. */
const STANDINGS = ["kept", "disputed", "returned"] as const;

/** Query parameters that find payments by who paid, how much, whether an invoice is recorded, and what became of the money. */
export const PaymentQuery = {
  payer: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 255,
      description: `Only payments whose payer has this CPF or CNPJ, or a name with this in it; accents and capitals do not matter. While nobody has paid, the customer counts. ${PAGES}`,
    }),
  ),
  minAmount: Type.Optional(
    Type.Number({ minimum: 0, description: `Only payments of at least this amount, BRL. ${PAGES}` }),
  ),
  maxAmount: Type.Optional(
    Type.Number({ minimum: 0, description: `Only payments of at most this amount, BRL. ${PAGES}` }),
  ),
  invoiced: Type.Optional(
    Type.Boolean({
      description: `Only completed payments, refunded ones too: \`false\` those without an invoice, \`true\` those with one. ${PAGES}`,
    }),
  ),
  standing: Type.Optional(
    Type.Enum([...STANDINGS], {
      description: `Only completed payments: \`disputed\` those of which an open balance block holds something; \`returned\` the others of which something went back to the payer, or is on its way back; \`kept\` the rest. ${PAGES}`,
    }),
  ),
};

type Query = Static<ReturnType<typeof Type.Object<typeof PaymentQuery>>>;

/** The filters of `PaymentQuery`; null: not applied. A payer is a document or a part of a name. */
export type PaymentFilter = {
  readonly payerDocument: string | null;
  readonly payerName: string | null;
  readonly minAmount: Centavos | null;
  readonly maxAmount: Centavos | null;
  readonly invoiced: boolean | null;
  readonly standing: (typeof STANDINGS)[number] | null;
};

export function readPaymentFilter(query: Query): { readonly filter: PaymentFilter; readonly isAsked: boolean } {
  const document = normaliseDocument(query.payer ?? "");
  const isDocument = documentKind(document) !== null;
  const filter = {
    payerDocument: isDocument ? document : null,
    payerName: query.payer === undefined || isDocument ? null : plain(query.payer.trim()),
    minAmount: readAmount("minAmount", query.minAmount),
    maxAmount: readAmount("maxAmount", query.maxAmount),
    invoiced: query.invoiced ?? null,
    standing: query.standing ?? null,
  };
  // The open blocks of a wallet have an index, and lead to their few payments.
  const { standing, ...others } = filter;
  const isAsked =
    (standing !== null && standing !== "disputed") || Object.values(others).some((value) => value !== null);
  return { filter, isAsked };
}

function readAmount(field: string, brl: number | undefined): Centavos | null {
  if (brl === undefined) return null;
  const centavos = fromBrl(brl);
  if (centavos === null) throw invalid(field, "is not an amount in BRL with at most two decimals");
  return centavos;
}

/** The conditions on a row `t` of the view; each vanishes where its value is null. */
export function whosePayment(accountId: string, filter: PaymentFilter): Fragment {
  const { payerDocument, payerName, minAmount, maxAmount, invoiced, standing } = filter;
  // One value for each row: a join or EXISTS could be planned as a read of every charge.
  const customer = (key: Fragment) => part`(
    select c.customer ->> ${key} from charges c where c.account_id = ${accountId} and c.charge_id = t.transaction_id)`;
  const invoice = part`(
    select true from invoices v where v.account_id = ${accountId} and v.charge_id = t.transaction_id)`;
  const disputed = part`array(
    select b.charge_id from balance_blocks b where b.account_id = ${accountId} and b.held_amount > 0)`;
  const returned = part`coalesce((t.claims ->> 'returned')::bigint > 0 or t.claims -> 'refund' ->> 'status' = 'PENDING', false)`;
  return part`
    and (${standing}::text is null or (t.type = 'payment' and t.status = 'completed'))
    and (${standing}::text is distinct from 'disputed' or t.transaction_id = any(${disputed}))
    and (${standing}::text is null or ${standing} = 'disputed' or (
      coalesce((t.claims ->> 'disputed')::bigint, 0) = 0 and ${returned} = (${standing} = 'returned')))
    and (${invoiced}::boolean is null or (
      t.type = 'payment' and t.status = 'completed' and coalesce(${invoice}, false) = ${invoiced}))
    and (${minAmount}::bigint is null or (t.type = 'payment' and t.amount >= ${minAmount}))
    and (${maxAmount}::bigint is null or (t.type = 'payment' and t.amount <= ${maxAmount}))
    and (${payerDocument}::text is null or (
      t.type = 'payment' and coalesce(t.counterpart_document, ${customer(part`'document'`)}) = ${payerDocument}))
    and (${payerName}::text is null or (
      t.type = 'payment' and strpos(${plainOf(part`coalesce(t.counterpart_name, ${customer(part`'name'`)})`)}, ${payerName}) > 0))`;
}

/** The charge at which a search beginning after `after` stops; null where it ends before. */
export async function searchedTo(
  queries: Queries,
  { accountId, walletId }: OfWallets,
  { after, from, to }: { readonly after: string | null; readonly from: Date | null; readonly to: Date | null },
): Promise<string | null> {
  const end = to && firstUuidAt(to.getTime() + ID_SLACK);
  const before = end !== null && (after === null || end < after) ? end : after;
  const { rows } = await queries.query<{ charge_id: string }>(sql`
    select charge_id from charges
    where account_id = ${accountId} ${walletId === null ? part`` : part`and wallet_id = ${walletId}`}
      and (${before}::uuid is null or charge_id < ${before})
    order by charge_id desc offset ${literal(MOST_COMPARED - 1)} limit 1`);
  const stop = rows[0]?.charge_id ?? null;
  return stop !== null && from !== null && stop < firstUuidAt(from.getTime() - ID_SLACK) ? null : stop;
}
