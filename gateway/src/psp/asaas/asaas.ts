/**
 * Asaas, by its own API: charges by static QR code, received Pix, refunds, transfers, balance and webhooks.
 *
 * No method throws or rejects: errors are outcomes.
 */
import type { BankDeps } from "../bank.ts";
import { createOwnApi, foundIn, type OwnApi } from "../own-api.ts";
import type { Psp } from "../psp.ts";
import { answerApprovals } from "./approvals.ts";
import { findReceivedPix } from "./find-pix.ts";
import { issueCharges } from "./issue-charges.ts";
import { receiveNotifications } from "./notifications.ts";
import { readBalance, readError } from "./read-answers.ts";
import { returnReceivedPix } from "./return-pix.ts";
import { sendPayouts } from "./send-payouts.ts";

const PRODUCTION = "https://api.asaas.com/v3";
/** A payout takes a search and a transfer, and both end within the lease of a withdrawal, a minute. Milliseconds. */
const MAX_TIMEOUT = 25_000;
/** The longest page of its lists. */
const MAX_PAGE = 100;

/** As an operator writes them. */
export type AsaasSettings = {
  readonly asaasUrl?: string;
  readonly asaasKey?: string;
  readonly pixKey?: string;
  readonly alertEmail?: string;
  readonly asaasToken?: string;
  readonly pageSize?: number;
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly maxConnections?: number;
  readonly maxPending?: number;
};

/** Throws a TypeError on settings that cannot work; the methods of what it returns never do. */
export function createAsaas(settings: AsaasSettings, deps: BankDeps): Psp {
  const { asaasUrl = PRODUCTION, asaasKey, pixKey, alertEmail, asaasToken, pageSize = MAX_PAGE } = settings;
  if (asaasKey === undefined) throw new TypeError("asaasKey: missing");
  if (!/^[\x21-\x7e]+$/.test(asaasKey)) throw new TypeError("asaasKey: is no key of Asaas");
  // As a header it comes as it is.
  if (asaasToken !== undefined && !/^[\x21-\x7e]{16,}$/.test(asaasToken))
    throw new TypeError("asaasToken: is too short");
  if (pixKey === undefined) throw new TypeError("pixKey: missing");
  if (!URL.canParse(asaasUrl) || !/^https?:$/.test(new URL(asaasUrl).protocol))
    throw new TypeError("asaasUrl: not a URL");
  const { origin, pathname } = new URL(asaasUrl);
  const base = pathname.replace(/(?<!\/)\/+$/, "");
  const own = createOwnApi(
    {
      origin,
      headers: ["accept", "application/json", "user-agent", "Pixgate", "access_token", asaasKey],
      readRefusal(httpStatus, body) {
        const error = readError(body);
        return error && { ...error, isAbsent: httpStatus === 404 };
      },
      timeoutMs: Math.min(settings.timeoutMs ?? 8_000, MAX_TIMEOUT),
      connectTimeoutMs: settings.connectTimeoutMs ?? 3_000,
      maxConnections: settings.maxConnections ?? 50,
      maxPending: settings.maxPending ?? 4_096,
    },
    deps,
  );
  const api: OwnApi = { ...own, call: (request) => own.call({ ...request, path: base + request.path }) };
  const size = Math.min(pageSize, MAX_PAGE);
  const pix = findReceivedPix(api, size);
  const balance = async () =>
    foundIn(await api.call({ route: "balance", method: "GET", path: "/finance/balance" }), readBalance);
  return {
    ...issueCharges(api, { pixKey, now: () => deps.clock.now() }, pix.ofPayment),
    ...{ findPix: pix.findPix, listPix: pix.listPix },
    ...returnReceivedPix(api, pix),
    ...receiveNotifications(api, { email: alertEmail, token: asaasToken }),
    ...(asaasToken !== undefined && { approvals: answerApprovals(asaasToken) }),
    balance,
    payouts: sendPayouts(api, size),
    // There is no token to fetch, and a key has no scopes: a key that may make this call is valid.
    async access() {
      const found = await balance();
      return found.kind === "found" ? { kind: "found", value: { missing: null } } : found;
    },
    close: () => api.close(),
  };
}
