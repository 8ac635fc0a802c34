import type { Context } from "../../context.ts";
import { createUnseal, signingSecrets } from "../endpoints/rotate.ts";
import type { Due } from "./claim.ts";
import { createExchanger, type Exchanged } from "./exchange.ts";
import { deliveryHeaders } from "./sign.ts";
import { createTargets } from "./target.ts";

/** An attempt that has ended. */
export type Attempt = Exchanged & {
  readonly due: Due;
  readonly webhookId: string;
  readonly startedAt: Date;
  readonly latencyMs: number;
};

type Attempter = {
  /** Signs a delivery and sends it. Never rejects: an error is a failed attempt. */
  attempt(due: Due): Promise<Attempt>;
  close(): Promise<void>;
};

/** @param options.connections most connections to one endpoint. */
export function createAttempter(ctx: Context, options: { readonly connections: number }): Attempter {
  const unseal = createUnseal(ctx);
  const exchanger = createExchanger(ctx, createTargets(ctx), options);

  async function send(due: Due, webhookId: string, nowMs: number): Promise<Exchanged> {
    const { kind, eventId, endpointId, url, body } = due;
    try {
      const secrets = signingSecrets(unseal, due, nowMs);
      const headers = deliveryHeaders({ kind, eventId, webhookId, ...secrets, body, nowMs });
      return await exchanger.post({ endpointId, url, headers, body });
    } catch (error) {
      ctx.log.error({ err: error, deliveryId: due.deliveryId }, "a delivery could not be made");
      return { statusCode: null, error: "internal_error", excerpt: null, retryAfter: undefined };
    }
  }

  return {
    async attempt(due) {
      const webhookId = ctx.ids.uuid();
      const started = ctx.clock.now();
      const exchanged = await send(due, webhookId, started);
      const latencyMs = Math.max(0, ctx.clock.now() - started);
      return { ...exchanged, due, webhookId, startedAt: new Date(started), latencyMs };
    },
    close: () => exchanger.close(),
  };
}
