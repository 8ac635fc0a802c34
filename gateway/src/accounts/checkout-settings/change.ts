import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import { turnOf } from "../../http/turns.ts";
import { present } from "../../lib/present.ts";
import { ROTATION_MS, signingNow } from "../../lib/rotation.ts";
import { randomSecret, seal } from "../../lib/secrets.ts";
import { requireProject } from "../projects/project.ts";
import { isReadable } from "./colour.ts";
import { safeLogo } from "./logo.ts";
import {
  type CheckoutSettings,
  type CheckoutSettingsRequest,
  checkoutSettings,
  findSettings,
  type OwnLook,
  type ProjectCheckoutSettings,
  type SettingsRow,
  toProjectSettings,
  toSettings,
} from "./settings.ts";
import { secretAad } from "./sign.ts";

type Deps = Pick<Context, "clock" | "keys">;

/** Locks the tenant, so that two changes come one after the other. */
const lock = (tx: Tx, accountId: string) =>
  tx.query(sql`select account_id from accounts where account_id = ${accountId} for no key update`);

const newSecret = (): string => randomSecret("chksec_");

/**
 * Reads the look that a request chooses, with the logo made safe. Throws the refusal of what cannot be shown. Decoding a logo
 * and writing it anew takes some 40 ms of the one thread, whatever its size, so it is done in the account's turn
 * (http/turns.ts) and before the transaction that stores it.
 */
export const readLook = (
  { turns }: Pick<Context, "turns">,
  accountId: string,
  request: CheckoutSettingsRequest,
): Promise<OwnLook> => turns.take(turnOf(accountId), async () => checkLook(request));

function checkLook(request: CheckoutSettingsRequest): OwnLook {
  const { color, returnHosts, logo } = request;
  if (color !== undefined && !isReadable(color))
    throw invalid("color", "is too light: it must stand out from white by 3:1");
  // A parsed address never has the default port, so no `returnUrl` would match such a host.
  if (returnHosts?.some((host) => host.endsWith(":443"))) throw invalid("returnHosts", "must leave out port 443");
  const safe = logo === undefined ? undefined : safeLogo(logo);
  if (safe && "problem" in safe) throw invalid("logo", safe.problem);
  return present<OwnLook>({ ...request, returnHosts: returnHosts && [...new Set(returnHosts)], logo: safe?.uri });
}

/** Replaces the settings. The first time it makes the secret of the signatures, which the answer shows. */
export async function replaceSettings(
  { clock, keys }: Deps,
  tx: Tx,
  accountId: string,
  look: OwnLook,
): Promise<CheckoutSettings> {
  const now = clock.date();
  await lock(tx, accountId);
  const isFirst = (await findSettings(tx, accountId)) === null;
  const secret = newSecret();
  const { rows } = await tx.query<SettingsRow>(sql`
    insert into checkout_settings (account_id, display_name, color, logo, support_contact, return_hosts, locale, sealed_secret,
      created_at, updated_at)
    values (${accountId}, ${look.displayName ?? null}, ${look.color ?? null}, ${look.logo ?? null}, ${look.supportContact ?? null},
      ${JSON.stringify(look.returnHosts ?? [])}::jsonb, ${look.locale ?? null}, ${seal(keys.sealing, secret, secretAad(accountId))},
      ${now}, ${now})
    on conflict (account_id) do update set display_name = excluded.display_name, color = excluded.color, logo = excluded.logo,
      support_contact = excluded.support_contact, return_hosts = excluded.return_hosts, locale = excluded.locale,
      updated_at = excluded.updated_at
    returning ${checkoutSettings.select()}`);
  return toSettings(rows[0]!, now.getTime(), isFirst ? secret : undefined);
}

/**
 * Replaces the settings of a project's own. The way back of its payers is signed with the account's secret, so that is made
 * first.
 */
export async function replaceProjectSettings(
  { clock }: Pick<Context, "clock">,
  tx: Tx,
  wallet: { readonly accountId: string; readonly walletId: string },
  projectId: string,
  look: OwnLook,
): Promise<ProjectCheckoutSettings> {
  await requireProject(tx, wallet, projectId);
  if (look.returnHosts?.length && (await findSettings(tx, wallet.accountId)) === null)
    throw invalid(
      "returnHosts",
      "need the account's settings: `PUT /checkout/settings` makes the secret of the way back",
    );

  // ---- All checks are done.
  const now = clock.date();
  await tx.query(sql`
    insert into project_checkout_settings (account_id, project_id, look, created_at, updated_at)
    values (${wallet.accountId}, ${projectId}, ${JSON.stringify(look)}::jsonb, ${now}, ${now})
    on conflict (account_id, project_id) do update set look = excluded.look, updated_at = excluded.updated_at`);
  return toProjectSettings({ look, updatedAt: now });
}

/**
 * Begins to replace the secret: the old and the new one both sign for a day. A second rotation within that day replaces the
 * new secret, which may have been lost, and the day begins again.
 */
export async function rotateSecret({ clock, keys }: Deps, tx: Tx, accountId: string): Promise<CheckoutSettings> {
  const now = clock.now();
  const secret = newSecret();
  await lock(tx, accountId);
  const before = await requireSettings(tx, accountId);
  const [current] = signingNow(before, now);
  const { rows } = await tx.query<SettingsRow>(sql`
    update checkout_settings set sealed_secret = ${current}, next_sealed_secret = ${seal(keys.sealing, secret, secretAad(accountId))},
      rotation_ends_at = ${new Date(now + ROTATION_MS)}, updated_at = ${new Date(now)}
    where account_id = ${accountId}
    returning ${checkoutSettings.select()}`);
  return toSettings(rows[0]!, now, secret);
}

/** Ends a rotation: only the new secret signs. Without a rotation nothing changes. */
export async function finishRotation({ clock }: Deps, tx: Tx, accountId: string): Promise<CheckoutSettings> {
  const now = clock.now();
  await lock(tx, accountId);
  const before = await requireSettings(tx, accountId);
  if (before.nextSealedSecret === null) return toSettings(before, now);
  const { rows } = await tx.query<SettingsRow>(sql`
    update checkout_settings set sealed_secret = next_sealed_secret, next_sealed_secret = null, rotation_ends_at = null,
      updated_at = ${new Date(now)}
    where account_id = ${accountId}
    returning ${checkoutSettings.select()}`);
  return toSettings(rows[0]!, now);
}

async function requireSettings(tx: Tx, accountId: string): Promise<SettingsRow> {
  const row = await findSettings(tx, accountId);
  if (row === null) throw new ApiError("RESOURCE_NOT_FOUND", "The account has stored no checkout settings yet.");
  return row;
}
