import type { Queries } from "../db/pool.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { findSettings } from "./settings.ts";

/** An address of before, or null where its host is none of the account's any more: its payers are led there no longer. */
export const allowedReturn = (returnUrl: string | null, hosts: readonly string[] | null): string | null =>
  returnUrl !== null && hosts?.includes(new URL(returnUrl).host) ? returnUrl : null;

/**
 * Refuses an address that the account's payers may not be sent back to: it must be https, without a user or a password, and of
 * one of the account's hosts, so that no page of ours leads to a stranger's.
 *
 * @returns the address as it is stored.
 */
export async function requireReturnHost(queries: Queries, accountId: string, returnUrl: string): Promise<string> {
  const url = URL.parse(returnUrl);
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw invalid("returnUrl", "must be an https address without a user");
  const hosts = (await findSettings(queries, accountId))?.returnHosts ?? [];
  if (!hosts.includes(url.host)) throw new ApiError("RETURN_HOST_NOT_ALLOWED", undefined, { host: url.host });
  return url.href;
}
