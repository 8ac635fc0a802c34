import { Type } from "typebox";
import { audit } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import { type Fragment, part, sql } from "../db/sql.ts";
import { Exact, OrNull, PathId } from "../http/contract.ts";
import { notFound } from "../http/errors.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import type { Session } from "../http/session.ts";
import { auditPerson } from "./notices/note.ts";
import { actorOf, PersonName } from "./person.ts";
import { type SessionRow, sessions } from "./tables.ts";

const nullableText = OrNull(Type.String());
const When = Type.String({ format: "date-time" });
const OwnSession = Type.Object({
  id: Type.String({ format: "uuid" }),
  browser: nullableText,
  address: nullableText,
  createdAt: When,
  seenAt: When,
  expiresAt: When,
  current: Type.Boolean(),
});

/** What everybody may do about themselves: name, language, and sessions. */
export function ownRoutes(route: SessionRoutes, ctx: Context, houseId: string): void {
  route({
    method: "PATCH",
    path: "/me",
    operationId: "changeMe",
    audits: ["person.rename"],
    summary: "Change the own name or language",
    who: "newcomer",
    fresh: { not: "a name and a language change no right" },
    body: Exact({
      name: Type.Optional(PersonName),
      language: Type.Optional(Type.Enum(["pt-BR", "en"], { type: "string" })),
    }),
    status: 204,
    async handle({ session, body: { name = null, language = null } }) {
      const { personId } = session!;
      await ctx.db.transaction(async (tx) => {
        const { rows } = await tx.query<{ name: string; email: string | null }>(sql`
          select name, email from people where person_id = ${personId} for no key update`);
        const was = rows[0]!;
        await tx.query(sql`
          update people set name = coalesce(${name}, name), language = coalesce(${language}, language)
          where person_id = ${personId}`);
        if (name === null || name === was.name) return;
        // Recorded under the name until now. Entries before and after it have different names and the same e-mail address.
        const by = { ...ctx, operator: { name: actorOf({ personId, ...was }) } };
        await audit(by, tx, houseId, "person.rename", personId, { name: was.name }, { name });
      });
      return null;
    },
  });

  route({
    method: "GET",
    path: "/sessions",
    operationId: "listSessions",
    work: "few",
    summary: "Where one is signed in",
    who: "person",
    answer: Type.Object({ items: Type.Array(OwnSession) }),
    async handle({ session }) {
      const now = ctx.clock.date();
      const { rows } = await ctx.db.query<SessionRow>(sql`
        select ${sessions.select()} from sessions
        where person_id = ${session!.personId} and ended_at is null and expires_at > ${now}
          and seen_at > ${new Date(now.getTime() - ctx.config.session.idle)}
        order by created_at desc, session_id limit 100`);
      return {
        items: rows.map((row) => ({
          ...{ id: row.sessionId, browser: row.browser, address: row.address },
          ...{ createdAt: row.createdAt.toISOString(), seenAt: row.seenAt.toISOString() },
          ...{ expiresAt: row.expiresAt.toISOString(), current: row.sessionId === session!.sessionId },
        })),
      };
    },
  });

  route({
    method: "DELETE",
    path: "/sessions/:id",
    operationId: "endOwnSession",
    audits: ["person.session-ended"],
    summary: "End one of one's own sessions",
    who: "person",
    fresh: { not: "a stranger is signed out at once" },
    params: Type.Object({ id: PathId("session", "Id of the session.") }),
    status: 204,
    async handle({ session, params }) {
      const ended = await endOwn(ctx, houseId, session!, part`session_id = ${params.id}`);
      if (ended === 0) throw notFound("session", params.id);
      return null;
    },
  });

  route({
    method: "DELETE",
    path: "/sessions",
    operationId: "endOtherSessions",
    audits: ["person.session-ended"],
    summary: "End all of one's own sessions but this one",
    who: "newcomer",
    fresh: { not: "a stranger is signed out at once" },
    answer: Type.Object({ ended: Type.Integer() }),
    handle: async ({ session }) => ({
      ended: await endOwn(ctx, houseId, session!, part`session_id <> ${session!.sessionId}`),
    }),
  });
}

/** Ends these sessions of a person, and records it in the audit log. @returns how many there were. */
function endOwn(ctx: Context, houseId: string, { actor, personId }: Session, which: Fragment): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    const { rows } = await tx.query<Pick<SessionRow, "sessionId">>(sql`
      update sessions set ended_at = ${ctx.clock.date()}
      where person_id = ${personId} and ended_at is null and ${which} returning ${sessions.select("", ["sessionId"])}`);
    const sessionIds = rows.map(({ sessionId }) => sessionId);
    const by = { ...ctx, operator: { name: actor } };
    const entry = { accountId: houseId, action: "person.session-ended", personId, after: { sessionIds } } as const;
    if (rows.length > 0) await auditPerson(by, tx, entry);
    return rows.length;
  });
}
