/**
 * Explanations of the reasons of calls without a useful answer (codes of Node, of undici and our own); the first match
 * counts.
 */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, "nobody listens at its address"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the name of its address is not known"],
  [/CONNECT_TIMEOUT|^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, "its address does not answer"],
  [/^timeout$|_TIMEOUT$/, "it did not answer in time"],
  [/CERT|SELF_SIGNED|UNABLE_TO/, "its own certificate is not trusted here (setting `ca`)"],
  [
    /^(UND_ERR_SOCKET|ECONNRESET|EPROTO|EPIPE)$|SSL/,
    "it ended the connection; a bank does so that does not accept our client certificate, or gets none",
  ],
  [/^(not_json|unreadable|unrecognised_answer|answer_too_large)$/, "its answer could not be read"],
  [
    /^wrong_control_url$/,
    "its `controlUrl` does not lead to the simulator's control API, whose address ends in /control",
  ],
  [/^too_many_pending$/, "too many calls of ours wait for it"],
];
const TOKEN = "token_";

/** The explanation of a code, also of the token's call; undefined where it is no known code. */
export function wordsOf(reason: string): string | undefined {
  const code = reason.startsWith(TOKEN) ? reason.slice(TOKEN.length) : reason;
  const status = /^http_(\d{3})$/.exec(code)?.[1];
  return status === undefined ? WORDS.find(([codes]) => codes.test(code))?.[1] : `it answered ${status}`;
}

/** A reason in words, with its code for searching the log. A reason that is words already stays. */
export function inWords(reason: string): string {
  const words = wordsOf(reason);
  if (!reason.startsWith(TOKEN)) return words === undefined ? reason : `${words} (${reason})`;
  return `it gave no access token${words === undefined ? "" : `: ${words}`} (${reason})`;
}

/** Why a call of the sandbox has no outcome: `controlUrl` does not lead to the simulator's control API. */
export const WRONG_CONTROL_URL = "wrong_control_url";
