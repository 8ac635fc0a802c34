import type { Context } from "../../context.ts";
import { createBatcher } from "../../db/batch.ts";
import { failpoint } from "../../lib/failpoint.ts";
import { SECONDS } from "../../lib/metrics.ts";
import { createUnseal, signingSecrets } from "../endpoints/rotate.ts";
import { createRoom, divide } from "./capacity.ts";
import { claim, type Due, type Queue } from "./claim.ts";
import { createExchanger, type Exchanged } from "./exchange.ts";
import { type Attempt, mark, type Outcome, succeeded } from "./mark.ts";
import { createSearch } from "./search.ts";
import { deliveryHeaders } from "./sign.ts";
import { createTargets } from "./target.ts";

/** Deliveries claimed at once: what is beyond waits as rows, however many they are. */
const BATCH = 256;
/** Attempts under way at once, and to one endpoint. */
const IN_FLIGHT = 512;
const PER_ENDPOINT = 32;
/** Attempts under way to one endpoint while many have work: its part of all, but so many at least. */
const FAIR = 4;

export type Deliverer = {
  /** Begins what is due, as far as there is room. Gives how many attempts it began. */
  deliverDue(): Promise<number>;
  /** Resolves when every attempt that was begun is marked. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Sends webhooks. Each endpoint has a queue of rows and places of its own (room.ts); endpoints with work take turns. An
 * attempt goes on by itself and is marked when it ends, so that a receiver that hangs holds up its own deliveries only.
 */
export function createDeliverer(ctx: Context): Deliverer {
  const room = createRoom({ inFlight: IN_FLIGHT, perEndpoint: PER_ENDPOINT, perSecond: ctx.config.webhookRate });
  const unseal = createUnseal(ctx);
  const exchanger = createExchanger(ctx, createTargets(ctx), { connections: PER_ENDPOINT });
  const delivered = ctx.metrics.counter({
    name: "pixgate_deliveries_total",
    help: "Attempts to deliver a webhook, by what became of them: delivered, retried later, failed for good.",
    labels: ["outcome"],
  });
  const times = ctx.metrics.histogram({
    name: "pixgate_delivery_seconds",
    help: "Time of an attempt to deliver a webhook, seconds.",
    buckets: SECONDS,
  });
  const marks = createBatcher<Attempt, Outcome>({
    name: "delivery marks",
    maxBatch: 500,
    maxQueue: IN_FLIGHT * 2,
    tracing: ctx.tracing,
    run: async (attempts) => {
      const outcomes = await mark(ctx, attempts);
      for (const { status } of outcomes) delivered.add([status === "pending" ? "retried" : status]);
      for (const { latencyMs } of attempts) times.observe([], latencyMs / 1000);
      return outcomes;
    },
  });
  /** Endpoints that had something due when last looked at; whoever was served goes to the end. */
  const queues = new Map<string, Queue>();
  const inFlight = new Set<Promise<void>>();
  const search = createSearch(ctx, (queue) => {
    const known = queues.get(queue.endpointId);
    if (known === undefined || queue.from < known.from) queues.set(queue.endpointId, queue);
  });
  let closed = false;

  async function carry(due: Due): Promise<void> {
    let ended: Attempt | null = null;
    try {
      // An event's id ends with that of what it tells of, so the process that delivers needs nothing else.
      await ctx.tracing.span({ name: "delivery", of: due.event_id, attributes: describe(due) }, async () => {
        failpoint("delivery.claimed");
        const post = { name: "POST webhook", kind: "client" as const };
        ended = await ctx.tracing.span(post, () => attempt(due), said);
        failpoint("delivery.sent");
        await marks.submit(ended);
      });
    } catch (error) {
      // Unmarked, it is due again when the claim ends. A process that stops does not wait for every receiver.
      ctx.log[closed ? "info" : "error"]({ err: error, deliveryId: due.delivery_id }, "a delivery could not be marked");
    } finally {
      room.end(due.endpoint_id, ended !== null && succeeded(ended), ctx.clock.now());
      // Only where more is known to wait: what is new wakes the loop itself.
      if (queues.size > 0) ctx.hints.wake("deliver");
      ctx.hints.wake(`delivery/${due.delivery_id}`);
    }
  }

  async function attempt(due: Due): Promise<Attempt> {
    const webhookId = ctx.ids.uuid();
    const started = ctx.clock.now();
    const { kind, event_id: eventId, body } = due;
    let exchanged: Exchanged;
    try {
      const secrets = signingSecrets(unseal, due, started);
      const headers = deliveryHeaders({ kind, eventId, webhookId, ...secrets, body, nowMs: started });
      exchanged = await exchanger.post({ endpointId: due.endpoint_id, url: due.url, headers, body });
    } catch (error) {
      ctx.log.error({ err: error, deliveryId: due.delivery_id }, "a delivery could not be made");
      exchanged = { statusCode: null, error: "internal_error", excerpt: null, retryAfter: undefined };
    }
    return {
      ...exchanged,
      due,
      webhookId,
      startedAt: new Date(started),
      latencyMs: Math.max(0, ctx.clock.now() - started),
    };
  }

  return {
    async deliverDue() {
      const most = Math.min(room.free(), BATCH);
      if (most <= 0) return 0;
      const share = () => {
        const at = ctx.clock.now();
        const able = [...queues.keys()].filter((id) => room.freeFor(id, at) > 0);
        // More than its part of all places is of no use to an endpoint, and a connection for each. One that hangs has no
        // part: its places are taken.
        const fair = Math.max(FAIR, Math.ceil(IN_FLIGHT / able.length));
        return divide(able, most, (id) => room.freeFor(id, at, fair));
      };
      let shares = share();
      if ([...shares.values()].reduce((sum, one) => sum + one, 0) < most) {
        await search.once();
        shares = share();
      } else {
        // A busy process looks while it claims, so that a new endpoint never waits for known ones.
        search
          .once()
          .catch((error: unknown) => ctx.log.warn({ err: error }, "endpoints with work could not be looked for"));
      }
      if (shares.size === 0) return 0;
      const now = ctx.clock.now();
      const asked = [...shares].map(([id, wanted]) => [queues.get(id) as Queue, wanted] as const);
      const due = await claim(ctx, new Date(now), asked);
      const got = Map.groupBy(due, ({ endpoint_id: id }) => id);
      for (const [queue, wanted] of asked) {
        // A look may have found older ones meanwhile.
        const known = queues.get(queue.endpointId) as Queue;
        queues.delete(queue.endpointId);
        const more = known !== queue || (got.get(queue.endpointId)?.length ?? 0) === wanted;
        if (more) queues.set(queue.endpointId, known);
      }
      for (const one of due) {
        room.begin(one.endpoint_id, now);
        const going = carry(one).finally(() => inFlight.delete(going));
        inFlight.add(going);
      }
      return due.length;
    },
    async idle() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
    close() {
      closed = true;
      search.close();
      return exchanger.close();
    },
  };
}

/** What spans say of a delivery. Neither its address, which is the merchant's and can hold a secret, nor its body. */
const describe = (due: Due) => ({
  "pixgate.account_id": due.account_id,
  "pixgate.endpoint_id": due.endpoint_id,
  "pixgate.delivery_id": due.delivery_id,
  "pixgate.event": due.kind,
  "pixgate.attempt": due.attempts + 1,
});
const said = ({ statusCode, error }: Attempt) => ({
  ...(statusCode !== null && { "http.response.status_code": statusCode }),
  ...(error !== null && { "error.type": error }),
});
