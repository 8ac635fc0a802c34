import type { WebhookEvent } from "../generated/events.ts";
import { type VerifyOptions, verifyWebhook, WebhookVerificationError } from "./verify.ts";

/** What a receiver does with its deliveries. */
export type ReceiverOptions = VerifyOptions & {
  /** Secret of the endpoint, or several while one is being replaced. */
  readonly secret: string | readonly string[];
  /**
   * Takes a genuine event. The gateway waits 10 s for the answer: store the event and work afterwards. The same `eventId`
   * can come again. When it throws, the answer is 500 and the gateway delivers again.
   */
  readonly onEvent: (event: WebhookEvent) => void | Promise<void>;
};

/** What the gateway is answered. */
type Verdict = 204 | 401 | 500;

async function receive(
  rawBody: Uint8Array | ArrayBuffer | string,
  headers: Parameters<typeof verifyWebhook>[1],
  { secret, onEvent, ...options }: ReceiverOptions,
): Promise<{ status: Verdict; error: unknown }> {
  let event: WebhookEvent;
  try {
    event = await verifyWebhook(rawBody, headers, secret, options);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { status: 401, error };
  }
  try {
    await onEvent(event);
    return { status: 204, error: null };
  } catch (error) {
    return { status: 500, error };
  }
}

/**
 * A handler for whatever speaks `Request` and `Response`: Next.js route handlers, Hono, workers, Deno, Bun.
 *
 *     export const POST = fetchWebhook({ secret, onEvent });
 *
 * It reads the body itself. A body that a middleware has read before is gone: the handler then rejects with a TypeError.
 */
export function fetchWebhook(options: ReceiverOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.bodyUsed) throw new TypeError(PARSED);
    const { status, error } = await receive(await request.arrayBuffer(), request.headers, options);
    if (status === 500) throw error;
    return new Response(null, { status });
  };
}

/** The parts of Node's request and response that the adapters use; Express adds `body`, Firebase and NestJS `rawBody`. */
type NodeRequest = AsyncIterable<Uint8Array> & {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly readableDidRead?: boolean;
  readonly body?: unknown;
  readonly rawBody?: unknown;
};
type NodeResponse = { statusCode: number; end(): unknown };

/**
 * A handler for Express, and for a plain `node:http` server.
 *
 *     app.post("/webhooks", expressWebhook({ secret, onEvent }));
 *
 * Register it before `app.use(express.json())`, or with `express.raw({ type: "application/json" })` of its own. A
 * `request.rawBody`, as Firebase and NestJS (`{ rawBody: true }`) keep it, is taken too. Where `express.json()` has parsed the
 * body and kept no bytes, those that were signed are gone: the handler says so to `next`.
 */
export function expressWebhook(
  options: ReceiverOptions,
): (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    try {
      const raw = await rawBodyOf(request);
      const { status, error } = await receive(raw, request.headers, options);
      if (status === 500 && next !== undefined) return next(error);
      response.statusCode = status;
      response.end();
    } catch (error) {
      if (next === undefined) throw error;
      next(error);
    }
  };
}

async function rawBodyOf(request: NodeRequest): Promise<Uint8Array | string> {
  for (const kept of [request.rawBody, request.body]) {
    if (kept instanceof Uint8Array || typeof kept === "string") return kept;
  }
  // Not by `body`: Express 4's parser sets one, `{}`, for types that it does not read.
  if (request.readableDidRead) throw new TypeError(PARSED);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > LARGEST_BODY) break;
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

/** Deliveries are small; what is larger is not one, and does not fill the memory. */
const LARGEST_BODY = 1_048_576;

/** The parts of Fastify that the plugin uses. */
type FastifyLike = {
  removeContentTypeParser(type: string): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: "buffer" },
    parser: (request: unknown, body: Uint8Array, done: (error: Error | null, body?: unknown) => void) => void,
  ): void;
  post(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown;
};
type FastifyRequestLike = { readonly body: unknown; readonly headers: NodeRequest["headers"] };
type FastifyReplyLike = { code(status: number): { send(): unknown } };

/**
 * A plugin for Fastify.
 *
 *     app.register(fastifyWebhook({ path: "/webhooks", secret, onEvent }));
 *
 * Fastify parses JSON before handlers run. The plugin replaces that parser by one that keeps the bytes, for its own route
 * only: a plugin's parsers end with the plugin, so do not wrap it in `fastify-plugin`.
 */
export function fastifyWebhook({
  path,
  ...options
}: ReceiverOptions & { readonly path: string }): (app: object) => Promise<void> {
  return async (given) => {
    const app = given as FastifyLike;
    app.removeContentTypeParser("application/json");
    app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    app.post(path, async (request, reply) => {
      const { status, error } = await receive(request.body as Uint8Array, request.headers, options);
      if (status === 500) throw error;
      return reply.code(status).send();
    });
  };
}

const PARSED =
  "The body of the webhook was read before its signature could be checked. Register the webhook's route before any JSON parser, or keep the bytes in request.rawBody: express.json({ verify: (request, _, bytes) => { request.rawBody = bytes; } }).";
