import { readFileSync } from "node:fs";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { whenRecorded } from "../books/recorded.ts";
import type { Context } from "../context.ts";
import { dayAt } from "../due/calendar.ts";
import type { Answer } from "../http/answer.ts";
import { send } from "../http/send.ts";
import { receivePix } from "../pix/receive.ts";
import { newBuckets } from "./buckets.ts";
import { type Offer, type Refusal, readCode } from "./offer.ts";
import { receiptPage, reviewPage } from "./page.ts";
import { type Asked, momentOf, ofPage } from "./routes.ts";
import { textsFor } from "./texts.ts";

/** The longest code that a charge has, with room; a request that is larger is none of this page's. Bytes. */
const [LONGEST_CODE, MOST_BODY, MOST_HEADERS] = [1_024, 4_096, 8_192];
/** A phone has few connections; what holds one for longer than this is no browser. Milliseconds. */
const [MOST_CONNECTIONS, REQUEST_MS, IDLE_MS] = [64, 10_000, 5_000];

/** A server for payers, before it listens. */
type PayerDoor = {
  readonly app: FastifyInstance;
  /** Says under which host it is reached, as a browser writes it: a call that names another is refused. */
  openAt(host: string): void;
};

/**
 * The payers' door: what a machine of the same network reaches of the simulator, so that a visitor pays a charge on their own phone.
 * It shows the page of one charge to whoever has its code, and pays that charge. It has no lists, no other code, no receipt of
 * another payment and nothing of the control API or the bank's own: all else is 404. A call under another name than the
 * address that was set is refused (a web page that points a name of its own at this address), and a payment by a page of
 * another origin.
 */
export function buildPayerDoor(ctx: Context): PayerDoor {
  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    bodyLimit: MOST_BODY,
    requestTimeout: REQUEST_MS,
    connectionTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    http: { maxHeaderSize: MOST_HEADERS, headersTimeout: IDLE_MS },
  });
  app.server.maxConnections = MOST_CONNECTIONS;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, text, done) => {
    done(null, Object.fromEntries(new URLSearchParams(text as string)));
  });
  app.setNotFoundHandler((_request, reply) => send(reply, NOTHING));
  app.setErrorHandler<{ statusCode?: number } & Error>((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) ctx.report("a payer's call failed", { error: String(error) });
    send(reply, { ...NOTHING, status });
  });

  let own = "";
  const buckets = newBuckets();
  app.addHook("onRequest", (request, reply, done) => {
    if (request.headers.host !== own) send(reply, { ...NOTHING, status: 421 });
    else if (!buckets.take(request.ip)) send(reply, { ...NOTHING, status: 429, headers: { "retry-after": "1" } });
    else done();
  });
  const style = readFileSync(new URL("style.css", import.meta.url));
  app.get("/bank/style.css", (_request, reply) => send(reply, ofDoor(200, style, "text/css; charset=utf-8")));
  app.get("/bank", (request, reply) => send(reply, show(ctx, request)));
  app.post("/bank", (request, reply) => {
    const answer = request.headers.origin === `http://${own}` ? pay(ctx, request) : { ...NOTHING, status: 403 };
    whenRecorded(ctx, () => send(reply, answer));
  });
  return {
    app,
    openAt(host) {
      own = host;
    },
  };
}

const NOTHING: Answer = { status: 404, headers: { "cache-control": "no-store" } };

/** The page tells its own address to itself alone: it has the code of the charge. */
function ofDoor(status: number, body: string | Buffer, type?: Answer["type"]): Answer {
  const page = ofPage(status, body, type);
  return { ...page, headers: { ...page.headers, "referrer-policy": "same-origin" } };
}

type OfCharge = {
  readonly code: string;
  readonly on: string;
  readonly offer: Offer;
  readonly refusal?: Refusal | undefined;
};

/** The charge of a code; null for any other code. */
function chargeOf(ctx: Context, { code, on }: Asked): OfCharge | null {
  if (typeof code !== "string" || code.length > LONGEST_CODE) return null;
  const at = momentOf(ctx, on);
  const { offer, refusal } = readCode(ctx, code.trim(), at);
  return offer?.charge === undefined ? null : { code: code.trim(), on: dayAt(at), offer, refusal };
}

function show(ctx: Context, request: FastifyRequest): Answer {
  const charge = chargeOf(ctx, request.query as Asked);
  if (charge === null) return NOTHING;
  const texts = textsFor(request.headers["accept-language"]);
  return ofDoor(200, reviewPage(ctx, texts, { ...charge, isDoor: true }));
}

/** Pays the charge that the page has shown, once; the answer is its receipt. */
function pay(ctx: Context, request: FastifyRequest): Answer {
  const charge = chargeOf(ctx, (request.body ?? {}) as Asked);
  if (charge === null) return NOTHING;
  const texts = textsFor(request.headers["accept-language"]);
  const { txid, amountCentavos, composition } = charge.offer;
  if (charge.refusal || txid === undefined || amountCentavos === null) {
    return ofDoor(422, reviewPage(ctx, texts, { ...charge, isDoor: true }));
  }
  const pix = receivePix(ctx, { amountCentavos, txid, ...(composition && { composition }), cause: "bank" });
  return ofDoor(200, receiptPage(ctx, texts, pix, true));
}
