import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { type Shape, State } from "../parts/state.tsx";

type Words = readonly [shape: Shape, key: string];
/** What decides the state. A charge that was only made has its status alone. */
type StateFields = Pick<merchant.Transaction, "status"> &
  Partial<
    Pick<
      merchant.Transaction,
      "amount" | "cancellationReason" | "disputedAmount" | "refund" | "returnedAmount" | "paidAfterExpiry"
    >
  >;

/** What a charge is, as people say it. */
function stateOfCharge(charge: StateFields): Words {
  if (charge.status === "pending") return ["waiting", "pending"];
  if (charge.status === "failed") return ["failed", "failed"];
  if (charge.status === "cancelled")
    return ["ended", charge.cancellationReason === "requested" ? "cancelled" : "expired"];
  if ((charge.disputedAmount ?? 0) > 0) return ["needs", "contested"];
  if (charge.refund?.status === "PENDING") return ["moving", "refunding"];
  // Also by a dispute that was lost.
  const { amount = 0, returnedAmount = 0 } = charge;
  if (returnedAmount > 0) return returnedAmount < amount ? ["done", "refundedInPart"] : ["ended", "refunded"];
  return ["done", charge.paidAfterExpiry ? "late" : "completed"];
}

export function ChargeState({ charge }: { charge: StateFields }) {
  const { t } = useTranslation();
  const [shape, key] = stateOfCharge(charge);
  return <State shape={shape}>{t(`charges.state.${key}`)}</State>;
}
