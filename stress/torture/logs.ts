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

/** The records of the merchant, the PSP and the receiver, each in its own format. */
export type Logs = {
  readonly merchant: readonly MerchantCall[];
  readonly cancellations: readonly Cancellation[];
  readonly withdrawals: readonly WithdrawalCall[];
  readonly claims: readonly ClaimCall[];
  readonly transfers?: readonly TransferCall[];
  /** The operator's record; left out: the operator did nothing. */
  readonly operator?: OperatorLog;
  /** The amount that the operator gave to the account, centavos. */
  readonly given: number;
  /** The simulator's log.ndjson, parsed. */
  readonly psp: readonly PspEntry[];
  readonly received: readonly Received[];
  /** Secret of the receiver's endpoint. */
  readonly secret: string;
  /** Earlier and later secrets of the endpoint. */
  readonly otherSecrets?: readonly string[];
  readonly accountId: string;
  /** The operator's own money, and the institution's report; left out: no own money and no tariffs. */
  readonly house?: HouseLog;
  readonly bank?: Bank;
  /** Lists and queries of the institution leave out a Pix's txid. */
  readonly hidesTxid?: boolean;
  /** Accounts that another judge checks, and the Pix that they received. */
  readonly others?: { readonly accountIds: readonly string[]; readonly e2eIds: ReadonlySet<string> };
  /** The further institutions, and their reports of the first one's Pix. */
  readonly banks?: readonly OtherBank[];
  readonly contradictions?: readonly Contradiction[];
  /** Calls that were answered between a backup and the loss of the database; left out: none. */
  readonly lost?: Lost;
  /** Decisions about withdrawals; left out: none. */
  readonly payouts?: PayoutLog;
};
