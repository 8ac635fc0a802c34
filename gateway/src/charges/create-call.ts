import type { Caller } from "../http/auth.ts";
import type { Call } from "../http/scope.ts";
import type { Wallet } from "../http/wallet.ts";
import type { ChargeRequest } from "./charge.ts";

/** A `POST /pix`, or a payer's form of a payment link: for whom, the request and its key. */
export type CreateCall = Pick<Call<typeof ChargeRequest>, "body" | "keyed" | "toAnswer"> & {
  readonly caller: Pick<Caller, "accountId" | "accountNumber">;
  readonly wallet: Pick<Wallet, "walletId">;
  readonly paymentLinkId?: string;
};
