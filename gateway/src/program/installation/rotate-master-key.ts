import { checkoutSettings } from "../../accounts/checkout-settings/settings.ts";
import { secretAad as checkoutAad } from "../../accounts/checkout-settings/sign.ts";
import { blockFiles } from "../../claims/blocks/files/row.ts";
import { keyAad } from "../../claims/blocks/files/seal.ts";
import { nullable, pick, type RowOf, relation, text } from "../../db/columns.ts";
import { INSTALLATION_LOCK, readSetting } from "../../db/installation-settings.ts";
import type { Db, Tx } from "../../db/pool.ts";
import { byShard, type Shards } from "../../db/shards.ts";
import { onTenants, sql } from "../../db/sql.ts";
import { resealFiles } from "../../http/console/kept-files.ts";
import { type InstitutionRow, institutions } from "../../institutions/registry.ts";
import { ConfigError } from "../../lib/config-error.ts";
import { openSealed, seal, open as unseal } from "../../lib/secrets.ts";
import { authenticatorAad } from "../../lib/totp.ts";
import { secretAad } from "../../webhooks/endpoints/rotate.ts";
import { endpoints } from "../../webhooks/endpoints/row.ts";
import { deriveKeys, fingerprintOf } from "./master-key.ts";

/** Rows of one transaction. */
const PAGE = 200;

/** What a run has done. */
type Rotation = {
  readonly institutions: number;
  readonly endpoints: number;
  readonly checkouts: number;
  readonly authenticators: number;
  /** Files of disputes; their contents stay as they are. */
  readonly evidence: number;
  /** Files of the console. */
  readonly consoleFiles: number;
};

/**
 * Seals every secret of the database under the new master key, and makes that the database's key. Each page is its own
 * transaction, and what is under the new key already is skipped, so it can be killed and run again. Running gateways must
 * know both keys (docs/operating.md).
 */
export async function rotateMasterKey(db: Db, master: Buffer, other: Buffer): Promise<Rotation> {
  await db.transaction(async (tx) => {
    const fingerprint = await readSetting(tx, "key_fingerprint");
    if (fingerprint === null) throw new ConfigError("this database has no secrets yet: simply start with the new key");
    if (fingerprint !== fingerprintOf(master) && fingerprint !== fingerprintOf(other)) {
      throw new ConfigError("this database was set up with neither PIXGATE_SECRET_KEY nor PIXGATE_SECRET_KEY_OTHER");
    }
  });
  const keys = deriveKeys(master, other);
  const reseal = (sealed: string, aad: string): string | null => {
    try {
      unseal(keys.sealing, sealed, aad);
      return null;
    } catch {
      return seal(keys.sealing, openSealed(keys, sealed, aad), aad);
    }
  };
  const total = { institutions: 0, endpoints: 0, checkouts: 0, authenticators: 0, evidence: 0, consoleFiles: 0 };
  // Repeats until nothing is left: a running gateway may have sealed something under the old key meanwhile.
  for (;;) {
    const institutions = await eachPage(db, (tx, after) => institutionPage(tx, after, reseal));
    const endpoints = await eachPage(db, (tx, after) => endpointPage(db.shards, tx, after, reseal));
    const checkouts = await eachPage(db, (tx, after) => checkoutPage(db.shards, tx, after, reseal));
    const authenticators = await eachPage(db, (tx, after) => authenticatorPage(tx, after, reseal));
    const evidence = await eachPage(db, (tx, after) => evidencePage(db.shards, tx, after, reseal));
    const consoleFiles = await eachPage(db, (tx, after) => resealFiles(tx, keys, after));
    total.institutions += institutions;
    total.endpoints += endpoints;
    total.checkouts += checkouts;
    total.authenticators += authenticators;
    total.evidence += evidence;
    total.consoleFiles += consoleFiles;
    if (institutions + endpoints + checkouts + authenticators + evidence + consoleFiles === 0) break;
  }
  await db.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${INSTALLATION_LOCK})`);
    await tx.query(sql`update settings set value = ${fingerprintOf(master)} where name = 'key_fingerprint'`);
  });
  return total;
}

type Reseal = (sealed: string, aad: string) => string | null;
type Page = { readonly last: string | null; readonly changed: number };

async function eachPage(db: Db, page: (tx: Tx, after: string | null) => Promise<Page>): Promise<number> {
  let changed = 0;
  let after: string | null = null;
  do {
    const done: Page = await db.transaction((tx) => page(tx, after));
    changed += done.changed;
    after = done.last;
  } while (after !== null);
  return changed;
}

async function institutionPage(tx: Tx, after: string | null, reseal: Reseal): Promise<Page> {
  const { rows } = await tx.query<Pick<InstitutionRow, "institutionId" | "sealedConfig">>(sql`
    select ${institutions.select("", ["institutionId", "sealedConfig"])} from institutions where (${after}::uuid is null or institution_id > ${after})
    order by institution_id limit ${PAGE} for update`);
  let changed = 0;
  for (const { institutionId: id, sealedConfig: sealed } of rows) {
    const fresh = reseal(sealed, id);
    if (fresh === null) continue;
    // Its settings are the same, so `updated_at` stays and no process rebuilds it.
    await tx.query(sql`update institutions set sealed_config = ${fresh} where institution_id = ${id}`);
    changed += 1;
  }
  return { last: rows.at(-1)?.institutionId ?? null, changed };
}

const SECRETS = ["accountId", "endpointId", "sealedSecret", "nextSealedSecret"] as const;
const SEALED = pick(endpoints.columns, SECRETS);
const RESEALED = { ...SEALED, was: text, nextWas: nullable(text) };

/**
 * Includes deleted endpoints, which have sealed secrets too. Nothing is locked, since a cluster refuses that in several
 * shards at once: a secret that was rotated meanwhile stays as it is, and the next round finds it.
 */
async function endpointPage(shards: Shards, tx: Tx, after: string | null, reseal: Reseal): Promise<Page> {
  const { rows } = await tx.query<RowOf<typeof SEALED>>(sql`
    select ${endpoints.select("", SECRETS)} from webhook_endpoints
    where (${after}::uuid is null or endpoint_id > ${after}) order by endpoint_id limit ${PAGE}`);
  const fresh = rows.flatMap((row) => resealed(row, secretAad(row.accountId, row.endpointId), reseal));
  for (const part of byShard(shards, fresh, ({ accountId }) => accountId)) {
    await tx.query(sql`
      update webhook_endpoints e set sealed_secret = u.sealed_secret, next_sealed_secret = u.next_sealed_secret
      from ${relation("u", RESEALED, part)}
      where e.account_id = u.account_id and e.endpoint_id = u.endpoint_id and ${onTenants("e.account_id", part)}
        and e.sealed_secret = u.was and e.next_sealed_secret is not distinct from u.next_was`);
  }
  return { last: rows.at(-1)?.endpointId ?? null, changed: fresh.length };
}

const CHECKOUT = ["accountId", "sealedSecret", "nextSealedSecret"] as const;
const CHECKOUT_SEALED = pick(checkoutSettings.columns, CHECKOUT);
const CHECKOUT_RESEALED = { ...CHECKOUT_SEALED, was: text, nextWas: nullable(text) };

/** Like `endpointPage`. */
async function checkoutPage(shards: Shards, tx: Tx, after: string | null, reseal: Reseal): Promise<Page> {
  const { rows } = await tx.query<RowOf<typeof CHECKOUT_SEALED>>(sql`
    select ${checkoutSettings.select("", CHECKOUT)} from checkout_settings
    where (${after}::uuid is null or account_id > ${after}) order by account_id limit ${PAGE}`);
  const fresh = rows.flatMap((row) => resealed(row, checkoutAad(row.accountId), reseal));
  for (const part of byShard(shards, fresh, ({ accountId }) => accountId)) {
    await tx.query(sql`
      update checkout_settings e set sealed_secret = u.sealed_secret, next_sealed_secret = u.next_sealed_secret
      from ${relation("u", CHECKOUT_RESEALED, part)}
      where e.account_id = u.account_id and ${onTenants("e.account_id", part)}
        and e.sealed_secret = u.was and e.next_sealed_secret is not distinct from u.next_was`);
  }
  return { last: rows.at(-1)?.accountId ?? null, changed: fresh.length };
}

const EVIDENCE = ["accountId", "blockId", "fileId", "sealedKey"] as const;
const EVIDENCE_SEALED = pick(blockFiles.columns, EVIDENCE);

/** Like `endpointPage`, of the keys of files. A file may be deleted meanwhile; its key never changes otherwise. */
async function evidencePage(shards: Shards, tx: Tx, after: string | null, reseal: Reseal): Promise<Page> {
  const { rows } = await tx.query<RowOf<typeof EVIDENCE_SEALED>>(sql`
    select ${blockFiles.select("", EVIDENCE)} from balance_block_files
    where (${after}::uuid is null or file_id > ${after}) order by file_id limit ${PAGE}`);
  const fresh = rows.flatMap((row) => {
    const sealedKey = reseal(row.sealedKey, keyAad(row));
    return sealedKey === null ? [] : [{ ...row, sealedKey }];
  });
  for (const part of byShard(shards, fresh, ({ accountId }) => accountId)) {
    await tx.query(sql`
      update balance_block_files f set sealed_key = u.sealed_key from ${relation("u", EVIDENCE_SEALED, part)}
      where f.account_id = u.account_id and f.block_id = u.block_id and f.file_id = u.file_id
        and ${onTenants("f.account_id", part)}`);
  }
  return { last: rows.at(-1)?.fileId ?? null, changed: fresh.length };
}

type Sealed = { readonly sealedSecret: string; readonly nextSealedSecret: string | null };

/** The row with its secrets under the new key; none where they are already. */
function resealed<R extends Sealed>(
  row: R,
  aad: string,
  reseal: Reseal,
): readonly (R & { readonly was: string; readonly nextWas: string | null })[] {
  const secret = reseal(row.sealedSecret, aad);
  const next = row.nextSealedSecret === null ? null : reseal(row.nextSealedSecret, aad);
  if (secret === null && next === null) return [];
  const now = { sealedSecret: secret ?? row.sealedSecret, nextSealedSecret: next ?? row.nextSealedSecret };
  return [{ ...row, ...now, was: row.sealedSecret, nextWas: row.nextSealedSecret }];
}

async function authenticatorPage(tx: Tx, after: string | null, reseal: Reseal): Promise<Page> {
  const { rows } = await tx.query<{
    person_id: string;
    sealed_secret: string | null;
    sealed_pending: string | null;
  }>(sql`
    select person_id, sealed_secret, sealed_pending from authenticators
    where (${after}::uuid is null or person_id > ${after}) order by person_id limit ${PAGE} for update`);
  let changed = 0;
  for (const { person_id: id, sealed_secret: secret, sealed_pending: pending } of rows) {
    const again = (sealed: string | null) => sealed && reseal(sealed, authenticatorAad(id));
    const fresh = [again(secret), again(pending)] as const;
    if (fresh[0] === null && fresh[1] === null) continue;
    await tx.query(sql`
      update authenticators set sealed_secret = ${fresh[0] ?? secret}, sealed_pending = ${fresh[1] ?? pending}
      where person_id = ${id}`);
    changed += 1;
  }
  return { last: rows.at(-1)?.person_id ?? null, changed };
}
