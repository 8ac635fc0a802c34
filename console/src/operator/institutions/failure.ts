import i18next from "i18next";

/** Codes of failed calls, by what they come to in words; the first that fits. */
const WORDS: readonly (readonly [string, RegExp])[] = [
  ["timeout", /^timeout$/],
  ["credentials", /^http_40[013]$/],
  ["http", /^http_\d+$/],
  ["refused", /^ECONNREFUSED$/],
  ["connect", /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/],
  ["name", /^(ENOTFOUND|EAI_AGAIN)$/],
  ["reset", /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/],
  ["certificate", /CERT|TLS|SSL|SIGNATURE/],
  ["unreadable", /^(not_json|unrecognised_answer|unexpected_answer|answer_too_large|unreadable)$/],
  ["permitted", /^ADDRESS_NOT_PERMITTED$/],
  ["busy", /^(too_many_pending|bank_limit)$/],
];

/** Why the last call to a bank had no answer, in words, with its code for whoever mends it. */
export function failureWords(reason: string): string {
  const isToken = reason.startsWith("token_");
  const code = isToken ? reason.slice("token_".length) : reason;
  const word = WORDS.find(([, pattern]) => pattern.test(code))?.[0] ?? "other";
  const what = i18next.t(`operator.failure.${word}`, { code });
  return isToken ? i18next.t("operator.failure.token", { what }) : what;
}
