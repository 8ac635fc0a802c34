import type { Call } from "../http/scope.ts";
import type { MerchantGiven } from "../http/scopes/merchant.ts";
import type { ChargeRequest } from "./charge.ts";

/** A `POST /pix`: the caller, the request and its key. */
export type CreateCall = MerchantGiven & Pick<Call<typeof ChargeRequest>, "body" | "keyed" | "toAnswer">;
