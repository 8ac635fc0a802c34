import type { merchant } from "@pixgate/sdk";
import type { IconName } from "../parts/icon.tsx";

/** Both APIs answer with the same hits. */
export type Hit = merchant.SearchHit;
type Kind = Hit["kind"];

/** The groups in which hits are shown, in their order, and what stands before each hit. */
export const GROUPS: readonly { readonly kind: Kind; readonly icon: IconName }[] = [
  { kind: "account", icon: "accounts" },
  { kind: "charge", icon: "charges" },
  { kind: "receipt", icon: "bank" },
  { kind: "withdrawal", icon: "withdrawals" },
  { kind: "refund", icon: "back" },
  { kind: "return", icon: "back" },
  { kind: "block", icon: "blocks" },
  { kind: "movement", icon: "transactions" },
  { kind: "paymentLink", icon: "paymentLinks" },
  { kind: "qrCode", icon: "qrCodes" },
  { kind: "project", icon: "projects" },
  { kind: "subAccount", icon: "wallets" },
  { kind: "credential", icon: "credentials" },
  { kind: "endpoint", icon: "webhooks" },
];

/** The screen of the hit's account that shows it. */
export function screenInAccount({ kind, id, reference, status }: Hit): string {
  switch (kind) {
    case "charge":
      return `/charges/${id}`;
    case "receipt":
      // Money that belongs to no charge is the installation's; in an account a receipt has its charge's id.
      return status === "unmatched" ? "/operator/cases?kind=unmatched_receipt" : `/charges/${id}`;
    case "withdrawal":
      return `/withdrawals?open=${id}`;
    case "refund":
      return `/refunds?open=${id}`;
    case "block":
      return `/blocks/${id}`;
    case "subAccount":
      return `/wallets?open=${encodeURIComponent(reference ?? "")}`;
    case "paymentLink":
      return `/payment-links?open=${id}`;
    case "qrCode":
      return `/qr-codes?open=${id}`;
    case "project":
      return `/projects?open=${id}`;
    case "endpoint":
      return "/developers/webhooks";
    default:
      return `/transactions?open=${id}`;
  }
}

/** The operator's screen that shows it, or else its account. */
export function screenOfOperator({ kind, id, accountId, status }: Hit): string {
  if (kind === "withdrawal") return `/operator/withdrawals?open=${id}`;
  if (kind === "receipt" && status === "unmatched") return "/operator/cases?kind=unmatched_receipt";
  return `/operator/accounts/${accountId}`;
}
