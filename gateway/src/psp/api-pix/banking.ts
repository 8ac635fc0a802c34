/**
 * Inter's API Banking beside its API Pix: the balance of the account, and payouts. Its calls need scopes of their own, and
 * one scope that the application lacks fails the whole token, so they are made only where the operator's `scope` names
 * theirs.
 */
import type { Notification, Psp, PspBalance } from "../psp.ts";
import type { ApiPixSettings } from "./config.ts";
import { found } from "./interpret.ts";
import { BANKING, SCOPES } from "./profiles.ts";
import { list, readSigned, record } from "./read-values.ts";
import { registerPayoutNotifications } from "./register-notifications.ts";
import type { Caller } from "./request.ts";
import { readReference, sendOwnPayouts } from "./send-payouts.ts";

const PROFILES: readonly unknown[] = ["inter", "inter-sandbox"];

type Scoped = Pick<ApiPixSettings, "profile" | "scope">;

const has = ({ profile, scope }: Scoped, needed: readonly string[]): boolean =>
  PROFILES.includes(profile) && needed.every((one) => (scope ?? "").split(" ").includes(one));

/** What an institution with these settings does by its API Banking. */
export const bankingOf = (settings: Scoped) => ({
  balance: has(settings, BANKING.balance),
  payouts: has(settings, BANKING.payouts),
  notified: has(settings, [...BANKING.payouts, ...BANKING.notified]),
});

/** The methods of the standard with what the API Banking adds to them. */
export function withBanking(standard: Psp, settings: Scoped, caller: Caller): Psp & { readonly scopes: string[] } {
  const { balance, payouts, notified } = bankingOf(settings);
  const scopes = [
    ...SCOPES,
    ...(balance ? BANKING.balance : []),
    ...(payouts ? BANKING.payouts : []),
    ...(notified ? BANKING.notified : []),
  ];
  return {
    ...standard,
    scopes,
    ...(balance && readAccount(caller)),
    ...(payouts && {
      payouts: sendOwnPayouts(caller),
      readNotification: (body: unknown) => [...standard.readNotification(body), ...readNotifiedPayouts(body)],
    }),
    ...(notified && {
      async registerNotifications(url: string) {
        const registered = await standard.registerNotifications!(url);
        return registered.kind === "accepted" ? registerPayoutNotifications(caller, url) : registered;
      },
    }),
  };
}

/** The calls that read the account. */
const readAccount = (caller: Caller): Required<Pick<Psp, "balance">> => ({
  async balance() {
    return found(await caller.call({ route: "accountBalance", method: "GET" }), readAccountBalance);
  },
});

/** The balance with what is blocked, which Inter shows beside what is free; a block that is left out is none. */
export function readAccountBalance(value: unknown): PspBalance | null {
  const body = record(value);
  const free = readSigned(body?.disponivel);
  const blocks = [body?.bloqueadoCheque, body?.bloqueadoJudicialmente, body?.bloqueadoAdministrativo].map((block) =>
    block === undefined || block === null ? 0 : readSigned(block),
  );
  if (free === null || blocks.includes(null)) return null;
  const blocked = blocks.reduce<number>((sum, block) => sum + block!, 0);
  return { total: free + blocked, blocked };
}

/** The payouts that a notification names, each once, by the bank's ids: an object, or a list of them. */
function readNotifiedPayouts(body: unknown): Notification[] {
  const items = Array.isArray(body) ? body : list(record(body)?.pix).concat(body);
  const ids = items.flatMap((item) => readReference(record(item)?.codigoSolicitacao) ?? []);
  return [...new Set(ids)].map((payoutId) => ({ kind: "payout_moved", payoutId }));
}
