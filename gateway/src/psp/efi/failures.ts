/** Why a payout was not made, by the codes and texts of Efí and of the payment system. */
import { failureInWords, type PayoutFailure } from "../payout-failure.ts";

/** Efí's names of refusals, and the payment system's reason codes (pacs.002). */
const FAILURES: Readonly<Record<string, PayoutFailure>> = {
  chave_favorecido_nao_encontrada: "key_not_found",
  chave_nao_pertence_ao_documento: "holder_mismatch",
  documento_bloqueado: "denied",
  aprovacao_expirada: "not_approved",
  reprovado: "not_approved",
  AC03: "destination_refused",
  AC06: "destination_refused",
  AC07: "destination_refused",
  AC14: "destination_refused",
  // The participant lacks funds at the central bank, not we at the participant.
  AM04: "psp_error",
  // The tax id does not match the account.
  BE01: "holder_mismatch",
  CH11: "destination_refused",
  DS04: "denied",
  FRAD: "denied",
  RR04: "denied",
};

/** `code` is Efí's name of a refusal or a reason code, `message` the text that came with it. */
export function failureOf(code: string | undefined, message: string | undefined): PayoutFailure {
  const written = code ?? "";
  for (const name of [written.toLowerCase(), written.toUpperCase()]) {
    if (Object.hasOwn(FAILURES, name)) return FAILURES[name] as PayoutFailure;
  }
  return failureInWords(`${written} ${message ?? ""}`) ?? (written === "pagamento_negado" ? "denied" : "psp_error");
}
