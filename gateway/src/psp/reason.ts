/**
 * The state and the explanation of the reasons of calls without a useful answer (codes of Node, of undici and our own); the
 * first match counts.
 */
const MEANINGS: readonly (readonly [codes: RegExp, state: string, words: string])[] = [
  [/^ECONNREFUSED$/, "nobody_listens", "nobody listens at its address"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "unknown_name", "the name of its address is not known"],
  [/CONNECT_TIMEOUT|^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, "unreachable", "its address does not answer"],
  [/^timeout$|_TIMEOUT$/, "timeout", "it did not answer in time"],
  [/CERT|SELF_SIGNED|UNABLE_TO/, "untrusted", "its own certificate is not trusted here (setting `ca`)"],
  [
    /^(UND_ERR_SOCKET|ECONNRESET|EPROTO|EPIPE)$|SSL/,
    "ended",
    "it ended the connection; a bank does so that does not accept our client certificate, or gets none",
  ],
  [/^(not_json|unreadable|unrecognised_answer|answer_too_large)$/, "unreadable", "its answer could not be read"],
  [
    /^wrong_control_url$/,
    "wrong_control_url",
    "its `controlUrl` does not lead to the simulator's control API, whose address ends in /control",
  ],
  [/^too_many_pending$/, "too_many", "too many calls of ours wait for it"],
  [/^bank_limit$/, "bank_limit", "its rules allow no more calls at present, so this one was not made"],
  [/^stalled$/, "stalled", "the gateway stood still while this call waited for a connection, so it was not made"],
];
const TOKEN = "token_";
/** Characters of a code that are kept: some end in a code of the institution's own. */
const CODE = 200;

/** Why a call had no useful answer, as data: each language has its sentence for a state. */
export type Unanswered = {
  /** `nobody_listens`, `answered` (with its HTTP status) and so on; `unknown`: only its code is known. */
  readonly state: string;
  readonly code: string;
  readonly status?: number;
  /** It was the call for an access token. */
  readonly call?: "token";
};

/** What a reason means, also of the token's call. */
export function meaningOf(reason: string): Unanswered {
  const isToken = reason.startsWith(TOKEN);
  const code = (isToken ? reason.slice(TOKEN.length) : reason).slice(0, CODE);
  const status = /^http_(\d{3})$/.exec(code)?.[1];
  const found = MEANINGS.find(([codes]) => codes.test(code));
  const of = { code, ...(isToken && { call: "token" as const }) };
  return status === undefined
    ? { state: found?.[1] ?? "unknown", ...of }
    : { state: "answered", status: +status, ...of };
}

/** The explanation of a code, also of the token's call; undefined where it is no known code. */
export function wordsOf(reason: string): string | undefined {
  const { state, status } = meaningOf(reason);
  return status === undefined ? MEANINGS.find((one) => one[1] === state)?.[2] : `it answered ${status}`;
}

/** A reason in words, with its code for searching the log. A reason that is words already stays. */
export function inWords(reason: string): string {
  const words = wordsOf(reason);
  if (!reason.startsWith(TOKEN)) return words === undefined ? reason : `${words} (${reason})`;
  return `it gave no access token${words === undefined ? "" : `: ${words}`} (${reason})`;
}

/** Why a call of the sandbox was not made: a bank's own sandbox pays charges, and nothing else. */
export const NOT_PLAYED = "not_played_there";
/** Why a call of the sandbox has no outcome: `controlUrl` does not lead to the simulator's control API. */
export const WRONG_CONTROL_URL = "wrong_control_url";
