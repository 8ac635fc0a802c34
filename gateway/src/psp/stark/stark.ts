/**
 * Stark Bank by its own API: payouts, balance and signed notifications. Stark Bank issues charges too, but shows the end-to-end
 * id of a received Pix only for invoices, whose payer must be named beforehand; the gateway makes none.
 *
 * No method throws or rejects: errors are outcomes. Each may be repeated with the same arguments.
 */
import { redacted } from "../api-pix/read-errors.ts";
import { list, record, text } from "../api-pix/read-values.ts";
import type { BankDeps } from "../bank.ts";
import { createOwnApi, foundIn, type Refusal } from "../own-api.ts";
import { paysOnly } from "../pays-only.ts";
import type { Psp } from "../psp.ts";
import { checkSignatures } from "../published-keys.ts";
import { isOfCaller } from "./failures.ts";
import { readNotification, receiveNotifications } from "./notifications.ts";
import { readBalance } from "./read-answers.ts";
import { sendPayouts } from "./send-payouts.ts";
import { accessIdOf, signRequests } from "./sign-requests.ts";

const PRODUCTION = "https://api.starkbank.com";

/** The settings of an institution, as an operator writes them. */
export type StarkSettings = {
  readonly starkUrl?: string;
  readonly starkId?: string;
  readonly starkWorkspace?: string;
  readonly starkKey?: string;
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly maxConnections?: number;
  readonly maxPending?: number;
};

/**
 * What the account is known by: a workspace is one, and a project belongs to one, which only the operator can name. Its keys may
 * change.
 */
export function accountNames({
  starkUrl = PRODUCTION,
  starkId = "",
  starkWorkspace,
}: StarkSettings): readonly string[] {
  const [host, id] = [new URL(starkUrl).origin, accessIdOf(starkId)];
  const workspace = workspaceIn(id) ?? starkWorkspace;
  return [`${host} ${id}`, `${host} workspace/${workspace ?? "*"}`];
}

const workspaceIn = (accessId: string): string | undefined => /\/workspace\/(\d+)$/.exec(accessId)?.[1];

/** Milliseconds of a request: a payout makes two, a look-up and a transfer, within the minute of a withdrawal's lease. */
const MAX_TIMEOUT = 25_000;

/** Throws a TypeError on settings that cannot work; the methods of what it returns never do. */
export function createStark(settings: StarkSettings, deps: BankDeps): Psp {
  const { starkUrl = PRODUCTION, starkId: id = "", starkKey: key = "" } = settings;
  if (!URL.canParse(starkUrl) || !/^https?:$/.test(new URL(starkUrl).protocol))
    throw new TypeError("starkUrl: not a URL");
  const { starkWorkspace } = settings;
  if (starkWorkspace !== undefined && !/^\d{1,32}$/.test(starkWorkspace))
    throw new TypeError("starkWorkspace: is no id of a workspace");
  if (starkWorkspace !== undefined && starkWorkspace !== (workspaceIn(accessIdOf(id)) ?? starkWorkspace))
    throw new TypeError("starkWorkspace: is another one than `starkId` names");
  const { timeoutMs = 8_000, connectTimeoutMs = 3_000, maxConnections = 50, maxPending = 4_096 } = settings;
  const own = createOwnApi(
    {
      origin: new URL(starkUrl).origin,
      headers: ["accept", "application/json", "accept-language", "en-US", "user-agent", "Pixgate"],
      readRefusal,
      ...{ timeoutMs: Math.min(timeoutMs, MAX_TIMEOUT), connectTimeoutMs, maxConnections, maxPending },
    },
    deps,
  );
  const api = signRequests(own, { id, key }, deps.clock);
  const balance = async () =>
    foundIn(await api.call({ route: "balance", method: "GET", path: "/v2/balance" }), readBalance);
  return {
    ...paysOnly(balance),
    ...receiveNotifications(api),
    readNotification,
    checkSignature: checkSignatures(api, deps.clock, {
      path: "/v2/public-key?limit=5",
      header: "digital-signature",
      keyType: "ec",
      read: (body) => list(record(body)?.publicKeys).map((item) => record(item)?.content),
    }),
    // There is no token to fetch, and a project has no scopes: a call that succeeds shows that the credentials work.
    async access() {
      const found = await balance();
      return found.kind === "found" ? { kind: "found", value: { missing: null } } : found;
    },
    balance,
    payouts: sendPayouts(api),
    close: api.close,
  };
}

/** Stark Bank's refusals have status 400 and the body `{ errors: [{ code, message }] }`. */
function readRefusal(httpStatus: number, body: unknown): Refusal | null {
  const errors = list(record(body)?.errors).map((item) => record(item) ?? {});
  const codes = errors.flatMap((error) => text(error.code, 64) ?? []);
  const [code, ...others] = codes;
  if (code === undefined || !/^\w+$/.test(code) || ![400, 401, 403, 404].includes(httpStatus)) return null;
  const words = [...others, ...errors.flatMap((error) => text(error.message) ?? [])].join("; ");
  const message = redacted(words);
  // As every bank says it, so that no payout is refused by it (RULES in withdrawals/send.ts).
  if (codes.some(isOfCaller)) return { code, message, isAbsent: false, httpStatus: 401 };
  return { code, message, isAbsent: httpStatus === 404 };
}
