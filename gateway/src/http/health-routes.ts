import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "./errors.ts";
import { joinCalls } from "./join-calls.ts";
import type { PublicRoutes } from "./scopes/public.ts";

const Health = Type.Object({ status: Type.String() });

/**
 * `GET /healthz` (the process runs) and `GET /readyz` (it can do its work). An institution that is down does not make a
 * process unready: every process sees the same, and reads, sign-ins and brakes work without it.
 *
 * @param isPrepared whether the start has finished what callers need; in a sandbox its institution, its account and
 * sandbox.json.
 */
export function healthRoutes(route: PublicRoutes, ctx: Context, isPrepared: () => boolean): void {
  route({
    method: "GET",
    path: "/healthz",
    operationId: "readHealth",
    work: "none",
    summary: "Whether the process runs",
    answer: Health,
    handle: async () => ({ status: "ok" }),
  });

  const check = joinCalls(async () => {
    await ctx.readiness.query(sql`select 1`).catch(() => {
      throw notReady("The database does not answer.");
    });
    if (!ctx.clockCheck.isRight()) throw notReady(wrongClock(ctx.clockCheck.offset));
    if (!isPrepared()) throw notReady("The sandbox is not prepared yet.");
    return { status: "ready" };
  });
  route({
    method: "GET",
    work: "probe",
    path: "/readyz",
    operationId: "readReadiness",
    summary: "Whether the process can do its work: its database answers, and their clocks agree",
    description: "Institutions do not count: their health is in `/metrics`, `GET /operator/v1/institutions` and cases.",
    answer: Health,
    handle: check,
  });
}

const notReady = (message: string): ApiError => new ApiError("OVERLOADED", message, {}, { "retry-after": "1" });

function wrongClock(offset: number): string {
  const seconds = Math.round(Math.abs(offset) / 1_000);
  return `The clock of this process is ${seconds} seconds ${offset < 0 ? "behind" : "ahead of"} the database's.`;
}
