import type { FastifyRequest } from "fastify";
import type { Context } from "../../context.ts";
import { requirePermission } from "../auth.ts";
import { requireRole } from "../roles.ts";
import type { AddRoute, Scope } from "../scope.ts";
import { operatorOf, requireEnrolled, type Session, type Sessions } from "../session.ts";
import { resolveWallet } from "../wallet.ts";

/** Whose changes a stream reports: a wallet's, or the installation's. */
type LiveRules = { readonly of: "wallet" | "installation" };
type LiveGiven = {
  readonly session: Session;
  /** Null: the installation. */
  readonly wallet: { readonly accountId: string; readonly walletId: string } | null;
  /** The last event that the browser saw; null at its first connection. */
  readonly lastId: string | null;
};
/** Adds a stream of server-sent events. */
export type LiveRoutes = AddRoute<LiveRules, LiveGiven>;

/**
 * Streams for the console's pages. Only a person's session may open one; programs have webhooks. A stream is open for
 * hours, so it takes no slot of waiting calls, and no document shows it.
 */
export const liveScope = (ctx: Context, sessions: Sessions): Scope<LiveRules, LiveGiven> => ({
  name: "live",
  async admit(request, reply, { of }) {
    // A page reopens its stream by itself, so that does not count as use of the session.
    const session = await sessions.authenticate(request, reply, false);
    requireEnrolled(session);
    const lastId = lastIdOf(request);
    if (of === "installation") {
      requireRole(operatorOf(session), "support", "GET");
      return { session, wallet: null, lastId };
    }
    const caller = await sessions.callerOf(session, request);
    requirePermission(caller, "WEBHOOK:READ");
    // An EventSource cannot set headers, so the wallet is in the query.
    const { subAccount } = request.query as { subAccount?: string };
    const { walletId } = await resolveWallet(ctx, caller, subAccount);
    return { session, wallet: { accountId: caller.accountId, walletId }, lastId };
  },
  describe: ({ of }) => ({
    needs: of === "wallet" ? "WEBHOOK:READ" : "support",
    hidden: true,
    exactQuery: true,
    limited: false,
  }),
});

function lastIdOf({ headers }: FastifyRequest): string | null {
  const id = headers["last-event-id"];
  return typeof id === "string" && id !== "" ? id : null;
}
