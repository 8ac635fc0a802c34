import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { joinCalls } from "../lib/join-calls.ts";
import { ApiError } from "./errors.ts";
import type { PublicRoutes } from "./scopes/public.ts";

const Health = Type.Object({ status: Type.String() });

/** `GET /healthz` (the process runs) and `GET /readyz` (its database answers, and an institution too, where there is one). */
export function healthRoutes(route: PublicRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/healthz",
    operationId: "readHealth",
    summary: "Whether the process runs",
    status: 200,
    answer: Health,
    handle: async () => ({ status: "ok" }),
  });

  const check = joinCalls(async () => {
    await ctx.readiness.query(sql`select 1`).catch(() => {
      throw new ApiError("OVERLOADED", "The database does not answer.", {}, { "retry-after": "1" });
    });
    const active = (await ctx.psps.all()).filter((institution) => institution.status === "active");
    if (active.length > 0 && active.every(({ health }) => health.state === "down")) {
      throw new ApiError("OVERLOADED", "No institution answers.", {}, { "retry-after": "1" });
    }
    return { status: "ready" };
  });
  route({
    method: "GET",
    path: "/readyz",
    operationId: "readReadiness",
    summary: "Whether the database answers, and an institution is up",
    description:
      "An installation without any institution is ready too: the operator API, which makes the first one, must be reachable.",
    status: 200,
    answer: Health,
    handle: check,
  });
}
