import { Type } from "typebox";
import type { Context } from "../context.ts";
import { OrNull, PathId } from "../http/contract.ts";
import { ApiError, notFound } from "../http/errors.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import { operatorOf, type Session } from "../http/session.ts";
import { simulatorUnavailable } from "./unavailable.ts";

const Params = Type.Object({ id: PathId("institution", "Id of the institution.") });
const Answer = Type.Object({
  down: OrNull(Type.Boolean(), "Whether the simulated bank is down; null: it is no simulated one."),
});
const NOT_FRESH = { not: "it plays a bank of the sandbox" };

/**
 * `/console/api/institutions/{id}/outage`: takes a simulated bank down and brings it back, so that an operator can practise a
 * night. Not registered in production.
 */
export function outageRoutes(route: SessionRoutes, ctx: Context): void {
  const find = async (id: string) => {
    const found = await ctx.psps.find(id);
    if (found === null) throw notFound("institution", id);
    return found.psp.sandbox;
  };
  const set = async (session: Session, id: string, to: boolean) => {
    requireAdmin(session);
    const sandbox = await find(id);
    if (!sandbox) throw notFound("simulated bank", id);
    const changed = await sandbox.outage(to);
    if (changed.kind !== "accepted") throw simulatorUnavailable(changed);
    return { down: changed.value };
  };

  route({
    method: "GET",
    path: "/institutions/:id/outage",
    operationId: "readOutage",
    work: "outside",
    summary: "Whether a simulated bank is down",
    who: "person",
    params: Params,
    answer: Answer,
    async handle({ session, params }) {
      operatorOf(session!);
      const read = await (await find(params.id))?.outage();
      if (read === undefined) return { down: null };
      if (read.kind !== "accepted") throw simulatorUnavailable(read);
      return { down: read.value };
    },
  });

  route({
    method: "POST",
    path: "/institutions/:id/outage",
    operationId: "startOutage",
    work: "outside",
    audits: [],
    summary: "Take a simulated bank down: it answers every call with 503",
    who: "person",
    fresh: NOT_FRESH,
    params: Params,
    answer: Answer,
    handle: ({ session, params }) => set(session!, params.id, true),
  });

  route({
    method: "DELETE",
    path: "/institutions/:id/outage",
    operationId: "endOutage",
    work: "outside",
    audits: [],
    summary: "Bring a simulated bank back",
    who: "person",
    fresh: NOT_FRESH,
    params: Params,
    answer: Answer,
    handle: ({ session, params }) => set(session!, params.id, false),
  });
}

function requireAdmin(session: Session): void {
  const { role } = operatorOf(session);
  if (role !== "admin") {
    throw new ApiError("PERMISSION_DENIED", "This call needs the role `admin` in the installation.", {
      required: "admin",
    });
  }
}
