/**
 * Keeps spans until they have ended. Then telemetry/otlp.ts gives them to the OpenTelemetry SDK;
 * docs/decisions/0014-traces.md says why not earlier. Nothing is stored to connect them: a trace id has 128 bits, like a
 * UUID, so everything about a charge (a withdrawal, a refund, a block) has the charge's id as its trace id, and the root
 * span of that trace has the second half of the id as its span id. Any process knows to which trace a span belongs, hours
 * later too. A request that creates nothing has its X-Request-Id as its trace id.
 */

import { AsyncLocalStorage } from "node:async_hooks";

/** The attributes that a span may have: numbers, and ids of ours. Nothing of a payer, a receiver or a key. */
type Attribute =
  | "http.request.method"
  | "http.route"
  | "http.response.status_code"
  | "error.type"
  | "pixgate.request_id"
  | "pixgate.account_id"
  | "pixgate.institution_id"
  | "pixgate.endpoint_id"
  | "pixgate.delivery_id"
  | "pixgate.attempt"
  | "pixgate.event"
  | "pixgate.command"
  | "pixgate.outcome"
  | "pixgate.provider"
  | "pixgate.batch.size";
export type Attributes = Readonly<Partial<Record<Attribute, string | number>>>;

/** Server: a request that we answer. Client: a request of ours to somebody else. */
type Kind = "server" | "client" | "internal";

type SpanLink = { readonly traceId: string; readonly spanId: string };

/** A span that has ended. Times are those of `performance.now()`. */
export type EndedSpan = SpanLink & {
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly links: readonly SpanLink[];
  readonly failed: boolean;
};

/** Where ended spans go. */
export type SpanSink = {
  /** Whether spans of this trace are kept. Only the id decides, so that all processes decide alike. */
  keeps(traceId: string): boolean;
  write(span: EndedSpan): void;
  newTraceId(): string;
  newSpanId(): string;
  /** Sends what is left. */
  close(): Promise<void>;
};

/** A span that is open. */
export type Scope = {
  traceId: string;
  spanId: string;
  /** The span that contains this one, in this process. */
  readonly within: Scope | null;
  /** The parent in another request or process: the root of an object's trace. */
  readonly parentSpanId: string | null;
  attributes: Attributes;
  readonly links: SpanLink[];
  /**
   * Spans inside a request wait for its end, because until then it may create the object to whose trace it belongs. Null:
   * no wait.
   */
  waiting: (() => void)[] | null;
  begins: string | null;
  readonly start: number;
};

type What = { readonly name: string; readonly kind?: Kind; readonly attributes?: Attributes };

/** Every function does next to nothing while traces are off. */
export type Tracing = {
  readonly on: boolean;
  /** The span that the caller runs in. */
  current(): Scope | undefined;
  /** Runs work in a span: in the trace of the object `objectId`, else inside the current span, else in a trace of its own. */
  span<T>(
    what: What & { readonly objectId?: string | null },
    work: () => Promise<T>,
    attributesOf?: (done: T) => Attributes,
  ): Promise<T>;
  /** Records a span that has ended already: inside `scope`, else in a trace of its own. */
  past(
    scope: Scope | undefined,
    what: What & { readonly start: number; readonly end: number; readonly failed?: boolean },
  ): void;
  /** The current request has created this object: its span becomes the root of the object's trace. */
  begin(id: string): void;
  /** The current request concerns this object too. */
  link(id: string): void;
  /** Adds attributes to the current span. */
  note(attributes: Attributes): void;
  /** A request's span: opened when the request arrives, entered by its handler, shut with its answer. */
  open(requestId: string, traceparent: string | undefined): Scope;
  enter(scope: Scope, work: () => void): void;
  shut(scope: Scope, what: What & { readonly failed: boolean }): void;
  close(): Promise<void>;
};

const NOTHING = (): void => {};

export const NO_TRACING: Tracing = {
  on: false,
  current: () => undefined,
  span: (_what, work) => work(),
  past: NOTHING,
  begin: NOTHING,
  link: NOTHING,
  note: NOTHING,
  open: () => {
    throw new Error("traces are off");
  },
  enter: (_scope, work) => work(),
  shut: NOTHING,
  close: () => Promise.resolve(),
};

const UUID_AT_END = /([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;

/** The root span of an object's trace, from the object's id or a name that ends with it (an event's). Null: no UUID. */
export function rootOf(id: string): SpanLink | null {
  const parts = UUID_AT_END.exec(id);
  if (parts === null) return null;
  const spanId = `${parts[4]}${parts[5]}`;
  return { traceId: `${parts[1]}${parts[2]}${parts[3]}${spanId}`, spanId };
}

/** What a `traceparent` header names (W3C Trace Context). */
function readTraceparent(header: string | undefined): SpanLink | null {
  const parts = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/.exec(header ?? "");
  if (parts === null || header?.startsWith("ff") || /^0+$/.test(parts[1]!) || /^0+$/.test(parts[2]!)) return null;
  return { traceId: parts[1]!, spanId: parts[2]! };
}

export function createTracing(sink: SpanSink): Tracing {
  const scopes = new AsyncLocalStorage<Scope>();

  function link(id: string): void {
    const root = rootOf(id);
    if (root !== null) scopes.getStore()?.links.push(root);
  }

  return {
    on: true,
    current: () => scopes.getStore(),
    link,
    async span({ objectId, ...what }, work, attributesOf) {
      const scope = inside(sink, scopes.getStore(), objectId, performance.now());
      try {
        const done = await scopes.run(scope, work);
        if (attributesOf) scope.attributes = { ...scope.attributes, ...attributesOf(done) };
        write(sink, scope, { ...what, end: performance.now(), failed: false });
        return done;
      } catch (error) {
        scope.attributes = { ...scope.attributes, "error.type": errorType(error) };
        write(sink, scope, { ...what, end: performance.now(), failed: true });
        throw error;
      }
    },
    past(within, { start, end, failed = false, ...what }) {
      const own = inside(sink, scopes.getStore(), null, start);
      const scope = within === undefined ? own : { ...own, within, links: [] };
      write(sink, scope, { ...what, end, failed });
    },
    begin(id) {
      const current = scopes.getStore();
      const root = rootOf(id);
      if (current === undefined || root === null) return;
      const request = outermost(current);
      if (request.waiting === null || request.begins !== null) return link(id);
      request.begins = id;
      request.traceId = root.traceId;
      request.spanId = root.spanId;
    },
    note(attributes) {
      const current = scopes.getStore();
      if (current) current.attributes = { ...current.attributes, ...attributes };
    },
    open: (requestId, traceparent) => openRequest(sink, requestId, traceparent),
    enter: (scope, work) => scopes.run(scope, work),
    shut(scope, what) {
      const waited = scope.waiting ?? [];
      scope.waiting = null;
      write(sink, scope, { ...what, end: performance.now() });
      for (const go of waited) go();
    },
    close: () => sink.close(),
  };
}

/** Writes a span that has ended; inside a request it waits for the request's end. */
function write(sink: SpanSink, scope: Scope, what: What & { readonly end: number; readonly failed: boolean }): void {
  const holder = outermost(scope);
  const go = () => {
    if (!sink.keeps(holder.traceId)) return;
    sink.write({
      traceId: holder.traceId,
      spanId: scope.spanId,
      parentSpanId: scope.within?.spanId ?? scope.parentSpanId,
      name: what.name,
      kind: what.kind ?? "internal",
      start: scope.start,
      end: what.end,
      attributes: { ...what.attributes, ...scope.attributes },
      links: scope.links,
      failed: what.failed,
    });
  };
  if (holder.waiting === null) go();
  else holder.waiting.push(go);
}

/** A span in the trace of the object `of`, else inside `current`, else in a trace of its own. */
function inside(sink: SpanSink, current: Scope | undefined, of: string | null | undefined, start: number): Scope {
  const root = of ? rootOf(of) : null;
  const within = current && (root === null || outermost(current).traceId === root.traceId) ? current : null;
  return {
    traceId: root?.traceId ?? (within === null ? sink.newTraceId() : outermost(within).traceId),
    spanId: sink.newSpanId(),
    within,
    parentSpanId: within === null ? (root?.spanId ?? null) : null,
    attributes: {},
    // Work for one object inside something larger: a poll of all open charges, a notification.
    links: current && within === null ? [{ traceId: outermost(current).traceId, spanId: current.spanId }] : [],
    waiting: null,
    begins: null,
    start,
  };
}

/** A request's span: its id is its trace until the request creates an object. */
function openRequest(sink: SpanSink, requestId: string, traceparent: string | undefined): Scope {
  const root = rootOf(requestId) ?? { traceId: sink.newTraceId(), spanId: sink.newSpanId() };
  // The caller may have a trace of its own; it influences neither ids nor what is kept.
  const caller = readTraceparent(traceparent);
  return {
    ...root,
    within: null,
    parentSpanId: null,
    attributes: { "pixgate.request_id": requestId },
    links: caller === null ? [] : [caller],
    waiting: [],
    begins: null,
    start: performance.now(),
  };
}

function outermost(scope: Scope): Scope {
  let at = scope;
  while (at.within !== null) at = at.within;
  return at;
}

/** The code of an error, else its name: messages can hold values of rows, and addresses. */
function errorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return String(typeof code === "string" ? code : (name ?? "error")).slice(0, 100);
}
