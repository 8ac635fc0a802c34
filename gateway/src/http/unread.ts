import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { getHeapStatistics } from "node:v8";
import type { FastifyReply, FastifyRequest } from "fastify";
import { LIMITS } from "../config.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { createTally, SHARE } from "./admission.ts";
import { ApiError } from "./errors.ts";

/** Answers that are shorter are not counted unless one that is counted waits before them, bytes: the kernel takes them at once. */
const SHORT = 4 * 1024;
/** What a command's answer may come to, bytes: an object with its metadata, and its QR code. */
const OF_COMMAND = 64 * 1024;

/**
 * Who answers count for. Merchants, with the people of their accounts, and operators have a bound each, so that neither
 * fills what the other needs.
 */
export type Reader = { readonly pool: "merchants" | "operators"; readonly name: string };

/** The bytes of answers that clients have not read, of each reader. */
export type Unread = {
  /** Requests of one connection that may wait for their answers (http/connections.ts). */
  readonly pipelined: number;
  /** Bytes of all readers. */
  bytes(): number;
  /** True: a further answer would not fit, so that the call is refused before anything is done. A refusal is counted. */
  refuses(reader: Reader, method: string): boolean;
  /**
   * Counts an answer until its client has read it, or has lost the connection. HEAD does not count: its stream ends unread.
   *
   * @throws ApiError OVERLOADED when a page or a file does not fit, since calls at the same time were admitted before. What a
   * command did is always answered: those that wait may come to some megabytes beyond the bound.
   */
  count(reader: Reader, request: FastifyRequest, reply: FastifyReply, payload: unknown): void;
};

/** A sixteenth of the heap that this process may have, at most `LIMITS.unreadBytes`. */
const mostHere = (): number => Math.min(LIMITS.unreadBytes, Math.floor(getHeapStatistics().heap_size_limit / 16));

/** The refusal of a call whose answer would wait for readers who do not read. */
export const notRead = (): ApiError =>
  new ApiError(
    "OVERLOADED",
    "Too many answers have not been read by the clients that asked for them. Nothing has been done.",
    { retryable: true, unread: true },
    { "retry-after": "1" },
  );

type Pools = Readonly<
  Record<Reader["pool"], { readonly most: number; readonly tally: ReturnType<typeof createTally> }>
>;

/** Shows what is not read. @returns counts a refusal. */
function createMeters(metrics: Metrics, pools: Pools): (pool: Reader["pool"]) => void {
  metrics.gauge({
    name: "pixgate_http_unread_bytes",
    help: "Answers that clients have not read, bytes.",
    labels: ["readers"],
    read: () => Object.entries(pools).map(([name, { tally }]) => [[name], tally.all()] as const),
  });
  const refused = metrics.counter({
    name: "pixgate_http_unread_refused_total",
    help: "Calls refused with 503 `OVERLOADED`, since their callers have too many answers that are not read.",
    labels: ["readers"],
  });
  return (pool) => refused.add([pool]);
}

/**
 * Bounds what clients that do not read their answers cost: a credential may ask for a hundred pages of half a megabyte a
 * second, and a client has a minute to read one. A reader may have `SHARE` times the bytes that are free in its pool; its
 * commands count apart from its reads, so that unread pages stop no payment. A streamed answer counts as much as it holds
 * at most: it waits for its client. Public documents and files are the same bytes for all who ask and do not count.
 *
 * @param options.most bytes of merchants; operators have half of that.
 */
export function createUnread(options: {
  readonly metrics: Metrics;
  readonly most?: number | undefined;
  readonly pipelined?: number | undefined;
  readonly page?: number;
  readonly stream?: number;
}): Unread {
  const { metrics, most = mostHere(), page = LIMITS.pageBytes, stream = LIMITS.streamBytes } = options;
  const pools: Pools = {
    merchants: { most, tally: createTally() },
    operators: { most: most / 2, tally: createTally() },
  };
  // Node queues answers to requests that came together; those that have no socket yet do not learn that it was closed.
  const sockets = new WeakMap<Socket, Set<() => void>>();
  const countRefusal = createMeters(metrics, pools);

  const keyOf = ({ name }: Reader, method: string) => (method === "GET" ? name : `commands of ${name}`);
  function fits(reader: Reader, method: string, bytes: number): boolean {
    const { most, tally } = pools[reader.pool];
    return tally.of(keyOf(reader, method)) + bytes <= SHARE * (most - tally.all() - bytes);
  }

  function releasesOf(socket: Socket): Set<() => void> {
    const known = sockets.get(socket);
    if (known) return known;
    const releases = new Set<() => void>();
    sockets.set(socket, releases);
    socket.once("close", () => {
      for (const release of releases) release();
    });
    return releases;
  }

  return {
    pipelined: options.pipelined ?? LIMITS.pipelined,
    bytes: () => pools.merchants.tally.all() + pools.operators.tally.all(),
    refuses(reader, method) {
      const isFull = method !== "HEAD" && !fits(reader, method, method === "GET" ? page : OF_COMMAND);
      if (isFull) countRefusal(reader.pool);
      return isFull;
    },
    count(reader, request, reply, payload) {
      const { method } = request;
      if (method === "HEAD" && payload instanceof Readable) payload.destroy();
      if (method === "HEAD") return;
      const { socket } = request.raw;
      const bytes = sizeOf(payload, stream);
      if (bytes < SHORT && !sockets.get(socket)?.size) return;
      if (method === "GET" && !fits(reader, method, bytes)) {
        if (payload instanceof Readable) payload.destroy();
        reply.removeHeader("content-disposition");
        countRefusal(reader.pool);
        throw notRead();
      }
      if (socket.destroyed) return;
      const releases = releasesOf(socket);
      const { tally } = pools[reader.pool];
      const key = keyOf(reader, method);
      const release = () => {
        if (!releases.delete(release)) return;
        tally.add(key, -bytes);
        if (payload instanceof Readable) payload.destroy();
      };
      tally.add(key, bytes);
      releases.add(release);
      reply.raw.once("close", release);
    },
  };
}

function sizeOf(payload: unknown, stream: number): number {
  if (typeof payload === "string") return Buffer.byteLength(payload);
  if (payload instanceof Buffer) return payload.length;
  return payload instanceof Readable ? stream : 0;
}
