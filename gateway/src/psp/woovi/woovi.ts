/**
 * Woovi (OpenPix) by its own API: charges, received Pix, refunds, payouts, balance, disputes.
 *
 * No method throws or rejects: errors are outcomes. Each may be repeated with the same arguments.
 */
import { redacted } from "../api-pix/read-errors.ts";
import { list, record, text } from "../api-pix/read-values.ts";
import type { BankDeps } from "../bank.ts";
import { createOwnApi, foundIn, type OwnApi, type Refusal } from "../own-api.ts";
import type { Psp } from "../psp.ts";
import { checkSignatures } from "../published-keys.ts";
import { answerDisputes } from "./answer-disputes.ts";
import { findPix } from "./find-pix.ts";
import { issueCharges } from "./issue-charges.ts";
import { readBalance } from "./read-answers.ts";
import { readNotification } from "./read-notification.ts";
import { receiveNotifications } from "./receive-notifications.ts";
import { refundPix } from "./refund-pix.ts";
import { sendPayouts } from "./send-payouts.ts";

/** The settings of an institution, as an operator writes them. */
export type WooviSettings = {
  readonly appId?: string;
  readonly wooviUrl?: string;
  readonly wooviPayouts?: boolean;
  readonly wooviAccountId?: string;
  readonly pageSize?: number;
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly maxConnections?: number;
  readonly maxPending?: number;
};

/** Most items of a page that are asked for: the documentation names no limit, and its samples have 10. */
const MAX_PAGE = 100;

/** Throws a TypeError on settings that cannot work; the methods of what it returns never do. */
export function createWoovi(settings: WooviSettings, deps: BankDeps): Psp {
  const { appId = "", wooviUrl = "https://api.woovi.com", wooviAccountId: accountId } = settings;
  // As a header it is sent as it is.
  if (!/^[\x21-\x7e]+$/.test(appId)) throw new TypeError("appId: is no AppID");
  if (!URL.canParse(wooviUrl) || !/^https?:$/.test(new URL(wooviUrl).protocol))
    throw new TypeError("wooviUrl: not a URL");
  if (accountId !== undefined && !/^[a-zA-Z0-9]{1,64}$/.test(accountId))
    throw new TypeError("wooviAccountId: is no id");
  const { timeoutMs = 8_000, connectTimeoutMs = 3_000, maxConnections = 128, maxPending = 4_096 } = settings;
  const api = createOwnApi(
    {
      origin: new URL(wooviUrl).origin,
      headers: ["accept", "application/json", "authorization", appId],
      readRefusal,
      ...{ timeoutMs, connectTimeoutMs, maxConnections, maxPending },
    },
    deps,
  );
  const pageSize = Math.min(settings.pageSize ?? MAX_PAGE, MAX_PAGE);
  return {
    ...issueCharges(api),
    ...findPix(api, pageSize),
    ...refundPix(api),
    ...receiveNotifications(api),
    readNotification,
    checkSignature: checkSignatures(api, deps.clock, {
      path: "/api/v1/webhook/public-keys",
      header: "x-webhook-signature",
      // It has 1,024 bits.
      keyType: "rsa",
      read: (body) => list(record(body)?.public_keys).map((item) => record(item)?.key),
    }),
    async access() {
      // An AppID is a token that does not end; what it may do is not shown.
      const reply = await api.call({ route: "access", method: "GET", path: "/api/v1/webhook?limit=1" });
      return foundIn(reply, (body) => (record(body) === undefined ? null : { missing: null }));
    },
    balance: readAccount(api, accountId),
    payouts: settings.wooviPayouts === true ? sendPayouts(api, accountId) : undefined,
    infractions: answerDisputes(api, pageSize),
    close: api.close,
  };
}

const readAccount =
  (api: OwnApi, accountId: string | undefined): NonNullable<Psp["balance"]> =>
  async () => {
    const path = `/api/v1/account/${accountId ?? ""}`;
    return foundIn(await api.call({ route: "balance", method: "GET", path }), readBalance);
  };

/** Woovi's words for an object that does not exist. Only a few of its calls have a status for that. */
const ABSENT = /n[ãa]o\s+(?:foi\s+)?encontrad[oa]|not\s+found|does\s+not\s+exist/i;

/**
 * Woovi's refusals are `{ error: "words" }`, nearly always with 400. A proxy in front of it also writes `error`, with
 * `message` beside it or with another status.
 */
function readRefusal(httpStatus: number, body: unknown): Refusal | null {
  const { error, message } = record(body) ?? {};
  const words = text(error) ?? text(record(error)?.message) ?? text(record(error)?.code);
  if (words === undefined || message !== undefined || ![400, 401, 403, 404, 422].includes(httpStatus)) return null;
  const isAbsent = ABSENT.test(words) && (httpStatus === 400 || httpStatus === 404);
  return { code: isAbsent ? "not_found" : codeIn(words), message: redacted(words), isAbsent };
}

/** A word for the log and the outcome: Woovi has no codes beside its words, except where the words are one. */
function codeIn(words: string): string {
  const code = /^[A-Z][A-Z0-9_]{2,63}$/.exec(words)?.[0];
  return code ?? (/^(?:invalid |in)?v[áa]lid/i.test(words) ? "invalid" : "refused");
}
