import type { Context } from "../../context.ts";
import { failpoint } from "../../lib/failpoint.ts";
import { present } from "../../lib/present.ts";
import { type Attempt, createAttempter } from "./attempt.ts";
import { type Capacity, createCapacity } from "./capacity.ts";
import { claim, type Due } from "./claim.ts";
import { createMarker, succeeded } from "./mark.ts";
import { createPoller, type Poller } from "./poll.ts";
import { createQueues, type Queues } from "./queues.ts";

/** Most deliveries claimed at once. All others wait as rows. */
const BATCH = 256;
/** Attempts under way at once: in total (512 of them for one account, capacity.ts), and to one endpoint. */
const IN_FLIGHT = 640;
const PER_ENDPOINT = 32;
/** Most attempts that are under way or wait for their mark: a receiver that answers faster than marks are stored must wait. */
const UNMARKED = 2 * IN_FLIGHT;

type Deliverer = {
  /** Begins attempts for due deliveries, as far as slots are free. Returns how many it began. */
  runDue(): Promise<number>;
  /** Resolves when every attempt that was begun is marked. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Sends webhooks. A delivery is a row in one of these states:
 * - **Pending**: it waits until it is due: at once after its event, later after a failed attempt. A poll (poll.ts) finds
 *   the endpoints that have due deliveries; each becomes a queue (queues.ts).
 * - **Claimed**: free slots were divided among the queues, which take turns (capacity.ts), and a statement has moved the
 *   due time of the oldest deliveries 20 seconds ahead. No other process makes this attempt.
 * - **Under way**: the attempt holds a slot of its endpoint, of its account and of the process. The request is signed,
 *   its address is checked, and the exchange ends after 10 seconds at the latest. Then the slot is free: what an endpoint
 *   may receive at once does not wait for our disk.
 * - **Marked**: a batch stores how the attempt ended. After a 2xx answer the delivery has succeeded. Otherwise it is
 *   pending again, until its schedule has no attempt left and it has failed.
 * - **Unmarked**: the process died, or the mark could not be written. The lease ends and the delivery is due again, so a
 *   receiver may get an event twice.
 *
 * Each attempt runs by itself and is marked when it ends, so a receiver that hangs delays its own deliveries only. An
 * endpoint whose last attempt failed is probing: it has few slots until it answers again.
 */
export function createDeliverer(ctx: Context): Deliverer {
  const capacity = createCapacity({
    inFlight: IN_FLIGHT,
    perEndpoint: PER_ENDPOINT,
    perSecond: ctx.config.webhookRate,
  });
  const attempter = createAttempter(ctx, { connections: PER_ENDPOINT });
  const marker = createMarker(ctx, { maxQueue: UNMARKED });
  const queues = createQueues();
  const poller = createPoller(ctx, queues.add);
  const inFlight = new Set<Promise<void>>();
  let closed = false;

  /** Makes one attempt of a claimed delivery and marks it. */
  async function deliver(due: Due): Promise<void> {
    let isUnderWay = true;
    const end = (isDelivered: boolean) => {
      if (isUnderWay) capacity.end(endpointOf(due), isDelivered, ctx.clock.now());
      isUnderWay = false;
      // Wake the loop only if more deliveries are known to wait: a new delivery wakes it by itself.
      if (queues.size > 0) ctx.hints.wake("deliver");
    };
    try {
      // An event's id ends with the id of its object, which leads to the object's trace.
      await ctx.tracing.span({ name: "delivery", objectId: due.eventId, attributes: describeDue(due) }, async () => {
        failpoint("delivery.claimed");
        const post = { name: "POST webhook", kind: "client" as const };
        const ended: Attempt = await ctx.tracing.span(post, () => attempter.attempt(due), describeEnd);
        end(succeeded(ended));
        failpoint("delivery.sent");
        await marker.mark(ended);
      });
    } catch (error) {
      // An unmarked delivery is due again when its lease ends. A stopping process does not wait for every receiver.
      ctx.log[closed ? "info" : "error"]({ err: error, deliveryId: due.deliveryId }, "a delivery could not be marked");
    } finally {
      end(false);
      ctx.hints.wake(`delivery/${due.deliveryId}`);
    }
  }

  return {
    async runDue() {
      const most = Math.min(capacity.free(), BATCH, UNMARKED - inFlight.size);
      if (most <= 0) return 0;
      const requests = queues.requests(await shareSlots(ctx, capacity, queues, poller, most));
      if (requests.length === 0) return 0;
      const now = ctx.clock.now();
      const claimed = await claim(ctx, new Date(now), requests);
      queues.served(requests, claimed);
      for (const due of claimed) {
        capacity.begin(endpointOf(due), now);
        const delivering = deliver(due).finally(() => inFlight.delete(delivering));
        inFlight.add(delivering);
      }
      return claimed.length;
    },
    async idle() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
    close() {
      closed = true;
      poller.close();
      return attempter.close();
    },
  };
}

/** Divides free slots among the known queues. If those cannot fill the slots, polls for more queues first. */
async function shareSlots(
  ctx: Context,
  capacity: Capacity,
  queues: Queues,
  poller: Poller,
  most: number,
): Promise<Map<string, number>> {
  const share = () => capacity.share(queues.waiting(), most, ctx.clock.now());
  const shares = share();
  if (sum(shares.values()) < most) {
    await poller.poll();
    return share();
  }
  // A busy process polls while it claims, so that a new endpoint does not wait until the known ones have no more work.
  poller.poll().catch((error: unknown) => ctx.log.warn({ err: error }, "the poll for due deliveries failed"));
  return shares;
}

const endpointOf = (due: Due) => ({ accountId: due.accountId, endpointId: due.endpointId });
const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);

/** Attributes of a delivery's span. Not the body, and not the address, which is the merchant's and may contain a secret. */
const describeDue = (due: Due) => ({
  "pixgate.account_id": due.accountId,
  "pixgate.endpoint_id": due.endpointId,
  "pixgate.delivery_id": due.deliveryId,
  "pixgate.event": due.kind,
  "pixgate.attempt": due.attempts + 1,
});
const describeEnd = ({ statusCode, error }: Attempt) =>
  present<Record<string, string | number>>({
    "http.response.status_code": statusCode,
    "error.type": error,
  });
