import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Exact } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import { IF_CONFIRMABLE } from "../http/fresh.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import { checkSignIn, GivenPassword, requireOpen, SECOND_FACTOR } from "./check-password.ts";
import { takePlace } from "./hash-queue.ts";
import { holdSession } from "./hold-session.ts";
import { auditPerson } from "./notices/note.ts";
import { hashPassword } from "./password.ts";
import { SignedIn, showOpened } from "./session-routes.ts";
import { openSession } from "./sign-in.ts";

/** NIST SP 800-63B asks for eight where there is a second factor, and fifteen where there is none. */
const NewPassword = Type.String({ minLength: 15, maxLength: 200 });

/** Signing in by password, and choosing one. */
export function passwordRoutes(route: SessionRoutes, ctx: Context, houseId: string): void {
  route({
    method: "POST",
    path: "/session/password",
    operationId: "signInByPassword",
    work: "hash",
    audits: ["person.sign-in"],
    summary: "Sign in by e-mail address and password",
    who: "anybody",
    body: Exact({ email: Type.String({ minLength: 1, maxLength: 254 }), password: GivenPassword, ...SECOND_FACTOR }),
    answer: SignedIn,
    async handle({ body, request, setCookie }) {
      const by = await checkSignIn(ctx, request, houseId, body);
      const token = await ctx.db.transaction((tx) => openSession(ctx, tx, request, houseId, by));
      return showOpened(ctx, { request, setCookie }, token);
    },
  });

  route({
    method: "POST",
    path: "/me/password",
    operationId: "setPassword",
    work: "hash",
    audits: ["person.password"],
    summary: "Choose a password; the person's other sessions end",
    who: "newcomer",
    fresh: IF_CONFIRMABLE,
    body: Exact({ password: NewPassword }),
    status: 204,
    async handle({ body, session }) {
      const { actor, email, personId, sessionId } = session!;
      const now = ctx.clock.date();
      requireOpen(ctx.config);
      if (email === null) throw invalid("password", "needs an e-mail address, which the first link's person has not");
      const place = takePlace({ network: "", known: `session ${sessionId}` });
      const hash = await place.turn(() => hashPassword(houseId, email, body.password)).finally(place.leave);
      await ctx.db.transaction(async (tx) => {
        await holdSession(tx, session!);
        await tx.query(sql`update people set password_hash = ${hash} where person_id = ${personId}`);
        await tx.query(sql`
          update sessions set ended_at = ${now}
          where person_id = ${personId} and session_id <> ${sessionId} and ended_at is null`);
        const by = { ...ctx, operator: { name: actor } };
        await auditPerson(by, tx, { accountId: houseId, action: "person.password", personId, after: {} });
      });
      return null;
    },
  });
}
