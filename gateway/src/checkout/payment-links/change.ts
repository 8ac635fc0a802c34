import { requireReturnHost } from "../../accounts/checkout-settings/return-host.ts";
import { requireProject } from "../../accounts/projects/project.ts";
import { acceptSplit } from "../../charges/split.ts";
import type { Context } from "../../context.ts";
import type { Queries, Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import { readMetadata } from "../../http/metadata.ts";
import { LIMITS } from "../../lib/limits.ts";
import { type Centavos, fromBrl } from "../../lib/money.ts";
import { leavingRoom } from "./form.ts";
import { findLink, type PaymentLink, type PaymentLinkPatch, type PaymentLinkRequest, toLink } from "./link.ts";

type Deps = Pick<Context, "ids" | "clock" | "config" | "keys">;
type Owner = { readonly accountId: string; readonly accountNumber: number; readonly walletId: string };

/** Locks the tenant, whose settlements count a link's payments. */
const lock = (tx: Tx, accountId: string) =>
  tx.query(sql`select account_id from accounts where account_id = ${accountId} for no key update`);

/** Refuses one more active link of an account that has as many as it may have. The caller holds the tenant's lock. */
async function requireRoom(tx: Tx, accountId: string): Promise<void> {
  const limit = LIMITS.activeLinks;
  const { rows } = await tx.query<{ links: number }>(
    sql`select count(*)::integer as links from payment_links where account_id = ${accountId} and status = 'active'`,
  );
  if (rows[0]!.links >= limit) throw new ApiError("PAYMENT_LINK_LIMIT", undefined, { limit });
}

/** A link's request as it is stored, once every rule holds that a charge of it must keep. */
export async function checkLink(
  ctx: Pick<Context, "clock">,
  queries: Queries,
  owner: Owner,
  request: PaymentLinkRequest,
) {
  const { amount, minAmount, maxAmount, fields = [], split, projectId } = request;
  if (amount !== undefined && (minAmount !== undefined || maxAmount !== undefined))
    throw invalid("amount", "must be left out where the payer chooses between minAmount and maxAmount");
  if (minAmount !== undefined && maxAmount !== undefined && minAmount > maxAmount)
    throw invalid("minAmount", "must not be more than maxAmount");
  if (new Set(fields.map((field) => field.name)).size < fields.length) throw invalid("fields", "has two of one name");
  const people = fields.filter(({ type }) => type !== "text");
  // A second person would be found by no search for personal data: a charge has one customer.
  if (new Set(people.map(({ type }) => type)).size < people.length)
    throw invalid("fields", "has two of one type: of `email`, `document` and `phone` there may be one each");
  const [returnUrl] = await Promise.all([
    request.returnUrl === undefined ? null : requireReturnHost(queries, owner, projectId ?? null, request.returnUrl),
    projectId === undefined ? null : requireProject(queries, owner, projectId),
    // The least that anybody pays must leave every part of the split.
    acceptSplit(queries, owner, fromBrl(amount ?? minAmount ?? 1)!, split),
  ]);
  const centavos = (value: number | undefined): Centavos | null => (value === undefined ? null : fromBrl(value));
  return {
    ...request,
    amount: centavos(amount),
    minAmount: centavos(minAmount),
    maxAmount: centavos(maxAmount),
    fields,
    expiresAt: readEnd(request.expiresAt, ctx.clock.now()),
    metadata: leavingRoom(readMetadata(request.metadata), fields),
    returnUrl,
  };
}

function readEnd(text: string | null | undefined, now: number): Date | null {
  if (text === undefined || text === null) return null;
  const end = new Date(text);
  if (!(end.getTime() > now)) throw invalid("expiresAt", "must be in the future");
  return end;
}

export async function createLink(
  ctx: Deps,
  tx: Tx,
  owner: Owner,
  link: Awaited<ReturnType<typeof checkLink>>,
): Promise<PaymentLink> {
  const linkId = ctx.ids.uuid();
  const now = ctx.clock.date();
  const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));
  await lock(tx, owner.accountId);
  await requireRoom(tx, owner.accountId);
  await tx.query(sql`
    insert into payment_links (account_id, link_id, wallet_id, name, description, amount, min_amount, max_amount, max_payments,
      expires_at, fields, split, project_id, external_reference, metadata, return_url, created_at, updated_at)
    values (${owner.accountId}, ${linkId}, ${owner.walletId}, ${link.name}, ${link.description ?? null}, ${link.amount},
      ${link.minAmount}, ${link.maxAmount}, ${link.maxPayments ?? null}, ${link.expiresAt}, ${json(link.fields)}::jsonb,
      ${json(link.split)}::jsonb, ${link.projectId ?? null}, ${link.externalReference ?? null}, ${json(link.metadata)}::jsonb,
      ${link.returnUrl}, ${now}, ${now})`);
  return toLink(ctx, owner, await findLink(tx, owner, linkId));
}

/** Changes the fields that the call names (null lifts one), under the tenant's lock: a settlement reads how many payments the link takes. */
export async function patchLink(
  ctx: Deps,
  tx: Tx,
  owner: Owner,
  linkId: string,
  patch: PaymentLinkPatch,
): Promise<PaymentLink> {
  const now = ctx.clock.date();
  const end = readEnd(patch.expiresAt, now.getTime());
  await lock(tx, owner.accountId);
  const link = await findLink(tx, owner, linkId);
  if (typeof patch.maxPayments === "number" && patch.maxPayments < link.payments)
    throw invalid("maxPayments", `is less than the ${link.payments} payments that it has taken`);
  if (patch.status === "active" && link.status !== "active") await requireRoom(tx, owner.accountId);
  await tx.query(sql`
    update payment_links set status = coalesce(${patch.status ?? null}, status), name = coalesce(${patch.name ?? null}, name),
      description = ${patch.description === undefined ? link.description : patch.description},
      max_payments = ${patch.maxPayments === undefined ? link.maxPayments : patch.maxPayments},
      expires_at = ${patch.expiresAt === undefined ? link.expiresAt : end}, updated_at = ${now}
    where account_id = ${owner.accountId} and link_id = ${linkId}`);
  return toLink(ctx, owner, await findLink(tx, owner, linkId));
}
