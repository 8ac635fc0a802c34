import { PassThrough } from "node:stream";
import { LIMITS } from "../config.ts";
import { ApiError } from "../http/errors.ts";
import type { WatchedWallet } from "./changes.ts";

/** A page that listens. */
export type Watcher = {
  readonly sessionId: string;
  readonly personId: string;
  /** Null: the installation. */
  readonly wallet: WatchedWallet | null;
  readonly stream: PassThrough;
};

/** Bytes that may wait for a page that reads slowly; past it the stream ends, and the page resumes it by its last id. */
const MOST_WAITING = 64 * 1024;
/** How long a page waits before it connects again, milliseconds. */
const RETRY_MS = 3_000;

/** The open streams of this process: bounded for each person, each account and in all. */
export function createWatchers() {
  const open = new Set<Watcher>();
  const count = (fits: (one: Watcher) => boolean): number => [...open].filter(fits).length;

  return {
    all: (): readonly Watcher[] => [...open],
    /**
     * Opens a stream.
     *
     * @throws ApiError 429 when its person, its account or the process has too many.
     */
    add({ sessionId, personId, wallet }: Omit<Watcher, "stream">): Watcher {
      const tooMany =
        open.size >= LIMITS.streams ||
        count((one) => one.personId === personId) >= LIMITS.streamsOfPerson ||
        (wallet !== null && count((one) => one.wallet?.accountId === wallet.accountId) >= LIMITS.streamsOfAccount);
      if (tooMany) {
        const wait = { "retry-after": String(RETRY_MS / 1000) };
        throw new ApiError("RATE_LIMITED", "Too many streams are open.", { retryable: true }, wait);
      }
      const watcher = { sessionId, personId, wallet, stream: new PassThrough() };
      open.add(watcher);
      watcher.stream.once("close", () => open.delete(watcher));
      watcher.stream.write(`retry: ${RETRY_MS}\n\n`);
      return watcher;
    },
    send,
    end(watcher: Watcher): void {
      open.delete(watcher);
      watcher.stream.end();
    },
  };
}
export type Watchers = ReturnType<typeof createWatchers>;

/** Sends one event to a page; `id` is what it resumes from. */
function send(
  { stream }: Watcher,
  event: { readonly id: string; readonly name: string; readonly data: unknown },
): void {
  write(stream, `id: ${event.id}\nevent: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`);
}

/** Says that a list has changed, and nothing else: without an id, since there is nothing to resume. */
export const nudge = ({ stream }: Watcher, name: "charges"): void => write(stream, `event: ${name}\ndata: {}\n\n`);

/** Shows that the connection lives, to proxies and to the page. */
export const beat = ({ stream }: Watcher): void => write(stream, ":\n\n");

function write(stream: PassThrough, text: string): void {
  if (stream.writableEnded || stream.destroyed) return;
  if (stream.writableLength > MOST_WAITING) stream.destroy();
  else stream.write(text);
}
