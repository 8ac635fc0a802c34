import type { Due, Queue } from "./claim.ts";

/** A queue with the number of deliveries to claim from it. */
type Request = readonly [queue: Queue, wanted: number];

/** The endpoints that are known to have due deliveries, which take turns. */
export type Queues = {
  readonly size: number;
  /** In order: the first one has the next turn. */
  waiting(): Iterable<Queue>;
  /** Adds a queue that a poll found. */
  add(queue: Queue): void;
  /** The queues of these shares. */
  requests(shares: ReadonlyMap<string, number>): Request[];
  /** Drops the queues that gave fewer deliveries than requested, and moves the others to the end. */
  served(requests: readonly Request[], claimed: readonly Due[]): void;
};

export function createQueues(): Queues {
  const queues = new Map<string, Queue>();
  return {
    get size() {
      return queues.size;
    },
    waiting: () => queues.values(),
    add(queue) {
      const queued = queues.get(queue.endpointId);
      if (queued === undefined || queue.from < queued.from) queues.set(queue.endpointId, queue);
    },
    requests: (shares) => [...shares].map(([id, wanted]) => [queues.get(id) as Queue, wanted]),
    served(requests, claimed) {
      const counts = new Map<string, number>();
      for (const { endpointId: id } of claimed) counts.set(id, (counts.get(id) ?? 0) + 1);
      for (const [queue, wanted] of requests) {
        const id = queue.endpointId;
        const queued = queues.get(id) as Queue;
        queues.delete(id);
        // A poll may have found older deliveries while these were claimed.
        if (queued !== queue || counts.get(id) === wanted) queues.set(id, queued);
      }
    },
  };
}
