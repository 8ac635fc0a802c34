import type { Queries } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ApiError, invalid } from "../../http/errors.ts";

/** A stored address; null where its host is no longer one of the account's, so that payers are not led there any more. */
export const allowedReturn = (returnUrl: string | null, hosts: readonly string[] | null): string | null =>
  returnUrl !== null && hosts?.includes(new URL(returnUrl).host) ? returnUrl : null;

/**
 * Refuses an address that payers may not be sent back to: it must be https, without a user or a password, and of one of the hosts
 * of the project, or of the account where the project names none, so that no page of ours leads to a stranger's.
 *
 * @param projectId null: the wallet's only project, as for the charge.
 * @returns the address as it is stored.
 */
export async function requireReturnHost(
  queries: Queries,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string },
  projectId: string | null,
  returnUrl: string,
): Promise<string> {
  const url = URL.parse(returnUrl);
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw invalid("returnUrl", "must be an https address without a user");
  const { rows } = await queries.query<{ hosts: readonly string[] }>(sql`
    select coalesce(o.look->'returnHosts', s.return_hosts, '[]') as hosts
    from accounts a left join checkout_settings s on s.account_id = a.account_id
      left join (
        select case when count(*) = 1 then min(project_id::text)::uuid end as project_id from projects
        where account_id = ${accountId} and wallet_id = ${walletId} and ${projectId}::uuid is null) p on true
      left join project_checkout_settings o on o.account_id = a.account_id and o.project_id = coalesce(${projectId}::uuid, p.project_id)
    where a.account_id = ${accountId}`);
  if (!rows[0]!.hosts.includes(url.host)) throw new ApiError("RETURN_HOST_NOT_ALLOWED", undefined, { host: url.host });
  return url.href;
}
