/** Banks whose own sandbox has a call that pays a charge. These sandboxes can do nothing else, so nothing else is sent there. */
import { toDecimalString } from "../../lib/money.ts";
import type { Outcome } from "../outcome.ts";
import type { Psp, PspCharge } from "../psp.ts";
import { NOT_PLAYED } from "../reason.ts";
import { outcome } from "./interpret.ts";
import { readId, record } from "./read-values.ts";
import type { Caller, Reply } from "./request.ts";

type Pay = (caller: Caller, charge: PspCharge) => Promise<Reply>;

/**
 * The key of Banco do Brasil's call that pays: one for everybody, of its public documentation, beside the application's own. It
 * opens nothing but that call.
 */
const BB_TEST_KEY = "95cad3f03fd9013a9d15005056825665";

const PAYERS: Readonly<Record<string, Pay>> = {
  "inter-sandbox": (caller, { txid, amount }) =>
    caller.call({
      ...{ route: "sandboxPayment", method: "POST", first: txid },
      body: { valor: Number(toDecimalString(amount)) },
    }),
  // It pays by the code, as a payer does.
  "banco-do-brasil-sandbox": (caller, { pixCopyPaste }) =>
    caller.call({
      ...{ route: "sandboxCodePayment", method: "POST", query: `gw-app-key=${BB_TEST_KEY}` },
      body: { pix: pixCopyPaste },
    }),
};

/** Whether the bank of this profile plays the payer. */
export const playsPayer = (profile: string | undefined): profile is string =>
  profile !== undefined && Object.hasOwn(PAYERS, profile);

export function payInSandbox(
  profile: string,
  caller: Caller,
  findCharge: Psp["findCharge"],
): NonNullable<Psp["sandboxPayer"]> {
  return {
    async payCharge({ txid, amount, payer }) {
      const before = await findCharge(txid, "immediate");
      if (before.kind === "absent") return { kind: "rejected", httpStatus: 404, code: "no_such_charge", message: "" };
      if (before.kind === "unknown") return { kind: "unsent", reason: before.reason };
      const charge = before.value;
      if (payer !== undefined || (amount ?? charge.amount) !== charge.amount || charge.pixCopyPaste === undefined)
        return { kind: "unsent", reason: NOT_PLAYED };
      const paid = outcome(await PAYERS[profile]!(caller, charge), (body) => record(body) ?? null);
      if (paid.kind !== "accepted") return paid;
      const e2eId = idIn(paid.value) ?? (await shownId(findCharge, charge));
      return e2eId === undefined ? NOT_SHOWN : { kind: "accepted", value: { e2eId } };
    },
  };
}

const NOT_SHOWN: Outcome<never> = { kind: "unknown", reason: "payment_not_shown" };

/** The payment's id, which Inter answers as `e2e`; clients of Banco do Brasil read it at different places, or not at all. */
function idIn(answer: object): string | undefined {
  const { e2e } = answer as { readonly e2e?: unknown };
  return readId(e2e) ?? /E\d{8}\d{12}[a-zA-Z0-9]{11}/.exec(JSON.stringify(answer))?.[0];
}

/** The id of a payment that the charge did not have before. */
async function shownId(findCharge: Psp["findCharge"], before: PspCharge): Promise<string | undefined> {
  const after = await findCharge(before.txid, "immediate");
  if (after.kind !== "found") return undefined;
  return after.value.pix.find(({ e2eId }) => before.pix.every((one) => one.e2eId !== e2eId))?.e2eId;
}
