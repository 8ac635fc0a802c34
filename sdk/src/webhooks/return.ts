import { fits, fromHex, WebhookVerificationError } from "./verify.ts";

/** A payer who came back from the page of a charge. */
export type Returned = {
  /** Id of the charge, which is the transaction's id. */
  readonly transaction: string;
  /** Its status when the payer left the page: `completed`, `cancelled`, `failed`, or `pending`. An open list. */
  readonly status: string;
};

export type VerifyReturnOptions = {
  /** How long ago the payer may have left the page, seconds. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The present, milliseconds since the Unix epoch. */
  readonly now?: () => number;
};

const TOLERANCE_SECONDS = 300;

/**
 * Checks the address with which a payer came back to `returnUrl`, and gives what it says. It shows the payer the right page;
 * deliver the order on `payment_completed`, which comes also when the payer does not come back.
 *
 * @param url the address of the request, whole or from its path on, or its query.
 * @param secret of the checkout settings, `chksec_…`; several while it is being replaced.
 * @throws {WebhookVerificationError} no secret fits, or the payer left the page too long ago.
 */
export async function verifyReturn(
  url: string | URL | URLSearchParams,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: VerifyReturnOptions = {},
): Promise<Returned> {
  const query = url instanceof URLSearchParams ? url : new URL(url, "https://localhost").searchParams;
  const secrets = typeof secret === "string" ? [secret] : secret;
  if (secrets.length === 0) throw new TypeError("verifyReturn needs a secret");
  const read = (name: string): string => {
    const values = query.getAll(name);
    if (values.length === 1 && values[0]) return values[0];
    throw new WebhookVerificationError(`the parameter ${name} is missing, or there more than once`);
  };
  const [transaction, status, timestamp] = [read("transaction"), read("status"), read("timestamp")];
  const age = now() - Number(timestamp) * 1_000;
  if (!/^\d{1,12}$/.test(timestamp) || !(Math.abs(age) <= toleranceSeconds * 1_000))
    throw new WebhookVerificationError("the payer left the page too long ago, or one of the clocks is wrong");
  const signatures = read("signature")
    .split(",")
    .filter((one) => /^[0-9a-f]{64}$/.test(one))
    .slice(0, 2)
    .map(fromHex);
  const encode = (text: string) => new TextEncoder().encode(text);
  if (!(await fits(signatures, encode(`return.${transaction}.${status}.${timestamp}`), secrets.map(encode))))
    throw new WebhookVerificationError("the signature does not fit");
  return { transaction, status };
}
