import type { CaseFact } from "../cases/case.ts";
import { type LedgerName, psp, pspCosts, type Transfer } from "../ledger/chart.ts";
import type { PspPix } from "../psp/psp.ts";

/** A Pix in the books of an account, at the institution that received it and may have kept back a part as tax. */
type OfPix = {
  readonly accountId: string;
  readonly institutionId: string;
  readonly pix: Pick<PspPix, "withheld" | "paidAt">;
};

/**
 * Books the tax that an institution kept back of a Pix, in the command that books the Pix whole: so `psp` has what the
 * institution really credited. The wallet that a Pix is credited to bears its tax. The operator bears the tax of any other Pix, until
 * somebody assigns that Pix to a charge (`taxPassedOn`).
 *
 * @param sourceId the charge that was paid, otherwise the Pix.
 */
export function taxOf(
  { accountId, institutionId, pix }: OfPix,
  sourceId: string,
  borneBy: LedgerName = pspCosts,
): readonly Transfer[] {
  if (pix.withheld === undefined) return [];
  const [amount, to, occurredAt] = [pix.withheld, psp(institutionId), pix.paidAt];
  return [{ accountId, kind: "tax_withheld", sourceId, leg: 0, amount, from: borneBy, to, occurredAt }];
}

/** Takes the tax of a Pix off the operator's costs: the account of the charge to which the Pix was assigned books it from now on. */
export const taxPassedOn = (of: OfPix, pixId: string): readonly Transfer[] =>
  taxOf(of, pixId).map((transfer) => ({ ...transfer, leg: 1, from: transfer.to, to: transfer.from }));

/** Books as the operator's cost the part of a passed-on tax that the charge's account does not bear. */
export const taxTakenBack = (of: OfPix, pixId: string): readonly Transfer[] =>
  taxOf(of, pixId).map((transfer) => ({ ...transfer, leg: 2 }));

/** `state` in the data of the case about a tax that an institution names and the books do not have. */
const UNBOOKED_TAX = "tax_unbooked";

/** A Pix in the books, the tax that its institution names, and the tax that is booked of it, centavos. */
type OtherTax = {
  readonly houseId: string;
  readonly institutionId: string;
  readonly e2eId: string;
  readonly tax: number;
  readonly booked: number;
};

/**
 * The case of a Pix whose institution names another tax than the books have. The booking stays, because history is never
 * edited.
 */
export function otherTax({ houseId, institutionId, e2eId, tax, booked }: OtherTax) {
  const says =
    booked === 0
      ? "The institution names a tax that it keeps back of the Pix, and no answer showed it when the Pix was booked: it is booked whole. Ask the institution what it has credited."
      : "The institution names another tax that it keeps back of the Pix than the one that is booked. Ask the institution what it has credited.";
  const data = { kind: "received", state: UNBOOKED_TAX, key: e2eId, amount: tax, ...(booked > 0 && { booked }) };
  return {
    ...{ accountId: houseId, kind: "reconciliation_difference", institutionId, amount: null, deadline: null },
    ...{ objectId: `${institutionId} tax ${e2eId}`, evidence: { says, source: "institution", data } },
  } as const satisfies CaseFact;
}
