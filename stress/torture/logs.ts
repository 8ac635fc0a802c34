import type { Received } from "../../gateway/test/harness/receiver.ts";
import type { OtherBank, PspEntry } from "./banks.ts";
import type { ClaimCall } from "./claims.ts";
import type { Contradiction } from "./contradict.ts";
import type { HouseLog } from "./house.ts";
import type { Bank } from "./judge-house.ts";
import type { Cancellation, MerchantCall } from "./merchant-call.ts";
import type { OperatorLog } from "./operator.ts";
import type { PayoutLog } from "./payout-desk.ts";
import type { Lost } from "./restore.ts";
import type { TransferCall } from "./transfers.ts";
import type { WithdrawalCall } from "./withdrawals.ts";

/** What the merchant, the PSP and the receiver have recorded, each in its own format. */
export type Logs = {
  readonly merchant: readonly MerchantCall[];
  readonly cancellations: readonly Cancellation[];
  readonly withdrawals: readonly WithdrawalCall[];
  readonly claims: readonly ClaimCall[];
  readonly transfers?: readonly TransferCall[];
  /** What the operator did; null: nothing. */
  readonly operator?: OperatorLog;
  /** What the operator gave the account, centavos. */
  readonly given: number;
  /** The simulator's log.ndjson, parsed. */
  readonly psp: readonly PspEntry[];
  readonly received: readonly Received[];
  /** Secret of the receiver's endpoint. */
  readonly secret: string;
  /** Secrets that signed before or after it. */
  readonly otherSecrets?: readonly string[];
  readonly accountId: string;
  /** The operator's own money, and what the institution says; left out: there is none, and nothing is taken. */
  readonly house?: HouseLog;
  readonly bank?: Bank;
  /** The institution shows a Pix in lists and queries without its charge. */
  readonly hidesTxid?: boolean;
  /** Accounts that another judge judges, and the Pix that they were paid. */
  readonly others?: { readonly accountIds: readonly string[]; readonly e2eIds: ReadonlySet<string> };
  /** Institutions beside the first, and what they said of its Pix. */
  readonly banks?: readonly OtherBank[];
  readonly contradictions?: readonly Contradiction[];
  /** What was answered between a backup and the loss of the database; left out: nothing. */
  readonly lost?: Lost;
  /** What others decided about withdrawals; left out: nobody did. */
  readonly payouts?: PayoutLog;
};
