import { Type } from "typebox";
import type { Context } from "../context.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Permission } from "../http/permissions.ts";

/** Field of an answer: warnings about what was done and is unwise with real money. */
export const Warnings = {
  warnings: Type.Optional(
    Type.Array(Type.String({ description: "In words." }), {
      description: "What was done and is unwise; in production only.",
    }),
  ),
};
type Warned = { readonly warnings?: string[] };
type Production = { readonly config: Pick<Context["config"], "environment"> };

const isProduction = ({ config }: Production): boolean => config.environment === "production";
const warn = (ctx: Production, ...warnings: readonly (string | null)[]): Warned => {
  const said = warnings.filter((warning) => warning !== null);
  return isProduction(ctx) && said.length > 0 ? { warnings: said } : {};
};

/** Warns where the account's company has an account already: its payments and limits would be split. */
export async function warnOfDocument(ctx: Production, queries: Queries, document: string | undefined): Promise<Warned> {
  if (document === undefined || !isProduction(ctx)) return {};
  const { rows } = await queries.query<{ account_id: string; name: string }>(sql`
    select account_id, name from accounts where document = ${document} and not is_house order by account_id limit 1`);
  const other = rows[0];
  return warn(ctx, other ? `the account ${other.account_id} (${other.name}) has the same document` : null);
}

/** Warns of a credential that can pay out from any address. */
export const warnOfCredential = (
  ctx: Production,
  { permissions, allowedIps }: { readonly permissions: readonly Permission[]; readonly allowedIps?: readonly string[] },
): Warned =>
  warn(
    ctx,
    permissions.includes("FULL_ACCESS") && allowedIps === undefined
      ? "it has FULL_ACCESS and no allowedIps: whoever has its secret can withdraw from anywhere"
      : null,
  );

/** Warns of an adjustment without a key, which a second click would book again. */
export const warnOfNoKey = (ctx: Production, keyed: unknown): Warned =>
  warn(ctx, keyed === null ? "it was sent without an Idempotency-Key: sent again, it is booked again" : null);
