import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { getHeapStatistics } from "node:v8";
import type { FastifyReply, FastifyRequest } from "fastify";
import { LIMITS } from "../lib/limits.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { createTally, SHARE } from "./admission.ts";
import { ApiError } from "./errors.ts";

/**
 * Answers with fewer bytes are not counted, because the kernel takes them at once, unless a counted answer waits before
 * them.
 */
const SHORT = 4 * 1024;
/** Most bytes of a command's answer: an object with its metadata and QR code. */
const OF_COMMAND = 64 * 1024;

/**
 * For whom answers count. Merchants (with the people of their accounts), operators and payers have a limit each, so that none
 * fills what the others need.
 */
export type Reader = { readonly pool: "merchants" | "operators" | "payers"; readonly name: string };

/** The bytes of answers that clients have not read, by reader. */
export type Unread = {
  /** Requests of one connection that may wait for their answers (http/connections.ts). */
  readonly pipelined: number;
  /** Bytes of all readers. */
  bytes(): number;
  /** True: a further answer would not fit, so the call is refused before anything is done. Counts the refusal. */
  refuses(reader: Reader, method: string): boolean;
  /**
   * Counts an answer until its client has read it or lost the connection. HEAD does not count, because its stream ends
   * unread.
   *
   * @throws ApiError OVERLOADED when a page or a file does not fit: calls that came at once were all admitted before their
   * answers were made. The result of a command is always sent, so such answers may exceed the limit by some megabytes.
   */
  count(reader: Reader, request: FastifyRequest, reply: FastifyReply, payload: unknown): void;
  /**
   * Counts bytes that a read collects before it answers, until the returned function is called.
   *
   * @throws ApiError OVERLOADED when they do not fit.
   */
  hold(reader: Reader, bytes: number): () => void;
};

/** A sixteenth of the heap that this process may have, at most `LIMITS.unreadBytes`. */
const mostHere = (): number => Math.min(LIMITS.unreadBytes, Math.floor(getHeapStatistics().heap_size_limit / 16));

/** The refusal of a call while its reader leaves too many answers unread. */
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

const createPools = (most: number): Pools => ({
  merchants: { most, tally: createTally() },
  operators: { most: most / 2, tally: createTally() },
  payers: { most: most / 4, tally: createTally() },
});

const keyOf = ({ name }: Reader, method: string) => (method === "GET" ? name : `commands of ${name}`);

function fits(pools: Pools, reader: Reader, method: string, bytes: number): boolean {
  const { most, tally } = pools[reader.pool];
  return tally.of(keyOf(reader, method)) + bytes <= SHARE * (most - tally.all() - bytes);
}

/** @returns a function that gives the bytes back; calling it again has no effect. */
function take(tally: Pools["merchants"]["tally"], key: string, bytes: number): () => void {
  tally.add(key, bytes);
  let isTaken = true;
  return () => {
    if (isTaken) tally.add(key, -bytes);
    isTaken = false;
  };
}

/** Metrics of unread answers. @returns the function that counts a refusal. */
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
 * Limits the memory of unread answers: a credential may request a hundred pages of half a megabyte a second, and a client
 * has a minute to read one. A reader may have `SHARE` times the bytes that are free in its pool. Its commands count apart
 * from its reads, so that unread pages stop no payment. A streamed answer counts as the most that it holds, since it waits
 * for its client. Public documents and files are shared by all readers and do not count.
 *
 * @param options.most bytes of merchants; operators have half of that, payers a quarter.
 */
export function createUnread(options: {
  readonly metrics: Metrics;
  readonly most?: number | undefined;
  readonly pipelined?: number | undefined;
  readonly page?: number;
  readonly stream?: number;
}): Unread {
  const { metrics, most = mostHere(), page = LIMITS.pageBytes, stream = LIMITS.streamBytes } = options;
  const pools = createPools(most);
  // Node queues answers to requests that came together; an answer without a socket yet is not told that the socket was
  // closed.
  const sockets = new WeakMap<Socket, Set<() => void>>();
  const countRefusal = createMeters(metrics, pools);

  function releasesOf(socket: Socket): Set<() => void> {
    const waitingAnswers = sockets.get(socket);
    if (waitingAnswers) return waitingAnswers;
    const releases = new Set<() => void>();
    sockets.set(socket, releases);
    socket.once("close", () => {
      for (const release of releases) release();
    });
    return releases;
  }

  return {
    pipelined: options.pipelined ?? LIMITS.pipelined,
    bytes: () => Object.values(pools).reduce((bytes, { tally }) => bytes + tally.all(), 0),
    refuses(reader, method) {
      const isFull = method !== "HEAD" && !fits(pools, reader, method, method === "GET" ? page : OF_COMMAND);
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
      if (method === "GET" && !fits(pools, reader, method, bytes)) {
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
    hold(reader, bytes) {
      if (fits(pools, reader, "GET", bytes)) return take(pools[reader.pool].tally, keyOf(reader, "GET"), bytes);
      countRefusal(reader.pool);
      throw notRead();
    },
  };
}

function sizeOf(payload: unknown, stream: number): number {
  if (typeof payload === "string") return Buffer.byteLength(payload);
  if (payload instanceof Buffer) return payload.length;
  return payload instanceof Readable ? stream : 0;
}
