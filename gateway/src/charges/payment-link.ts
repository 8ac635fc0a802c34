import { type Static, Type } from "typebox";
import { bigint, instant, int, json, nullable, oneOf, table, text, uuid } from "../db/columns.ts";
import { part } from "../db/sql.ts";
import { RequestPart, Words } from "../http/contract.ts";
import { type Books, update, type Write } from "../ledger/books.ts";
import type { Deciding, Want } from "../ledger/lane.ts";
import { laneTable, type RowIn } from "../ledger/lane-table.ts";
import type { Centavos } from "../lib/money.ts";
import type { ChargeRow } from "./charge.ts";
import type { SplitAllocation } from "./split.ts";

/** What a payer fills in before a link makes their charge. */
const FIELD_TYPES = ["text", "email", "document", "phone"] as const;
export const LinkField = RequestPart("A field that the payer fills in.", {
  name: Type.String({
    pattern: "^[a-z][A-Za-z0-9_]{0,31}$",
    description: "Its name in the charge's `metadata.fields`.",
  }),
  label: Words({ maxLength: 60, description: "What the payer reads." }),
  required: Type.Boolean({ description: "Whether the payer must fill it in." }),
  type: Type.Enum([...FIELD_TYPES], {
    type: "string",
    description:
      "`document`: a CPF or CNPJ, whose check digits are checked. At most one each of `email`, `document` and `phone`: they become the charge's `customer`.",
  }),
});

/**
 * Payment links. A settlement reads and counts here: whether the last payment was taken is decided by the command that takes it,
 * and by nothing that was read before.
 */
export const paymentLinks = laneTable(
  table({
    name: "payment_links",
    key: ["accountId", "linkId"],
    columns: {
      accountId: uuid,
      linkId: uuid,
      walletId: uuid,
      name: text,
      description: nullable(text),
      /** Null: the payer chooses, within `minAmount` and `maxAmount`. */
      amount: nullable(bigint),
      minAmount: nullable(bigint),
      maxAmount: nullable(bigint),
      maxPayments: nullable(int),
      expiresAt: nullable(instant),
      fields: json<readonly Static<typeof LinkField>[]>(),
      split: nullable(json<readonly Static<typeof SplitAllocation>[]>()),
      projectId: nullable(uuid),
      externalReference: nullable(text),
      metadata: nullable(json<Readonly<Record<string, unknown>>>()),
      returnUrl: nullable(text),
      status: oneOf(["active", "disabled"]),
      /** Charges of the link that were paid and credited, and their sum. A refund takes nothing away. */
      payments: bigint,
      paidAmount: bigint,
      createdAt: instant,
      updatedAt: instant,
    },
    groups: {
      payment: { by: ["settle charge"], columns: ["payments", "paidAmount", "updatedAt"] },
    },
  }),
  {
    order: 110,
    // Every other change of a link locks the tenant too.
    load: "plain",
    without: [
      ...(["name", "description", "amount", "minAmount", "maxAmount", "expiresAt", "fields", "split"] as const),
      ...(["projectId", "externalReference", "metadata", "returnUrl", "status", "createdAt"] as const),
    ],
  },
);
type LinkRow = RowIn<typeof paymentLinks>;

/** Whether as many payments were taken as the link takes. */
export const isSoldOut = (link: Pick<LinkRow, "payments" | "maxPayments">): boolean =>
  link.maxPayments !== null && link.payments >= link.maxPayments;

/** Joins the link `l` that made a charge `c`. SQL. */
export const LINK_OF_CHARGE = part`left join payment_links l on l.account_id = c.account_id and l.link_id = c.payment_link_id`;

/** `isSoldOut` of a joined link `l`; false for a charge without one. SQL. */
export const SOLD_OUT = part`coalesce(l.payments >= l.max_payments, false) as "soldOut"`;

type Made = Pick<ChargeRow, "accountId" | "paymentLinkId">;

/** Wants the link that made a charge, for the functions below. */
export function wantLinkOf({ accountId, paymentLinkId }: Made, want: Want): void {
  if (paymentLinkId !== null) want.row(paymentLinks, { accountId, id: paymentLinkId });
}

const linkOf = ({ accountId, paymentLinkId }: Made, books: Books): LinkRow | undefined =>
  paymentLinkId === null ? undefined : books.find(paymentLinks, { accountId, id: paymentLinkId });

/** Whether the link that made a charge takes no more payments; false for a charge without one. */
export function isLinkSoldOut(charge: Made, books: Books): boolean {
  const link = linkOf(charge, books);
  return link !== undefined && isSoldOut(link);
}

/** Counts a payment at the link that made the charge. */
export function countPayment(charge: Made, amount: Centavos, books: Books, { now }: Deciding): Write[] {
  const link = linkOf(charge, books);
  if (link === undefined) return [];
  const [payments, paidAmount] = [link.payments + 1, link.paidAmount + amount];
  return [update(paymentLinks, link, "payment", { payments, paidAmount, updatedAt: now })];
}
