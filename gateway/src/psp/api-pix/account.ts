import { capabilitiesOf } from "./capabilities.ts";
import type { ApiPixSettings } from "./config.ts";

/** Which of its accounts an application of Inter is to use, where it has several. */
const ACCOUNT_HEADER = "x-conta-corrente";

/**
 * The names of the account beside its PIX key: payouts and reads of the balance go by the application, whatever key receives
 * there.
 */
export function accountNames(settings: Readonly<Record<string, unknown>>): readonly string[] {
  const { profile, scope, clientId, extraHeaders = {} } = settings as ApiPixSettings;
  const { balance, payouts } = capabilitiesOf({ profile, scope });
  if (!clientId || (!balance && payouts === null)) return [];
  const account = Object.entries(extraHeaders).find(([name]) => name.toLowerCase() === ACCOUNT_HEADER)?.[1];
  return [`application/${clientId}/account/${account?.trim() ?? "*"}`];
}
