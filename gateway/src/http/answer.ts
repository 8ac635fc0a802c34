import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Answer } from "./idempotency.ts";
import { inTurns, type Pieces, type Turns } from "./turns.ts";
import type { Reader } from "./unread.ts";

/** An answer that is text already: the bytes that an Idempotency-Key stores are sent unchanged. */
export class Answered {
  readonly answer: Answer;
  /** True for the stored answer of an earlier call. */
  readonly replayed: boolean;
  readonly headers: Readonly<Record<string, string>>;
  constructor(answer: Answer, replayed: boolean, headers: Readonly<Record<string, string>> = {}) {
    this.answer = answer;
    this.replayed = replayed;
    this.headers = headers;
  }
}

/**
 * An answer in a media type of its own. Its pieces are made while it is sent, no faster than its client reads, taking turns
 * with other such answers.
 */
export class Raw {
  readonly contentType: string;
  readonly body: Readable | Pieces | Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
  /** HTTP status; null: the route's own. */
  readonly status: number | null;
  constructor(
    contentType: string,
    body: Raw["body"],
    headers: Readonly<Record<string, string>> = {},
    status: number | null = null,
  ) {
    this.contentType = contentType;
    this.body = body;
    this.headers = headers;
    this.status = status;
  }
}

const isMade = (body: Raw["body"]): body is Pieces =>
  typeof body !== "string" && !(body instanceof Buffer) && !(body instanceof Readable);

/** An answer that leads on to another address, which the browser then reads (303). */
export class Redirect {
  readonly location: string;
  readonly headers: Readonly<Record<string, string>>;
  constructor(location: string, headers: Readonly<Record<string, string>> = {}) {
    this.location = location;
    this.headers = headers;
  }
}

/** Sends what a handler returned. A plain value is serialised by the schema of its status. */
export function send(
  reply: FastifyReply,
  status: number,
  result: unknown,
  turns: Turns,
  reader: Reader | undefined,
): FastifyReply {
  if (result instanceof Raw) {
    const { body, contentType, headers } = result;
    const sent = isMade(body) ? Readable.from(inTurns(turns, `${reader?.pool} ${reader?.name}`, body)) : body;
    return reply
      .code(result.status ?? status)
      .headers(headers)
      .type(contentType)
      .send(sent);
  }
  if (result instanceof Redirect) {
    return reply.code(303).headers(result.headers).header("location", result.location).send();
  }
  if (!(result instanceof Answered)) return reply.code(status).send(result);
  if (result.replayed) reply.header("idempotent-replayed", "true");
  // A string is sent as it is, without a second serialisation.
  return reply
    .code(result.answer.status)
    .headers(result.headers)
    .header("content-type", "application/json; charset=utf-8")
    .serializer(asIs)
    .send(result.answer.body);
}

const asIs = (payload: unknown): string => payload as string;
