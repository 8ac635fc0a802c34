import { PassThrough, type Readable } from "node:stream";
import type { Context } from "../context.ts";
import { levelOf } from "../db/pool.ts";
import { ApiError } from "../http/errors.ts";
import { LIMITS } from "../lib/limits.ts";
import { type ChargeKey, readStates } from "./find.ts";
import { isLast, type PageState } from "./state.ts";

/** Interval of reads, and of signs of life, milliseconds. A payer sees the payment within a second. */
const READ_EVERY = 500;
const BEAT_EVERY = 15_000;
/** How long a page waits before it reconnects, milliseconds. */
const RETRY_MS = 3_000;

/** The page of a charge that is open somewhere. */
type Watcher = ChargeKey & {
  readonly network: string;
  readonly shown: PageState;
  readonly openedAt: number;
  readonly stream: PassThrough;
};

/**
 * Reports to payers' pages that their charge has changed. One statement reads all charges with an open page twice a second,
 * by key; without open pages nothing is read.
 *
 * A stream says `beat`, at once and every 15 s, so that the page knows that nothing between holds it back. It says `change`
 * and ends: the page reads itself anew. It ends without a word after ten minutes, and the page opens another. So a page that
 * reads slowly keeps some hundred bytes waiting.
 */
export type PayerStreams = {
  /**
   * Opens the stream of a page that shows `shown`.
   *
   * @throws ApiError 429 when its network or the process has too many; the page then polls.
   */
  open(charge: ChargeKey, page: { readonly network: string; readonly shown: PageState }): Readable;
  /** Ends every stream. */
  stop(): void;
};

/** The states of pages; null while the database does not answer: their streams beat and end as ever. */
const tryReadStates = (ctx: Pick<Context, "db" | "clock" | "log">, charges: readonly ChargeKey[]) =>
  readStates(ctx, charges).catch((error: unknown) => {
    ctx.log[levelOf(error)]({ err: error }, "payers' pages were not read");
    return null;
  });

export function createPayerStreams(ctx: Pick<Context, "db" | "clock" | "log">): PayerStreams {
  const open = new Set<Watcher>();
  /** Open streams by network. */
  const ofNetwork = new Map<string, number>();
  let beatAt = 0;
  let reading: NodeJS.Timeout | null = null;

  function add(watcher: Watcher): void {
    open.add(watcher);
    ofNetwork.set(watcher.network, (ofNetwork.get(watcher.network) ?? 0) + 1);
    watcher.stream.once("close", () => drop(watcher));
  }

  function drop(watcher: Watcher): void {
    if (!open.delete(watcher)) return;
    const left = ofNetwork.get(watcher.network)! - 1;
    if (left === 0) ofNetwork.delete(watcher.network);
    else ofNetwork.set(watcher.network, left);
  }

  function end(watcher: Watcher, lastWords = ""): void {
    drop(watcher);
    if (!watcher.stream.destroyed) watcher.stream.end(lastWords);
  }

  async function read(): Promise<void> {
    const now = ctx.clock.now();
    const watchers = [...open];
    const charges = new Map(watchers.map((watcher) => [watcher.chargeId, watcher]));
    const states = await tryReadStates(ctx, [...charges.values()]);
    const beats = now - beatAt >= BEAT_EVERY;
    if (beats) beatAt = now;
    for (const watcher of watchers) {
      if (states !== null && (states.get(watcher.chargeId) ?? null) !== watcher.shown) end(watcher, CHANGE);
      else if (Math.abs(now - watcher.openedAt) >= LIMITS.payerStream) end(watcher);
      else if (beats) watcher.stream.write(BEAT);
    }
  }

  /** Schedules the next read as long as a stream is open. */
  function scheduleRead(): void {
    reading ??= setTimeout(async () => {
      await read();
      reading = null;
      if (open.size > 0) scheduleRead();
    }, READ_EVERY).unref();
  }

  return {
    open({ accountId, chargeId }, { network, shown }) {
      if (open.size >= LIMITS.payerStreams || (ofNetwork.get(network) ?? 0) >= LIMITS.payerStreamsOfAddress) {
        const wait = { "retry-after": String(RETRY_MS / 1000) };
        throw new ApiError("RATE_LIMITED", "Too many pages are open.", { retryable: true }, wait);
      }
      const stream = new PassThrough();
      stream.write(`retry: ${RETRY_MS}\n\n`);
      if (isLast(shown)) stream.end();
      else {
        add({ accountId, chargeId, network, shown, openedAt: ctx.clock.now(), stream });
        stream.write(BEAT);
        scheduleRead();
      }
      return stream;
    },
    stop() {
      if (reading !== null) clearTimeout(reading);
      for (const watcher of [...open]) end(watcher);
    },
  };
}

// An event without data is not dispatched, and a page does not see comments.
const BEAT = "event: beat\ndata: {}\n\n";
const CHANGE = "event: change\ndata: {}\n\n";
