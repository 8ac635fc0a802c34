import { capabilitiesOf } from "./capabilities.ts";
import type { ApiPixSettings } from "./config.ts";

/** Which of its accounts an application of Inter is to use, where it has several. */
const ACCOUNT_HEADER = "x-conta-corrente";

/**
 * What the account is known by beside its PIX key: who pays out of it or reads its balance does so by its application, whatever key
 * receives there.
 */
export function accountNames(settings: Readonly<Record<string, unknown>>): readonly string[] {
  const { profile, scope, clientId, extraHeaders = {} } = settings as ApiPixSettings;
  const { balance, payouts } = capabilitiesOf({ profile, scope });
  if (!clientId || (!balance && payouts === null)) return [];
  const account = Object.entries(extraHeaders).find(([name]) => name.toLowerCase() === ACCOUNT_HEADER)?.[1];
  return [`application/${clientId}/account/${account?.trim() ?? "*"}`];
}
