import type { FastifyReply, FastifyRequest } from "fastify";
import { type TSchema, Type } from "typebox";
import type { Context } from "../../context.ts";
import { isTransient, levelOf } from "../../db/pool.ts";
import { isLoopbackAddress, isLoopbackHost } from "../../lib/public-addresses.ts";
import { ApiError, type ErrorCode } from "../errors.ts";
import { clientAddress, networkOf, siteOf } from "../ip.ts";
import type { DocumentInfo } from "../openapi.ts";
import type { RateLimits } from "../rate-limit.ts";
import type { AddRoute, Scope } from "../scope.ts";
import { ownOrigins, requireOwnOrigin } from "../session.ts";

/** What a payer's route states beyond every route's properties. */
type PayerRules = {
  /** The answer is a page for a person, and so are its errors. */
  readonly page?: true;
  /** Pages of other sites may read the answer: the token in the path is all that it takes, and no cookie goes with it. */
  readonly shared?: true;
  /** The answer is an open stream, which takes no slot of waiting calls. */
  readonly stream?: true;
};

/** Where the visitor comes from, and which languages they read. */
type PayerGiven = {
  readonly network: string;
  /** The visitor's site: wider than the network in IPv6 (`siteOf` of http/ip.ts). */
  readonly site: string;
  readonly languages: string | undefined;
  /** The request comes from this machine, names it as its host, and was passed on by nobody. */
  readonly onThisMachine: boolean;
  /** The request is a HEAD, which must not open a stream. */
  readonly headOnly: boolean;
  readonly isStream: boolean;
  /** The call waits for an institution, so it takes a slot of that kind. */
  readonly isOutside: boolean;
};
/** Adds a route below `/pay`. */
export type PayerRoutes = AddRoute<PayerRules, PayerGiven>;

/** The pages for errors, in the visitor's language, and the headers of every page. */
export type PayerPages = {
  readonly headers: Readonly<Record<string, string>>;
  ofError(status: number, languages: string | undefined): string;
};

/**
 * Headers of every answer: no cache stores it, no search engine lists it, no frame shows it, and no other site learns its
 * address, which is a secret.
 */
const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow, noarchive",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Headers of answers that pages of other sites may read through `<pixgate-checkout>`. */
const SHARED = { "access-control-allow-origin": "*" };

/**
 * Payers, who have no account here: the token in the path is all that they show. They are counted by address. A wrong token
 * gets the same 404 whatever is wrong with it.
 */
export const payerScope = (
  ctx: Pick<Context, "config" | "admission">,
  limits: RateLimits,
  pages: PayerPages,
): Scope<PayerRules, PayerGiven> => ({
  name: "payer",
  admit(request, reply, { stream = false, waitsOutside = false, shared = false }) {
    reply.headers(HEADERS);
    // Before any refusal, because such a page must be able to read a refusal too.
    if (shared) reply.headers(SHARED);
    limits.countPayer(request, reply);
    // Otherwise another site could make its visitors ask for charges.
    requireOwnOrigin(request, ownOrigins(ctx.config));
    const address = clientAddress(request, ctx.config.trustedProxies);
    const headOnly = request.method === "HEAD";
    return {
      network: networkOf(address),
      site: siteOf(address),
      languages: request.headers["accept-language"],
      onThisMachine: isLoopbackAddress(address) && isDirect(request),
      headOnly,
      isStream: stream,
      isOutside: waitsOutside,
    };
  },
  strangers: () => true,
  enter: ({ network, isStream, isOutside }) => (isStream ? undefined : ctx.admission.enter(network, isOutside)),
  // A stream holds some hundred bytes, and has limits of its own.
  readerOf: ({ network, isStream }) => (isStream ? undefined : { pool: "payers", name: network }),
  answerError(error, request, reply) {
    if (!isPage(request)) throw error;
    const status = statusOf(error);
    if (status === 500) request.log[levelOf(error)]({ err: error }, "a payer's page failed");
    if (error instanceof ApiError) reply.headers(error.headers);
    answerPage(reply, status, pages, request.headers["accept-language"]);
  },
  describe: (route) => ({
    needs: null,
    errors: route.page ? [] : ERRORS_OF_PAYERS,
    ...(route.page && { answers: ERROR_PAGES }),
    tags: ["Page of a charge"],
    security: [],
    limited: true,
  }),
});

/** Whether a request names this machine itself, and nobody has passed it on: a tunnel ends here too. */
function isDirect({ host, headers }: FastifyRequest): boolean {
  const url = URL.parse(`http://${host}`);
  const passedOn = headers["x-forwarded-for"] ?? headers.forwarded ?? headers.via;
  return url !== null && isLoopbackHost(url) && passedOn === undefined;
}

/** Answers a request for a page below `/pay` that does not exist, in the same way as one with a wrong token. */
export function answerNoPage(pages: PayerPages, error: Error, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(HEADERS);
  if (!(error instanceof ApiError) || error.code !== "ROUTE_NOT_FOUND") throw error;
  answerPage(reply, 404, pages, request.headers["accept-language"]);
}

/** Judged by the path: a request that is refused while the gateway stops is not admitted before. */
const isPage = ({ routeOptions }: FastifyRequest): boolean =>
  /\/:token(\/return|\/receipt\.pdf)?$/.test(routeOptions.url ?? "");

/** The status of a page's error: not found, too many requests, a fault of ours, or try again later. */
function statusOf(error: Error & { readonly statusCode?: number }): 404 | 429 | 500 | 503 {
  const status = error instanceof ApiError ? error.status : isTransient(error) ? 503 : (error.statusCode ?? 500);
  if (status === 429 || status === 503) return status;
  // No bank accepted the charge, which the interface answers with a retryable 500. On a page it is a 503: try again later.
  if (error instanceof ApiError && status === 500 && error.details.retryable === true) return 503;
  return status < 500 ? 404 : 500;
}

function answerPage(reply: FastifyReply, status: number, pages: PayerPages, languages: string | undefined): void {
  reply
    .code(status)
    .headers(pages.headers)
    .type("text/html; charset=utf-8")
    .serializer((payload: unknown) => payload as string)
    .send(pages.ofError(status, languages));
}

const errorPage = (description: string): TSchema => {
  const content = { "text/html": { schema: Type.String({ description: "A page in the visitor's language." }) } };
  return { description, content } as unknown as TSchema;
};
const ERROR_PAGES = {
  404: errorPage("There is no such page."),
  429: errorPage("Too many visits from this address; try again after `Retry-After` seconds."),
  500: errorPage("Something unexpected happened; the `X-Request-Id` header finds it in the log."),
  503: errorPage("The gateway cannot answer now; try again after `Retry-After` seconds."),
};

const ERRORS_OF_PAYERS: readonly ErrorCode[] = [
  ...["VALIDATION_ERROR" as const, "RESOURCE_NOT_FOUND" as const, "RATE_LIMITED" as const],
  ...["INTERNAL_ERROR" as const, "OVERLOADED" as const, "DATABASE_UNAVAILABLE" as const],
];

/** The general texts of the payers' reference. */
export const PAYER_DOCUMENT: DocumentInfo = {
  prefix: "/pay/",
  title: "Pixgate, payers",
  description: `The page that somebody who pays a charge sees, and what it reads. \`checkout.js\` makes \`<pixgate-checkout>\`, by which a page of another site shows it.

Nobody authenticates here: the token in the path, which \`checkoutUrl\` of a charge contains, is all that is needed and cannot be
guessed. Calls are counted by client address. A wrong token gets the same 404 whatever is wrong with it.`,
  tags: [{ name: "Page of a charge", description: "What the payer of a charge sees." }],
  security: {},
};
