import { type Static, Type } from "typebox";
import { type Caller, requirePermission } from "../http/auth.ts";
import { Exact, OrNull } from "../http/contract.ts";
import { ApiError } from "../http/errors.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import type { Sessions } from "../http/session.ts";
import { MOST_MINUTES, MOST_PER_MINUTE, type Traffic } from "./traffic.ts";

const When = Type.String({ format: "date-time" });
const Count = Type.Integer({ minimum: 0 });
const Run = Type.Object({
  minutes: Type.Integer(),
  perMinute: Type.Integer(),
  startedAt: When,
  endsAt: When,
  done: Type.Object({
    charges: Count,
    payments: Count,
    withdrawals: Count,
    refunds: Count,
    contests: Count,
    endpoints: Count,
    refused: Count,
  }),
});
const Answer = Type.Object({ running: OrNull(Run) });

/**
 * `/console/api/traffic`: fills an empty sandbox with activity. The account is named as in `/v2`, by `X-Pixgate-Account`.
 * Not registered in production.
 */
export function trafficRoutes(route: SessionRoutes, sessions: Sessions, traffic: Traffic): void {
  const show = ({ accountId }: Caller): Static<typeof Answer> => {
    const run = traffic.of(accountId);
    if (run === null) return { running: null };
    const { minutes, perMinute, startedAt, endsAt, done } = run;
    return { running: { minutes, perMinute, startedAt: startedAt.toISOString(), endsAt: endsAt.toISOString(), done } };
  };

  route({
    method: "POST",
    path: "/traffic",
    operationId: "startTraffic",
    work: "outside",
    audits: ["credential.create"],
    summary: "Let the simulator's payers pay charges for some minutes",
    description: "Ends a run of the account that goes on already.",
    who: "person",
    fresh: true,
    body: Exact({
      minutes: Type.Integer({ minimum: 1, maximum: MOST_MINUTES }),
      perMinute: Type.Integer({ minimum: 1, maximum: MOST_PER_MINUTE }),
    }),
    answer: Answer,
    async handle({ session, request, body }) {
      const caller = await sessions.callerOf(session!, request);
      requirePermission(caller, "PIX:WRITE");
      // Its acts include withdrawals and refunds.
      if (caller.accountStatus === "suspended") throw new ApiError("ACCOUNT_SUSPENDED");
      await traffic.start(caller, session!.actor, body);
      return show(caller);
    },
  });

  route({
    method: "GET",
    path: "/traffic",
    operationId: "readTraffic",
    work: "none",
    summary: "Whether traffic is being made, and what it came to",
    who: "person",
    answer: Answer,
    async handle({ session, request }) {
      const caller = await sessions.callerOf(session!, request);
      requirePermission(caller, "TRANSACTION:READ");
      return show(caller);
    },
  });

  route({
    method: "DELETE",
    path: "/traffic",
    operationId: "endTraffic",
    audits: ["credential.revoke"],
    summary: "End the traffic now",
    who: "person",
    fresh: { not: "it ends what runs" },
    status: 204,
    async handle({ session, request }) {
      const caller = await sessions.callerOf(session!, request);
      requirePermission(caller, "PIX:WRITE");
      await traffic.end(caller.accountId);
      return null;
    },
  });
}
