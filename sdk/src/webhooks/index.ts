/** Receiving webhooks, without the client: `@pixgate/sdk/webhooks`. */
export type { WebhookEvent } from "../generated/events.ts";
export { expressWebhook, fastifyWebhook, fetchWebhook, type ReceiverOptions } from "./adapters.ts";
export { type Returned, type VerifyReturnOptions, verifyReturn } from "./return.ts";
export { type HeadersLike, type VerifyOptions, verifyWebhook, WebhookVerificationError } from "./verify.ts";
