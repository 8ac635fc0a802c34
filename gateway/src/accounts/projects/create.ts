import type { Static } from "typebox";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ApiError } from "../../http/errors.ts";
import { type Project, type ProjectRequest, type ProjectRow, projects, toProject } from "./project.ts";

/**
 * Makes a project of a wallet (interface, POST /projects). Of simultaneous calls with one name, the unique key lets exactly
 * one through.
 */
export async function createProject(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  wallet: { readonly accountId: string; readonly walletId: string },
  request: Static<typeof ProjectRequest>,
): Promise<Project> {
  const { name, color, description = null, logoUrl = null } = request;
  const now = ctx.clock.date();
  const { rows } = await tx.query<ProjectRow>(sql`
    insert into projects (account_id, project_id, wallet_id, name, color, description, logo_url, created_at, updated_at)
    values (${wallet.accountId}, ${ctx.ids.uuid()}, ${wallet.walletId}, ${name}, ${color}, ${description}, ${logoUrl},
      ${now}, ${now})
    on conflict (account_id, wallet_id, name) do nothing
    returning ${projects.select()}`);
  if (!rows[0])
    throw new ApiError("PROJECT_NAME_TAKEN", undefined, { resource: "project", field: "name", value: name });
  return toProject(rows[0]);
}
