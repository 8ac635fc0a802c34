import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError } from "./errors.ts";
import type { PublicRoutes } from "./scopes/public.ts";

const Health = Type.Object({ status: Type.String() });

/** `GET /healthz` (the process runs) and `GET /readyz` (its database answers, and an institution is usable). */
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

  route({
    method: "GET",
    path: "/readyz",
    operationId: "readReadiness",
    summary: "Whether the database answers and an institution is usable",
    status: 200,
    answer: Health,
    async handle() {
      await ctx.db.query(sql`select 1`).catch(() => {
        throw new ApiError("OVERLOADED", "The database does not answer.", {}, { "retry-after": "1" });
      });
      const usable = (await ctx.psps.all()).some((institution) => institution.status === "active");
      if (!usable) throw new ApiError("OVERLOADED", "No institution is usable.", {}, { "retry-after": "1" });
      return { status: "ready" };
    },
  });
}
