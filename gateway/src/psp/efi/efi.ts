/**
 * Efí: API Pix, with its own calls for payouts, balance and MED cases. The simulator has them too.
 *
 * No method throws or rejects: errors are outcomes. Each may be repeated with the same arguments.
 */
import { accessFor, apiPix, dialectOf } from "../api-pix/api-pix.ts";
import type { ApiPixConfig, ApiPixSettings } from "../api-pix/config.ts";
import { found } from "../api-pix/interpret.ts";
import { SCOPES } from "../api-pix/profiles.ts";
import { type ApiPixDeps, type Caller, createCaller } from "../api-pix/request.ts";
import { resolveConfig } from "../api-pix/resolve-config.ts";
import type { Psp } from "../psp.ts";
import { configureNotifications } from "./configure-notifications.ts";
import { defendCases } from "./defend-cases.ts";
import { readBalance, readNotifiedPayouts } from "./read-answers.ts";
import { sendPayouts } from "./send-payouts.ts";

/** Scopes that these calls need in addition to the standard's. */
const OWN_SCOPES = [
  "pix.send",
  "gn.pix.send.read",
  "gn.balance.read",
  "gn.infractions.read",
  "gn.infractions.write",
  "gn.settings.read",
  "gn.settings.write",
];

/** Throws a TypeError on settings that cannot work; the methods of what it returns never do. */
export function createEfi(settings: ApiPixSettings, deps: ApiPixDeps): Psp {
  const config = efiConfig({ ...settings, profile: settings.profile ?? "efi" });
  return efi(config, createCaller(config, deps), deps);
}

/** Adds to the settings what these calls need: the scopes, if any are set, and version 3 of payouts. */
export function efiConfig(settings: ApiPixSettings): ApiPixConfig {
  const config = resolveConfig(settings);
  const scopes = config.scope?.split(" ").filter((scope) => scope !== "");
  const base = new URL(config.baseUrl).pathname.replace(/(?<!\/)\/+$/, "");
  return {
    ...config,
    scope: scopes === undefined ? undefined : [...new Set([...scopes, ...OWN_SCOPES])].join(" "),
    pathOverrides: { putPayout: `${base.replace(/\/v2$/, "/v3")}/gn/pix/{1}`, ...config.pathOverrides },
  };
}

/** The methods over a given caller. `namesHolder`: of a payout it says the name too that was asked for, which Efí does not take. */
export function efi(config: ApiPixConfig, caller: Caller, deps: ApiPixDeps, namesHolder = false): Psp {
  const standard = apiPix(config, caller, deps);
  const dialect = dialectOf(config, deps);
  return {
    ...standard,
    access: () => accessFor(caller, [...SCOPES, ...OWN_SCOPES]),
    readNotification: (body) => [
      ...standard.readNotification(body),
      ...readNotifiedPayouts(body).map((payout) => ({ kind: "payout_moved" as const, ...payout })),
    ],
    async balance() {
      return found(await caller.call({ route: "balance", method: "GET", query: "bloqueios=true" }), readBalance);
    },
    configureNotifications: () => configureNotifications(config, caller),
    payouts: sendPayouts(config, caller, dialect, namesHolder),
    infractions: defendCases(config, caller, dialect),
  };
}
