import type { Static } from "typebox";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ApiError } from "../../http/errors.ts";
import { LIMITS } from "../../lib/limits.ts";
import { ROTATION_MS, signingNow } from "../../lib/rotation.ts";
import { seal } from "../../lib/secrets.ts";
import type { Retry } from "../deliveries/schedule.ts";
import { newSecret } from "../deliveries/sign.ts";
import type { EventKind } from "../events/catalogue.ts";
import { findEndpoint, type Owner, toEndpoint, type WebhookEndpoint, type WebhookEndpointPatch } from "./endpoint.ts";
import { secretAad } from "./rotate.ts";
import { type EndpointRow, endpoints } from "./row.ts";

type Deps = Pick<Context, "ids" | "clock" | "keys" | "random">;

/** Locks the tenant, whose commands read the endpoints to decide which deliveries an event gets. */
const lock = (tx: Tx, accountId: string) =>
  tx.query(sql`select account_id from accounts where account_id = ${accountId} for no key update`);

/** Creates an endpoint. The caller has checked its address. */
export async function createEndpoint(
  ctx: Deps,
  tx: Tx,
  owner: Owner,
  endpoint: {
    readonly url: string;
    readonly events: readonly EventKind[] | undefined;
    readonly description: string | undefined;
    readonly enabled: boolean;
    readonly retry: Retry;
  },
): Promise<WebhookEndpoint> {
  const { accountId, walletId } = owner;
  const id = ctx.ids.uuid();
  const now = ctx.clock.date();
  const secret = newSecret(ctx.random);
  await lock(tx, accountId);
  const { rows: counted } = await tx.query<{ count: number }>(sql`
    select count(*)::integer as count from webhook_endpoints
    where account_id = ${accountId} and wallet_id = ${walletId} and deleted_at is null`);
  const limit = LIMITS.endpointsPerWallet;
  if (counted[0]!.count >= limit) throw new ApiError("WEBHOOK_ENDPOINT_LIMIT", undefined, { limit });
  const { rows } = await tx.query<EndpointRow>(sql`
    insert into webhook_endpoints (account_id, endpoint_id, wallet_id, url, events, description, enabled, retry,
      sealed_secret, created_at, updated_at)
    values (${accountId}, ${id}, ${walletId}, ${endpoint.url}, ${endpoint.events ?? null}, ${endpoint.description ?? null},
      ${endpoint.enabled}, ${endpoint.retry}, ${seal(ctx.keys.sealing, secret, secretAad(accountId, id))}, ${now}, ${now})
    returning ${endpoints.select()}`);
  return toEndpoint(rows[0]!, now.getTime(), secret);
}

/** Changes the fields that the call names. The caller has checked a new address. */
export async function patchEndpoint(
  ctx: Deps,
  tx: Tx,
  owner: Owner,
  endpointId: string,
  patch: Static<typeof WebhookEndpointPatch>,
): Promise<WebhookEndpoint> {
  const now = ctx.clock.date();
  await lock(tx, owner.accountId);
  await findEndpoint(tx, owner, endpointId);
  const { rows } = await tx.query<EndpointRow>(sql`
    update webhook_endpoints set url = coalesce(${patch.url ?? null}, url), events = coalesce(${patch.events ?? null}, events),
      description = coalesce(${patch.description ?? null}, description), enabled = coalesce(${patch.enabled ?? null}, enabled),
      retry = coalesce(${patch.retry ?? null}, retry), updated_at = ${now}
    where account_id = ${owner.accountId} and endpoint_id = ${endpointId}
    returning ${endpoints.select()}`);
  return toEndpoint(rows[0]!, now.getTime());
}

/** Deletes an endpoint: nothing is sent to it any more. Its deliveries and attempts can still be read. */
export async function deleteEndpoint(ctx: Deps, tx: Tx, owner: Owner, endpointId: string): Promise<void> {
  const now = ctx.clock.date();
  await lock(tx, owner.accountId);
  await findEndpoint(tx, owner, endpointId);
  await tx.query(sql`
    update webhook_endpoints set deleted_at = ${now}, enabled = false, updated_at = ${now}
    where account_id = ${owner.accountId} and endpoint_id = ${endpointId}`);
}

/**
 * Begins to replace the secret: the old and the new one both sign for a day. A second rotation within that day replaces the
 * new secret, which may have been lost, and the day begins again.
 */
export async function rotateSecret(ctx: Deps, tx: Tx, owner: Owner, endpointId: string): Promise<WebhookEndpoint> {
  const now = ctx.clock.now();
  const secret = newSecret(ctx.random);
  await lock(tx, owner.accountId);
  const before = await findEndpoint(tx, owner, endpointId);
  const [current] = signingNow(before, now);
  const aad = secretAad(owner.accountId, endpointId);
  const { rows } = await tx.query<EndpointRow>(sql`
    update webhook_endpoints set sealed_secret = ${current}, next_sealed_secret = ${seal(ctx.keys.sealing, secret, aad)},
      rotation_ends_at = ${new Date(now + ROTATION_MS)}, updated_at = ${new Date(now)}
    where account_id = ${owner.accountId} and endpoint_id = ${endpointId}
    returning ${endpoints.select()}`);
  return toEndpoint(rows[0]!, now, secret);
}

/** Ends a rotation: only the new secret signs. Without a rotation nothing changes. */
export async function finishRotation(ctx: Deps, tx: Tx, owner: Owner, endpointId: string): Promise<WebhookEndpoint> {
  const now = ctx.clock.now();
  await lock(tx, owner.accountId);
  const before = await findEndpoint(tx, owner, endpointId);
  if (before.nextSealedSecret === null) return toEndpoint(before, now);
  const { rows } = await tx.query<EndpointRow>(sql`
    update webhook_endpoints set sealed_secret = next_sealed_secret, next_sealed_secret = null, rotation_ends_at = null,
      updated_at = ${new Date(now)}
    where account_id = ${owner.accountId} and endpoint_id = ${endpointId}
    returning ${endpoints.select()}`);
  return toEndpoint(rows[0]!, now);
}
