/**
 * An adapter for any PSP with the Central Bank's API Pix (2.9.0): immediate charges, received Pix, returns, notifications.
 *
 * No method throws or rejects: errors are outcomes. Each may be repeated with the same arguments.
 */
import { buildDynamic, buildStatic } from "../../lib/brcode.ts";
import type { Found } from "../outcome.ts";
import type { Psp, PspAccess } from "../psp.ts";
import { withBanking } from "./banking.ts";
import { capabilitiesOf } from "./capabilities.ts";
import type { ApiPixConfig, ApiPixSettings } from "./config.ts";
import { findReceivedPix } from "./find-pix.ts";
import { issueCharges } from "./issue-charges.ts";
import { makeLocations } from "./locations.ts";
import { SCOPES } from "./profiles.ts";
import { type Dialect, readNotified } from "./read-answers.ts";
import { findNotifications, registerNotifications } from "./register-notifications.ts";
import { type ApiPixDeps, type Caller, createCaller } from "./request.ts";
import { resolveConfig } from "./resolve-config.ts";
import { returnReceivedPix } from "./return-pix.ts";
import { payInSandbox, playsPayer } from "./sandbox-payment.ts";

/** Throws a TypeError on settings that cannot work; the methods of what it returns never do. */
export function createApiPix(settings: ApiPixSettings, deps: ApiPixDeps): Psp {
  const config = resolveConfig(settings);
  const caller = createCaller(config, deps);
  const { staticCode, createLocation, reviseCharge, ...others } = apiPix(config, caller, deps);
  const can = capabilitiesOf(settings);
  const standard = {
    ...others,
    ...(can.staticCodes && { staticCode }),
    ...(can.tills && { createLocation }),
    ...(can.dueEdits && { reviseCharge }),
    ...(playsPayer(settings.profile) && { sandboxPayer: payInSandbox(settings.profile, caller, others.findCharge) }),
  };
  const { scopes, ...psp } = withBanking(standard, settings, caller);
  return { ...psp, access: () => accessFor(caller, scopes) };
}

/** How the answers of this PSP are read. */
export function dialectOf(config: ApiPixConfig, deps: ApiPixDeps): Dialect {
  return {
    qrFields: config.qrFields,
    zonelessTime: config.zonelessTime,
    buildQr: (location) =>
      buildDynamic({ location, merchantName: config.merchantName, city: config.merchantCity }) ?? undefined,
    dropped: (what, items) => deps.log?.({ event: "psp_dropped", what, items }),
  };
}

/** The methods over a given caller, for adapters of banks that add their own calls on the same connections. */
export function apiPix(
  config: ApiPixConfig,
  caller: Caller,
  deps: ApiPixDeps,
): Psp & Required<Pick<Psp, "staticCode" | "createLocation" | "reviseCharge">> {
  const dialect = dialectOf(config, deps);
  const names = { merchantName: config.merchantName, city: config.merchantCity };
  return {
    access: () => accessFor(caller, SCOPES),
    ...issueCharges(config, caller, dialect),
    ...findReceivedPix(config, caller, dialect),
    ...returnReceivedPix(config, caller, dialect),
    staticCode: (order) => buildStatic({ ...order, key: config.pixKey, ...names }),
    ...makeLocations(caller, (location) => buildDynamic({ location, ...names, stays: true })),
    registerNotifications: (url) => registerNotifications(config, caller, url),
    findNotifications: () => findNotifications(config, caller),
    readNotification: (body) =>
      readNotified(body, dialect).map((pix) => ({
        kind: pix.returns.length > 0 ? "return_moved" : "charge_paid",
        pix,
      })),
    close: () => caller.close(),
  };
}

/** Our access, compared with the scopes that the calls need. */
export async function accessFor(caller: Caller, needed: readonly string[]): Promise<Found<PspAccess>> {
  const found = await caller.access();
  if (found.kind !== "found") return found;
  const granted = found.value;
  return { kind: "found", value: { missing: granted && needed.filter((scope) => !granted.includes(scope)) } };
}
