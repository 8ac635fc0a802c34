import { pause } from "../lib/pause.ts";
import type { Attributes, Scope, Tracing } from "../telemetry/tracing.ts";
import { isEnded, isTransient } from "./pool.ts";
import { ShardMovedError } from "./shards.ts";

/** Thrown when a queue is full: nothing was done, and the caller may try again later (503 `OVERLOADED`). */
export class OverloadedError extends Error {
  constructor(queue: string) {
    super(`the queue ${queue} is full`);
    this.name = "OverloadedError";
  }
}

/** Whether the same work may be retried as it is after this error: one of the database, or a full queue. */
export const passesByItself = (error: unknown): boolean => isTransient(error) || error instanceof OverloadedError;

export type BatchOptions<I, O> = {
  readonly name: string;
  /** Most items of one run. */
  readonly maxBatch: number;
  /** Most items that wait; beyond that `OverloadedError`. */
  readonly maxQueue: number;
  /** Runs that may be under way at once. One keeps items in order. */
  readonly concurrency?: number;
  /** Items of one run have the same number: the shard of their accounts. Left out: any items share a run. */
  readonly shardOf?: ((item: I) => number) | undefined;
  /** Reads the shards again, before a retry after a lost connection or a shard that was moved or split. */
  readonly refresh?: () => Promise<void>;
  /** Attempts of a run that met a lost connection, a deadlock or a restart of the server. */
  readonly tries?: number;
  /** Called after every run with its items and its time including all attempts, milliseconds. */
  readonly onRun?: (items: number, ms: number) => void;
  /** Called before the halves of a run are tried, because the run failed for another reason than its connection. */
  readonly onDivided?: (error: unknown, items: number) => void;
  /** Each item's wait and run become spans of whatever submitted it; `attributesOf` adds attributes of an item. */
  readonly tracing?: Tracing | undefined;
  readonly attributesOf?: (item: I) => Attributes;
  /**
   * Does the work of all items at once and returns a result for each, in their order. It must be repeatable: after a lost
   * connection it runs again with the same items, although the first run may have been committed.
   */
  run(items: readonly I[]): Promise<readonly O[]>;
};

type Waiting<I, O> = {
  readonly item: I;
  readonly resolve: (value: O) => void;
  readonly reject: (error: unknown) => void;
  /** Undefined while there are no traces. */
  readonly scope: Scope | undefined;
  readonly since: number;
};

/**
 * Gathers items while a run is under way and runs them together: an idle batcher runs an item at once, a busy one commits
 * many with one commit. A run that fails for another reason than its connection is bisected, so that an item that cannot
 * succeed fails alone.
 */
export function createBatcher<I, O>(
  options: BatchOptions<I, O>,
): { submit(item: I): Promise<O>; idle(): Promise<void>; waiting(): number } {
  const { name, maxBatch, maxQueue, concurrency = 1, onRun, shardOf, tracing } = options;
  let queue: Waiting<I, O>[] = [];
  let running = 0;
  const whenIdle: (() => void)[] = [];

  function pump(): void {
    while (running < concurrency && queue.length > 0) {
      const { batch, rest } = nextBatch(queue, maxBatch, shardOf);
      queue = rest;
      running += 1;
      const started = performance.now();
      void attempt(options, batch).finally(() => {
        running -= 1;
        if (tracing?.on) traceBatch(options, tracing, batch, started);
        onRun?.(batch.length, performance.now() - started);
        if (running === 0 && queue.length === 0) for (const done of whenIdle.splice(0)) done();
        pump();
      });
    }
  }

  return {
    submit(item) {
      if (queue.length >= maxQueue) return Promise.reject(new OverloadedError(name));
      const scope = tracing?.current();
      const since = scope === undefined ? 0 : performance.now();
      return new Promise<O>((resolve, reject) => {
        queue.push({ item, resolve, reject, scope, since });
        // Items that arrive in the same turn of the event loop share a run.
        if (queue.length === 1 && running < concurrency) setImmediate(pump);
      });
    },
    /** Items that no run has taken yet. */
    waiting: () => queue.length,
    /** Resolves when nothing waits or runs (for an orderly stop). */
    idle() {
      if (running === 0 && queue.length === 0) return Promise.resolve();
      return new Promise((resolve) => {
        whenIdle.push(resolve);
      });
    },
  };
}

/** Runs a batch until each of its items has a result or an error. */
async function attempt<I, O>(options: BatchOptions<I, O>, batch: readonly Waiting<I, O>[]): Promise<void> {
  const { name, tries = 5, run, shardOf, refresh } = options;
  for (let tried = 1; ; tried += 1) {
    // The shard was split meanwhile: run each part by itself.
    const parts = shardOf === undefined ? [] : [...Map.groupBy(batch, ({ item }) => shardOf(item)).values()];
    if (parts.length > 1) {
      for (const part of parts) await attempt(options, part);
      return;
    }
    try {
      const results = await run(batch.map((w) => w.item));
      if (results.length !== batch.length)
        throw new Error(`${name}: ${results.length} results for ${batch.length} items`);
      for (const [i, waiting] of batch.entries()) waiting.resolve(results[i] as O);
      return;
    } catch (error) {
      if (isTransient(error) && !isEnded(error) && tried < tries) {
        await pause(25 * 2 ** tried);
        // If the shards cannot be read, the next attempt fails with the reason. After a moved shard they have been read
        // already.
        if (!(error instanceof ShardMovedError)) await refresh?.().catch(() => {});
        continue;
      }
      if (isTransient(error) || batch.length === 1) {
        for (const waiting of batch) waiting.reject(error);
        return;
      }
      options.onDivided?.(error, batch.length);
      const half = batch.length >> 1;
      await attempt(options, batch.slice(0, half));
      await attempt(options, batch.slice(half));
      return;
    }
  }
}

/**
 * A batch is one transaction of many items: each item gets its own spans of it, with the number of items that shared it.
 */
function traceBatch<I, O>(
  { name, attributesOf }: BatchOptions<I, O>,
  tracing: Tracing,
  batch: readonly Waiting<I, O>[],
  started: number,
): void {
  const end = performance.now();
  for (const { item, scope, since } of batch) {
    if (scope === undefined) continue;
    const attributes = { "pixgate.batch.size": batch.length, ...attributesOf?.(item) };
    tracing.past(scope, { name: `${name}: wait`, attributes, start: since, end: started });
    tracing.past(scope, { name: `${name}: batch`, attributes, start: started, end });
  }
}

/** The first items of a queue; with shards, the first ones of the oldest item's shard. */
function nextBatch<W extends { readonly item: I }, I>(
  queue: W[],
  maxBatch: number,
  shardOf: ((item: I) => number) | undefined,
): { batch: readonly W[]; rest: W[] } {
  if (shardOf === undefined) {
    return queue.length <= maxBatch
      ? { batch: queue, rest: [] }
      : { batch: queue.slice(0, maxBatch), rest: queue.slice(maxBatch) };
  }
  const shard = shardOf(queue[0]!.item);
  const batch = queue.filter(({ item }) => shardOf(item) === shard).slice(0, maxBatch);
  const taken = new Set(batch);
  return { batch, rest: queue.filter((waiting) => !taken.has(waiting)) };
}
