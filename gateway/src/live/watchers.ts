import { PassThrough } from "node:stream";
import { ApiError } from "../http/errors.ts";
import { LIMITS } from "../lib/limits.ts";
import type { WatchedWallet } from "./changes.ts";

/** A page with an open stream. */
export type Watcher = {
  readonly sessionId: string;
  readonly personId: string;
  /** Null: the installation. */
  readonly wallet: WatchedWallet | null;
  readonly stream: PassThrough;
};

/** Most bytes that wait for a slow page. Beyond that the stream ends, and the page resumes it by its last id. */
const MOST_WAITING = 64 * 1024;
/** How long a page waits before it reconnects, milliseconds. */
const RETRY_MS = 3_000;

/** The open streams of this process, limited for each person, each account and in total. */
export function createWatchers() {
  const open = new Set<Watcher>();
  const count = (matches: (watcher: Watcher) => boolean): number => [...open].filter(matches).length;

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
        count((other) => other.personId === personId) >= LIMITS.streamsOfPerson ||
        (wallet !== null && count((other) => other.wallet?.accountId === wallet.accountId) >= LIMITS.streamsOfAccount);
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

/** Sends an event to a page; `id` is the point from which it resumes. */
function send(
  { stream }: Watcher,
  event: { readonly id: string; readonly name: string; readonly data: unknown },
): void {
  write(stream, `id: ${event.id}\nevent: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`);
}

/** What changes without an event: there are new charges, or money of the wallet has moved. */
export type Change = "charges" | "money";

/** Reports a change without an event. It has no id, since nothing has to be resumed. */
export const reportChange = ({ stream }: Watcher, name: Change): void => write(stream, `event: ${name}\ndata: {}\n\n`);

/** Shows proxies and the page that the connection is alive. */
export const sendBeat = ({ stream }: Watcher): void => write(stream, ":\n\n");

function write(stream: PassThrough, text: string): void {
  if (stream.writableEnded || stream.destroyed) return;
  if (stream.writableLength > MOST_WAITING) stream.destroy();
  else stream.write(text);
}
