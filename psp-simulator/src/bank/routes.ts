import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { whenRecorded } from "../books/recorded.ts";
import type { Context } from "../context.ts";
import { dayAt, isDay, startOf } from "../due/calendar.ts";
import type { Answer } from "../http/answer.ts";
import { send } from "../http/send.ts";
import { MAX_CENTAVOS } from "../lib/amount.ts";
import { receivePix } from "../pix/receive.ts";
import { readCode } from "./offer.ts";
import { entryPage, receiptPage, reviewPage } from "./page.ts";
import { textsFor } from "./texts.ts";

const HTML = "text/html; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const CSS = "text/css; charset=utf-8";

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; media-src blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

/** The files of the page. What reads pictures is the library's own module. */
const FILES = [
  ["/bank/style.css", CSS, new URL("style.css", import.meta.url).href],
  ["/bank/scan.js", SCRIPT, new URL("scan.js", import.meta.url).href],
  ["/bank/qr/decode.js", SCRIPT, import.meta.resolve("qr/decode.js")],
  ["/bank/qr/index.js", SCRIPT, import.meta.resolve("qr")],
] as const;

export type Asked = { readonly code?: string; readonly on?: string; readonly amount?: string };

/**
 * `/bank`: the app of a payer's bank, as a page for a person: it reads a code, says what it asks for, and pays. Whoever reaches the
 * simulator may pay here, since there is no money; another site's page may not.
 */
export function bankRoutes(ctx: Context, app: FastifyInstance): void {
  for (const [path, type, url] of FILES) {
    app.get(path, (_request, reply) => send(reply, ofPage(200, readFileSync(fileURLToPath(url)), type)));
  }
  app.get("/bank", (request, reply) => send(reply, show(ctx, request)));
  app.post("/bank", (request, reply) => {
    const answer = isOfOtherSite(request) ? ofPage(403, "", HTML) : pay(ctx, request);
    whenRecorded(ctx, () => send(reply, answer));
  });
  app.get("/bank/paid/:e2eId", (request, reply: FastifyReply) => {
    const pix = ctx.books.state.pix.get((request.params as { e2eId: string }).e2eId);
    const texts = textsFor(request.headers["accept-language"]);
    send(reply, pix ? ofPage(200, receiptPage(ctx, texts, pix)) : ofPage(404, entryPage(texts, "nothing")));
  });
}

export function ofPage(status: number, body: string | Buffer, type: Answer["type"] = HTML): Answer {
  return { status, type: type ?? HTML, headers: HEADERS, body: Buffer.from(body) };
}

function isOfOtherSite({ headers }: FastifyRequest): boolean {
  const { origin } = headers;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== headers.host);
}

/** The moment on whose day a payer asks what it costs: today, or a day to come. */
export function momentOf(ctx: Context, on: unknown): number {
  return isDay(on) && on > dayAt(ctx.now()) ? startOf(on) : ctx.now();
}

function show(ctx: Context, request: FastifyRequest): Answer {
  const texts = textsFor(request.headers["accept-language"]);
  const { code, on } = request.query as Asked;
  if (typeof code !== "string") return ofPage(200, entryPage(texts));
  const at = momentOf(ctx, on);
  const trimmed = code.trim();
  const { offer, refusal } = readCode(ctx, trimmed, at);
  if (!offer) return ofPage(422, entryPage(texts, refusal, trimmed));
  return ofPage(200, reviewPage(ctx, texts, { code: trimmed, on: dayAt(at), offer, refusal }));
}

/** Pays what the page has shown; where that is not so any more, it says so and pays nothing. */
function pay(ctx: Context, request: FastifyRequest): Answer {
  const texts = textsFor(request.headers["accept-language"]);
  const { code, on, amount } = (request.body ?? {}) as Asked;
  if (typeof code !== "string") return ofPage(422, entryPage(texts, "unreadable"));
  const at = momentOf(ctx, on);
  const { offer, refusal } = readCode(ctx, code, at);
  if (!offer) return ofPage(422, entryPage(texts, refusal, code));
  const amountCentavos = offer.amountCentavos ?? readAmount(String(amount ?? ""));
  if (refusal || amountCentavos === null) {
    const isBadAmount = !refusal;
    return ofPage(422, reviewPage(ctx, texts, { code, on: dayAt(at), offer, refusal, isBadAmount }));
  }
  const { txid, composition } = offer;
  const pix = receivePix(ctx, {
    amountCentavos,
    ...(txid !== undefined && { txid }),
    ...(composition && { composition }),
    cause: "bank",
  });
  return { status: 303, headers: { ...HEADERS, location: `/bank/paid/${pix.endToEndId}` } };
}

/** "12", "12.3" or "12,34" as centavos; null: it is no amount, or nothing. */
function readAmount(text: string): number | null {
  const [, whole, part = ""] = /^(\d{1,10})(?:[.,](\d{1,2}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return null;
  const centavos = Number(whole) * 100 + Number(part.padEnd(2, "0"));
  return centavos > 0 && centavos <= MAX_CENTAVOS ? centavos : null;
}
