import { createAccount } from "../../accounts/create.ts";
import type { Context } from "../../context.ts";
import { INSTALLATION_LOCK, readSetting, writeSetting } from "../../db/installation-settings.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ConfigError } from "../../lib/config-error.ts";
import { fingerprintOf, isKeyOf } from "./master-key.ts";

/**
 * Creates what every installation has: the house account and the fingerprint of the master key, without which the secrets
 * in this database cannot be decrypted. Refuses a start with another key before anything is written. During an exchange of
 * keys, `other` is the key that seals no new secrets.
 *
 * @returns the id of the house account, created now or by an earlier start.
 */
export async function prepareInstallation(
  ctx: Pick<Context, "config" | "db" | "ids" | "clock">,
  master: Buffer,
  other: Buffer | null,
): Promise<string> {
  return ctx.db.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${INSTALLATION_LOCK})`);
    const fingerprint = await readSetting(tx, "key_fingerprint");
    if (fingerprint !== null && !isKeyOf(fingerprint, master, other)) {
      throw new ConfigError(
        "this database was set up with another secret key (PIXGATE_SECRET_KEY, or secret.key in the data directory)",
      );
    }
    if (fingerprint === null) await writeSetting(tx, "key_fingerprint", fingerprintOf(master));
    const house = await readSetting(tx, "house_account_id");
    if (house !== null) {
      await makeReal(tx, house, ctx.config.environment);
      return house;
    }
    const accountId = ctx.ids.uuid();
    await createAccount(tx, {
      accountId,
      name: "House",
      legalName: null,
      document: null,
      isHouse: true,
      environment: ctx.config.environment,
      institutionIds: [],
      now: ctx.clock.date(),
    });
    await writeSetting(tx, "house_account_id", accountId);
    return accountId;
  });
}

/**
 * The command of the first token, which created the house account, may have run without PIXGATE_ENV. A start in production
 * makes the account a production one for ever; an installation with a sandbox institution was refused before.
 */
async function makeReal(tx: Tx, house: string, environment: Context["config"]["environment"]): Promise<void> {
  if (environment !== "production") return;
  await tx.query(
    sql`update accounts set environment = 'production' where account_id = ${house} and environment <> 'production'`,
  );
}
