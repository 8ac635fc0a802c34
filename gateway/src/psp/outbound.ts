/**
 * Calls to one foreign origin: keep-alive, with limits of connections, waiting calls, time and answer size, and exact about
 * whether a byte of a request left this machine.
 *
 * It uses undici's `dispatch` and not `request`, because only the handler's `onRequestStart` tells that: it runs on a
 * connected socket (for TLS: after the handshake) right before the first write. Guessing by error codes would be wrong both
 * ways: ECONNRESET comes from a failed handshake as well as from a stale keep-alive socket.
 */
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";
import { createConnector } from "../lib/connect.ts";
import { STALL, setDeadline } from "../lib/deadline.ts";
import { Pool } from "../lib/undici.ts";

export type OutboundTls = {
  /** PEM. */
  readonly cert?: string | Buffer | undefined;
  /** PEM. */
  readonly key?: string | Buffer | undefined;
  /** PEM; replaces the system's list of authorities. */
  readonly ca?: string | Buffer | readonly (string | Buffer)[] | undefined;
  /** PKCS#12, instead of `cert` and `key`; a string is base64, as JSON settings have no bytes. */
  readonly pfx?: string | Buffer | undefined;
  /** May be empty, which differs from none: the files of some banks need the empty one. */
  readonly passphrase?: string | undefined;
};

export type OutboundOptions = {
  /** Scheme, host and port, such as `https://psp.example:8443`. */
  readonly origin: string;
  readonly maxConnections: number;
  /** Calls under way or waiting for a connection; one more is refused as unsent. */
  readonly maxPending: number;
  readonly connectTimeoutMs: number;
  /**
   * From `send` to the last byte of the answer, waiting for a connection included. Time in which this process stood still does
   * not count, but after it no request leaves that late: its order may be another process's by then.
   */
  readonly timeoutMs: number;
  readonly tls?: OutboundTls | undefined;
  /** Whether a connection may go to an address, checked after the name is resolved; left out: to any. */
  readonly permits?: ((address: string) => boolean) | undefined;
};

export type OutboundRequest = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, encoded. */
  readonly path: string;
  /** Names and values in turn: `["accept", "application/json", …]`. Never changed, so it can be shared by calls. */
  readonly headers: readonly string[];
  readonly body?: string | undefined;
  /** Most bytes of the answer's body; with one more the answer counts as lost. */
  readonly maxAnswerBytes: number;
};

/**
 * Reason of a request that did not leave because this process stood still while it waited for a connection. It says nothing
 * about the other side.
 */
export const STALLED = "stalled";

/** `unsent`: no byte of the request left this machine. `lost`: it may have arrived, and there is no complete answer. */
export type OutboundAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly body: Buffer }
  | { readonly kind: "unsent"; readonly reason: string }
  | { readonly kind: "lost"; readonly reason: string };

export type Outbound = {
  /** Never rejects. Reasons are short codes: they hold no address, header or body. */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Waits for the calls under way (each has its deadline), then closes the connections. May be called again. */
  close(): Promise<void>;
};

/**
 * How long an idle connection is kept if the server does not say. Below the idle time-outs of common front ends (60 s and
 * more; servers with a shorter one announce it, and undici obeys), because each reset of a reused socket is a call of
 * unknown outcome.
 */
const KEEP_ALIVE_MS = 10_000;

const EMPTY = Buffer.alloc(0);

export function createOutbound(options: OutboundOptions): Outbound {
  const { maxPending, timeoutMs } = options;
  const pool = new Pool(options.origin, {
    connections: options.maxConnections,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // One deadline for the whole call is set below: undici's two are coarse to 0.5 s and do not cover the wait in the pool.
    headersTimeout: 0,
    bodyTimeout: 0,
    // HTTP/2 would put many calls on one connection, and one reset would make all of them unknown.
    allowH2: false,
    connect: createConnector(connectOptions(options)),
  });
  let pending = 0;

  async function send(request: OutboundRequest): Promise<OutboundAnswer> {
    if (pending >= maxPending) return { kind: "unsent", reason: "too_many_pending" };
    pending++;
    const answer = await exchange(pool, request, timeoutMs);
    pending--;
    return answer;
  }

  let closing: Promise<void> | undefined;
  function close(): Promise<void> {
    closing ??= pool.close();
    return closing;
  }

  return { send, close };
}

/** One call. Settles once: with the complete answer, at the deadline, or when the connection fails. */
function exchange(pool: Pool, request: OutboundRequest, timeoutMs: number): Promise<OutboundAnswer> {
  return new Promise((resolve) => {
    let settled = false;
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;

    const settle = (answer: OutboundAnswer) => {
      if (settled) return;
      settled = true;
      clearDeadline();
      resolve(answer);
    };
    const fail = (reason: string) => settle({ kind: controller === undefined ? "unsent" : "lost", reason });
    const began = performance.now();
    const clearDeadline = setDeadline(timeoutMs, () => {
      fail("timeout");
      controller?.abort(new Error("timeout"));
    });
    const body = collect(request.maxAnswerBytes);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // It was given up while it waited for a connection, and reported as unsent, so it must not leave now. Throwing here
        // drops the request and keeps the connection; `abort` would destroy a connection for each such call.
        if (!settled && performance.now() - began > timeoutMs + STALL) fail(STALLED);
        if (settled) throw new Error("given up");
        controller = started;
      },
      onResponseStart(_controller, statusCode) {
        status = statusCode;
      },
      onResponseData(current, chunk) {
        if (body.add(chunk)) return;
        fail("answer_too_large");
        current.abort(new Error("answer too large"));
      },
      onResponseEnd() {
        settle({ kind: "answered", status, body: body.whole() });
      },
      onResponseError(_controller, error) {
        fail(errorCode(error));
      },
    };
    const { method, path, headers } = request;
    try {
      pool.dispatch({ method, path, headers: headers as string[], body: request.body ?? null }, handler);
    } catch (error) {
      fail(errorCode(error));
    }
  });
}

/** Collects an answer's body; nearly every one is a single chunk. `add` is false past the limit. */
function collect(maxBytes: number): { add(chunk: Buffer): boolean; whole(): Buffer } {
  let size = 0;
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  return {
    add(chunk) {
      size += chunk.length;
      if (size > maxBytes) return false;
      if (first === undefined) first = chunk;
      else if (more === undefined) more = [first, chunk];
      else more.push(chunk);
      return true;
    },
    whole: () => (more === undefined ? (first ?? EMPTY) : Buffer.concat(more, size)),
  };
}

/** Resolves a name for a connection; fails where one of its addresses is not permitted. */
function lookupPermitted(permits: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const refused = error ?? (addresses.every(({ address }) => permits(address)) ? null : notPermitted());
      if (refused !== null) return callback(refused, "", 0);
      const first = addresses[0];
      if (options.all || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
const notPermitted = (): NodeJS.ErrnoException =>
  Object.assign(new Error("not permitted"), { code: "ADDRESS_NOT_PERMITTED" });

/** The code of an error, else its name: messages can hold addresses and header values. */
function errorCode(error: unknown): string {
  if (error === null || typeof error !== "object") return "error";
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? code : error instanceof Error ? error.name : "error";
}

/** Of the TLS settings only what is set: the connector treats an explicit undefined as a value. */
function connectOptions({ tls, connectTimeoutMs, permits }: OutboundOptions): Record<string, unknown> {
  const set = Object.fromEntries(Object.entries(tls ?? {}).filter(([, value]) => value !== undefined));
  if (typeof set.pfx === "string") set.pfx = Buffer.from(set.pfx, "base64");
  return { ...set, timeout: connectTimeoutMs, ...(permits && { lookup: lookupPermitted(permits) }) };
}
