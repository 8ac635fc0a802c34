import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { LIMITS } from "../../lib/limits.ts";
import { OrNull } from "../contract.ts";
import { invalid } from "../errors.ts";
import { clientAddress } from "../ip.ts";
import { PAGE } from "../pages.ts";
import type { SessionRoutes } from "../scopes/session.ts";

/** The routes that a round may read: those that Home shows, and the calls of programs. Each answers quickly, with a page at most. */
export const READS: ReadonlySet<string> = new Set([
  "/v2/account",
  "/v2/account/summary",
  "/v2/balance-blocks",
  "/v2/requests",
  "/v2/transactions",
  "/v2/webhook-deliveries",
  "/v2/withdrawals",
]);
/** Headers of the round that say who asks, and about which account and wallet: its calls have the same. */
const SHARED = ["cookie", "host", "traceparent", "x-pixgate-account", "x-pixgate-background", "x-sub-account"] as const;
type App = Pick<FastifyInstance, "inject">;

const Answer = Type.Object({
  status: Type.Integer(),
  traceId: Type.String(),
  retryAfter: OrNull(Type.String()),
  /**
   * The body that the call itself would have. Empty, with status 503, where the round has no bytes left for it: then the page
   * makes the call by itself.
   */
  body: Type.String(),
});
/** In the order of the calls. */
const Answers = Type.Object({ answers: Type.Array(Answer) });

/**
 * `/console/api/round?calls=["/v2/account",…]`: several reads of a screen in one request. Each is a call of its own with the
 * session, account and wallet of the round: it is authenticated, permitted, limited, counted and logged as if the browser had
 * sent it, and its answer is the same, a refusal too. So a round shows nothing that its caller cannot read. All answers wait
 * for the slowest one, so together they may have `LIMITS.roundAnswerBytes`, which count as unread (http/unread.ts) from the
 * beginning.
 */
export function roundRoute(
  route: SessionRoutes,
  { config, unread }: Pick<Context, "config" | "unread">,
  app: App,
): void {
  route({
    method: "GET",
    path: "/round",
    operationId: "readRound",
    work: "round",
    summary: "What a screen shows, in one round",
    who: "person",
    query: Type.Object({ calls: Type.String({ minLength: 2, maxLength: LIMITS.roundBytes }) }),
    answer: Answers,
    async handle({ request, session, query: { calls } }) {
      const urls = readCalls(calls);
      const release = unread.hold({ pool: "merchants", name: session!.personId }, LIMITS.roundAnswerBytes);
      let room: number = LIMITS.roundAnswerBytes;
      // The client's address, as a proxy in front has proven it: the calls need no further proof.
      const remoteAddress = clientAddress(request, config.trustedProxies);
      const read = async (url: string) => {
        const { bytes, ...answer } = await callAs(app, request, remoteAddress, url);
        if (bytes > room) return { ...answer, status: 503, retryAfter: "1", body: "" };
        room -= bytes;
        return answer;
      };
      try {
        return { answers: await Promise.all(urls.map(read)) };
      } finally {
        release();
      }
    },
  });
}

/** The addresses of the calls; throws where a round does not read one of them. */
function readCalls(text: string): readonly string[] {
  let calls: unknown;
  try {
    calls = JSON.parse(text);
  } catch {
    throw invalid("calls", "is not JSON");
  }
  if (!Array.isArray(calls) || calls.length === 0 || calls.length > LIMITS.roundCalls) {
    throw invalid("calls", `must be a list of 1 to ${LIMITS.roundCalls} addresses`);
  }
  return calls.map((call: unknown, n) => {
    if (typeof call !== "string" || !READS.has(call.split("?", 1)[0]!)) {
      throw invalid(`calls[${n}]`, "is not read in a round");
    }
    // As the call's own router reads it: without what follows a #.
    const limits = new URL(call, "http://round").searchParams.getAll("limit");
    if (limits.some((limit) => Number(limit) > PAGE.standard)) {
      throw invalid(`calls[${n}]`, `must have a limit of at most ${PAGE.standard}`);
    }
    return call;
  });
}

/** Makes one of the calls as the sender of the round. */
async function callAs(app: App, { headers }: FastifyRequest, remoteAddress: string, url: string) {
  const shared = SHARED.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]));
  const answer = await app.inject({
    method: "GET",
    url,
    remoteAddress,
    headers: { ...Object.fromEntries(shared), accept: "application/json" },
  });
  const retryAfter = answer.headers["retry-after"];
  return {
    status: answer.statusCode,
    traceId: String(answer.headers["x-request-id"]),
    retryAfter: retryAfter === undefined ? null : String(retryAfter),
    body: answer.payload,
    bytes: answer.rawPayload.length,
  };
}
