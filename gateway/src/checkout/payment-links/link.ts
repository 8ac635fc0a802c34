import { type Static, type TSchema, Type } from "typebox";
import { isSoldOut, LinkField, paymentLinks } from "../../charges/payment-link.ts";
import { Split } from "../../charges/split.ts";
import type { Context } from "../../context.ts";
import { bigint, names, type RowOf, table, uuid } from "../../db/columns.ts";
import type { Queries } from "../../db/pool.ts";
import { part, sql } from "../../db/sql.ts";
import { linkToken } from "../../http/checkout-token.ts";
import { payUrl } from "../../http/checkout-url.ts";
import { AnswerObject, Brl, OPEN, OrNull, PathId, RequestObject, Words } from "../../http/contract.ts";
import { notFound } from "../../http/errors.ts";
import { Metadata } from "../../http/metadata.ts";
import { type Page, pageOf, readPage } from "../../http/pages.ts";
import { toBrl } from "../../lib/money.ts";
import { present } from "../../lib/present.ts";

/** Fields that a payer fills in. */
const MAX_FIELDS = 10;
const MAX_PAYMENTS = 1_000_000;

/** Null lifts it. */
const orNull = <T extends TSchema & { description?: string }>(schema: T) =>
  OrNull(schema, `${schema.description} null: lifts it.`);

const name = Words({
  maxLength: 120,
  description: "What is sold: the page's heading, and the description of its charges.",
});
const description = Words({
  maxLength: 255,
  description: "More about it, on the link's page.",
});
const maxPayments = Type.Integer({
  minimum: 1,
  maximum: MAX_PAYMENTS,
  description:
    "How many payments it takes. Of two payers of the last one, one pays, and the other's Pix goes back (`blockedDeposit.reason` `sold_out`).",
});
const expiresAt = Type.String({ format: "date-time", maxLength: 40, description: "From then on it makes no charge." });

export const PaymentLinkRequest = RequestObject("PaymentLinkRequest", "A payment link to make.", {
  name,
  description: Type.Optional(description),
  amount: Type.Optional(Brl({ minimum: 1, description: "What each payer pays, BRL. Left out: the payer chooses." })),
  minAmount: Type.Optional(Brl({ minimum: 1, description: "Least amount that a payer may choose, BRL; left out: 1." })),
  maxAmount: Type.Optional(Brl({ minimum: 1, description: "Most that a payer may choose, BRL." })),
  maxPayments: Type.Optional(maxPayments),
  expiresAt: Type.Optional(expiresAt),
  fields: Type.Optional(
    Type.Array(LinkField, { maxItems: MAX_FIELDS, description: "What the payer fills in, personal data in part." }),
  ),
  split: Type.Optional(Split),
  projectId: Type.Optional(Type.String({ format: "uuid", description: "Project that tags the charges." })),
  externalReference: Type.Optional(
    Type.String({ maxLength: 255, description: "Your own reference, on every charge of the link." }),
  ),
  metadata: Type.Optional(Metadata("Free key-value pairs, on every charge of the link.")),
  returnUrl: Type.Optional(
    Type.String({ maxLength: 2048, description: "Where payers go back to, as `returnUrl` of a charge." }),
  ),
});
export type PaymentLinkRequest = Static<typeof PaymentLinkRequest>;

export const PaymentLinkPatch = RequestObject("PaymentLinkPatch", "The fields to change; the others stay.", {
  status: Type.Optional(
    Type.Enum(["active", "disabled"], {
      type: "string",
      description: "`disabled`: it makes no charge. Charges that it has made can still be paid.",
    }),
  ),
  name: Type.Optional(name),
  description: Type.Optional(orNull(description)),
  maxPayments: Type.Optional(orNull(maxPayments)),
  expiresAt: Type.Optional(orNull(expiresAt)),
});
export type PaymentLinkPatch = Static<typeof PaymentLinkPatch>;

const LINK_STATUSES = ["active", "disabled", "sold_out", "expired"] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

export const PaymentLink = AnswerObject(
  "PaymentLink",
  "An address that makes a charge for whoever opens it and pays.",
  {
    id: Type.String({ format: "uuid", description: "Id of the link." }),
    url: Type.Optional(
      Type.String({
        description: "Address to give to payers. Left out where the installation has no pages.",
      }),
    ),
    status: Type.Enum([...LINK_STATUSES], {
      ...OPEN,
      type: "string",
      description: "Whether it makes charges, and why not.",
    }),
    name: Type.String({ description: "As in the request." }),
    description: Type.Optional(Type.String({ description: "As in the request." })),
    amount: Type.Optional(Type.Number({ description: "What each payer pays, BRL; left out: the payer chooses." })),
    minAmount: Type.Optional(Type.Number({ description: "Least amount that a payer may choose, BRL." })),
    maxAmount: Type.Optional(Type.Number({ description: "Most that a payer may choose, BRL." })),
    maxPayments: Type.Optional(Type.Integer({ description: "How many payments it takes." })),
    expiresAt: Type.Optional(Type.String({ format: "date-time", description: "From then on it makes no charge." })),
    fields: Type.Array(LinkField, { description: "What the payer fills in." }),
    split: Type.Optional(Split),
    projectId: Type.Optional(Type.String({ format: "uuid", description: "Project that tags the charges." })),
    externalReference: Type.Optional(Type.String({ description: "As in the request." })),
    metadata: Type.Optional(Metadata("As in the request.")),
    returnUrl: Type.Optional(Type.String({ description: "As in the request." })),
    payments: Type.Integer({ description: "Charges that were paid and credited. A refund takes none away." }),
    paidAmount: Type.Number({ description: "Their sum, BRL." }),
    opened: Type.Integer({
      description:
        "How often the page was opened, by people and by programs. A statistic: a process that dies loses the last seconds.",
    }),
    started: Type.Integer({ description: "Charges that payers asked for. A statistic too." }),
    createdAt: Type.String({ format: "date-time", description: "When it was made." }),
    updatedAt: Type.String({ format: "date-time", description: "When it last changed or was paid." }),
  },
);
export type PaymentLink = Static<typeof PaymentLink>;
export const PaymentLinkPage = pageOf(PaymentLink, "A page of a wallet's payment links.");
export const LinkParams = Type.Object({ id: PathId("payment link", "Id of the link.") });

export type LinkColumns = RowOf<typeof paymentLinks.columns>;

/** Statistics, in rows of their own, so that no visitor locks a row that a settlement writes. */
const visitsTable = table({
  name: "payment_link_visits",
  key: ["accountId", "linkId"],
  columns: { accountId: uuid, linkId: uuid, opened: bigint, started: bigint },
});
type VisitsRow = RowOf<typeof visitsTable.columns>;
export type Visits = Pick<VisitsRow, "opened" | "started">;

/** Why a link makes charges or not. */
export function statusOf(
  link: Pick<LinkColumns, "status" | "payments" | "maxPayments" | "expiresAt">,
  now: number,
): LinkStatus {
  if (link.status === "disabled") return "disabled";
  if (isSoldOut(link)) return "sold_out";
  return link.expiresAt !== null && link.expiresAt.getTime() <= now ? "expired" : "active";
}

type Owner = { readonly accountId: string; readonly accountNumber: number; readonly walletId: string };
type Deps = Pick<Context, "config" | "keys" | "clock">;

export function toLink(ctx: Deps, { accountNumber }: Owner, row: LinkColumns & Visits): PaymentLink {
  return present({
    id: row.linkId,
    url: payUrl(ctx.config, linkToken(ctx.keys, accountNumber, row.linkId)),
    status: statusOf(row, ctx.clock.now()),
    name: row.name,
    description: row.description,
    amount: toBrl(row.amount),
    minAmount: toBrl(row.minAmount),
    maxAmount: toBrl(row.maxAmount),
    maxPayments: row.maxPayments,
    expiresAt: row.expiresAt?.toISOString(),
    fields: [...row.fields],
    split: row.split && [...row.split],
    projectId: row.projectId,
    externalReference: row.externalReference,
    metadata: row.metadata,
    returnUrl: row.returnUrl,
    payments: row.payments,
    paidAmount: toBrl(row.paidAmount),
    opened: row.opened,
    started: row.started,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  });
}

const READ = part`${paymentLinks.select("l")}, coalesce(v.opened, 0)::bigint as opened, coalesce(v.started, 0)::bigint as started
  from payment_links l left join payment_link_visits v on v.account_id = l.account_id and v.link_id = l.link_id`;

/** A link of a wallet; 404 for another wallet's. */
export async function findLink(
  queries: Queries,
  { accountId, walletId }: Owner,
  linkId: string,
): Promise<LinkColumns & Visits> {
  const { rows } = await queries.query<LinkColumns & Visits>(sql`
    select ${READ} where l.account_id = ${accountId} and l.link_id = ${linkId} and l.wallet_id = ${walletId}`);
  if (!rows[0]) throw notFound("payment link", linkId);
  return rows[0];
}

/** One page of a wallet's links, newest first. */
export function listLinks(
  ctx: Deps & Pick<Context, "db">,
  owner: Owner,
  query: { limit?: number; cursor?: string },
): Promise<Page<PaymentLink>> {
  return readPage("payment-links", query, {
    read: (after, count) =>
      ctx.db.query<LinkColumns & Visits>(sql`
        select ${READ} where l.account_id = ${owner.accountId} and l.wallet_id = ${owner.walletId}
          and (${after}::uuid is null or l.link_id < ${after})
        order by l.link_id desc limit ${count}`),
    show: (row) => toLink(ctx, owner, row),
    key: (row) => row.linkId,
  });
}

/** Counts visits. */
export async function addVisits(queries: Queries, visits: VisitsRow): Promise<void> {
  await queries.query(sql`
    insert into payment_link_visits as v (${names(Object.keys(visitsTable.columns))})
    values (${visits.accountId}, ${visits.linkId}, ${visits.opened}, ${visits.started})
    on conflict (account_id, link_id) do update set opened = v.opened + excluded.opened, started = v.started + excluded.started`);
}
