/**
 * Mercado Pago, by its own API: charges, received Pix, refunds. What it calls a payment is our charge, and the Pix of it too.
 *
 * No method throws or rejects: errors are outcomes. Each may be repeated with the same arguments.
 */
import { redacted } from "../api-pix/read-errors.ts";
import { list, record, text } from "../api-pix/read-values.ts";
import type { BankDeps } from "../bank.ts";
import { createOwnApi, foundIn, type Refusal } from "../own-api.ts";
import type { Psp } from "../psp.ts";
import { findPayments } from "./find-payments.ts";
import { issueCharges } from "./issue-charges.ts";
import { checkSignature, readNotification } from "./notifications.ts";
import { readWritten } from "./read-answers.ts";
import { refundPix } from "./refund-pix.ts";

/** The settings of an institution, as an operator writes them. */
export type MercadoPagoSettings = {
  readonly mercadoPagoUrl?: string;
  readonly mercadoPagoToken?: string;
  readonly mercadoPagoSecret?: string;
  readonly payerEmail?: string;
  readonly pageSize?: number;
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly maxConnections?: number;
  readonly maxPending?: number;
};

/** Most items of a page that are asked for: its documentation shows 30, and clients ask for up to 100. */
const MAX_PAGE = 50;

/** Throws a TypeError on settings that cannot work; the methods of what it returns never do. */
export function createMercadoPago(settings: MercadoPagoSettings, deps: BankDeps): Psp {
  const { mercadoPagoUrl = "https://api.mercadopago.com", mercadoPagoToken = "", payerEmail = "" } = settings;
  // As a header it is sent as it is.
  if (!/^[\x21-\x7e]+$/.test(mercadoPagoToken)) throw new TypeError("mercadoPagoToken: is no access token");
  if (!/^[^\s@]+@[^\s@]+$/.test(payerEmail)) throw new TypeError("payerEmail: is no email address");
  if (!URL.canParse(mercadoPagoUrl) || !/^https?:$/.test(new URL(mercadoPagoUrl).protocol))
    throw new TypeError("mercadoPagoUrl: not a URL");
  const { timeoutMs = 8_000, connectTimeoutMs = 3_000, maxConnections = 50, maxPending = 4_096 } = settings;
  const api = createOwnApi(
    {
      origin: new URL(mercadoPagoUrl).origin,
      headers: ["accept", "application/json", "authorization", `Bearer ${mercadoPagoToken}`],
      readRefusal,
      ...{ timeoutMs, connectTimeoutMs, maxConnections, maxPending },
    },
    deps,
  );
  const payments = findPayments(api, Math.min(settings.pageSize ?? MAX_PAGE, MAX_PAGE));
  return {
    ...issueCharges(api, payments, { payerEmail, now: () => deps.clock.now() }),
    ...{ findPix: payments.findPix, listPix: payments.listPix },
    ...refundPix(api, payments),
    readNotification,
    ...(settings.mercadoPagoSecret !== undefined && { checkSignature: checkSignature(settings.mercadoPagoSecret) }),
    async access() {
      // A token names no scopes: a token that may make this call is valid.
      const reply = await api.call({ route: "access", method: "GET", path: "/v1/payments/search?limit=1" });
      return foundIn(reply, (body) => (record(body) === undefined ? null : { missing: null }));
    },
    close: api.close,
  };
}

/** The codes of a payment or refund that does not exist (`cause[].code`). */
const ABSENT: ReadonlySet<string> = new Set(["2000", "2032"]);

/** Its refusals are `{ message, error, status, cause: [{ code, description }] }`; a proxy's page has no `cause`. */
function readRefusal(httpStatus: number, body: unknown): Refusal | null {
  const { message, error, cause } = record(body) ?? {};
  if (typeof message !== "string" || !Array.isArray(cause)) return null;
  const first = record(list(cause)[0]);
  const word = readWritten(first?.code) ?? text(error, 64);
  const code = word !== undefined && /^[\w.-]{1,64}$/.test(word) ? word : "refused";
  const isAbsent = httpStatus === 404 && (error === "not_found" || ABSENT.has(code));
  return { code: isAbsent ? "not_found" : code, message: redacted(text(first?.description) ?? message), isAbsent };
}
