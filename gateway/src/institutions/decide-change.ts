import type { Static } from "typebox";
import { type Acting, changeOfRows } from "../cases/second-person.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { invalid } from "../http/errors.ts";
import { deriveKey, hmacSha256 } from "../lib/secrets.ts";
import { canonicalJson } from "../lib/text.ts";
import { patchInstitution } from "./change.ts";
import { type InstitutionConfig, visibleConfig } from "./config.ts";
import { type InstitutionRow, institutions, openConfig } from "./registry.ts";
import { refuseOpen } from "./retire.ts";
import type { InstitutionPatch } from "./schemas.ts";

type Patch = Static<typeof InstitutionPatch>;

/** Changes an institution. To be retired it must have nothing open. The row stays locked, so a concurrent change waits. */
export async function changeInstitution(ctx: Acting, tx: Tx, houseId: string, id: string, patch: Patch) {
  const patched = await patchInstitution(ctx, tx, houseId, id, patch);
  if (patch.status === "retired") await refuseOpen(tx, patched.institutionId, ctx.clock.date());
  return patched;
}

/**
 * Whether a change decides who reports about money: where and how the institution is reached, or that it is active again.
 */
export const redirects = ({ config, status }: Patch): boolean => config !== undefined || status === "active";

/** The change in words, without its secrets. */
export const inWords = ({ config, ...patch }: Patch): string =>
  JSON.stringify({ ...patch, ...(config && { config: visibleConfig(config as InstitutionConfig) }) });

/** A digest that tells configurations apart without showing their secrets to anybody who lacks the master key. */
export const digestConfig = ({ keys }: Pick<Acting, "keys">, config: object): string =>
  hmacSha256(deriveKey(keys.sealing, "institution settings"), canonicalJson(config)).toString("hex");

/** A change of an institution that one person may not make alone. Its settings are stored sealed. */
export const CHANGE_INSTITUTION = changeOfRows<{
  readonly institutionId: string;
  readonly patch: Omit<Patch, "config">;
  readonly sealed: string | null;
}>({
  name: "institutions.update",
  role: "admin",
  lock: (tx, { institutionId }) =>
    tx.query(sql`select from institutions where institution_id = ${institutionId} for update`),
  async read(queries, { institutionId }) {
    const { rows } = await queries.query<Pick<InstitutionRow, "status" | "updatedAt">>(sql`
      select ${institutions.select("", ["status", "updatedAt"])} from institutions where institution_id = ${institutionId}`);
    return { status: rows[0]?.status ?? null, updatedAt: rows[0]?.updatedAt.toISOString() ?? null };
  },
  async write(ctx, tx, { accountId: houseId, institutionId, patch, sealed }) {
    const config = sealed === null ? {} : { config: open(ctx, institutionId, sealed) as Patch["config"] };
    await changeInstitution(ctx, tx, houseId, institutionId, { ...patch, ...config } as Patch);
    ctx.psps.forget();
    return { institutionId };
  },
});

function open({ keys }: Acting, institutionId: string, sealedConfig: string): InstitutionConfig {
  try {
    return openConfig(keys, { institutionId, sealedConfig });
  } catch {
    throw invalid("config", "was sealed with a master key that is gone: ask for the change again");
  }
}
