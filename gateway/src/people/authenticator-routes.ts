import { Type } from "typebox";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { Exact, OrNull } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import type { Fresh } from "../http/fresh.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import type { Session } from "../http/session.ts";
import { qrDataUri } from "../lib/qr.ts";
import { authenticatorSince, confirmAuthenticator, dropAuthenticator, enrolAuthenticator } from "./authenticator.ts";
import { countCode } from "./guesses.ts";
import { holdSession } from "./hold-session.ts";
import { auditPerson, type Noticed } from "./notices/note.ts";
import { countRecoveryCodes, dropRecoveryCodes, replaceRecoveryCodes } from "./recovery-codes.ts";
import { SignedIn, showOpened } from "./session-routes.ts";
import { renewSession } from "./sign-in.ts";

/** Where production requires a second factor, a person without one can do nothing else. */
const UNLESS_SET_UP: Fresh = {
  when: "the person has a second factor, or needs none",
  asks: (_body, { hasAuthenticator, missing }) => hasAuthenticator || missing.length === 0,
};

const RecoveryCodes = Type.Array(Type.String());

/** `/me/totp`: a person's authenticator app, and the recovery codes that replace it. */
export function authenticatorRoutes(route: SessionRoutes, ctx: Context, houseId: string): void {
  const note = (tx: Tx, { actor, personId }: Session, action: Noticed) =>
    auditPerson({ ...ctx, operator: { name: actor } }, tx, { accountId: houseId, action, personId, after: {} });

  route({
    method: "GET",
    path: "/me/totp",
    operationId: "readAuthenticator",
    work: "row",
    summary: "Whether one has an authenticator, and how many recovery codes are left",
    who: "newcomer",
    answer: Type.Object({
      since: OrNull(Type.String({ format: "date-time" })),
      required: Type.Boolean(),
      recoveryCodesLeft: Type.Integer(),
    }),
    async handle({ session }) {
      const since = await authenticatorSince(ctx.db, session!.personId);
      return {
        since: since?.toISOString() ?? null,
        required: ctx.config.environment === "production",
        recoveryCodesLeft: await countRecoveryCodes(ctx.db, session!.personId),
      };
    },
  });

  route({
    method: "POST",
    path: "/me/totp",
    operationId: "enrolAuthenticator",
    audits: [],
    summary: "Make a secret for an authenticator app, shown once; it counts from its first code on",
    who: "newcomer",
    fresh: UNLESS_SET_UP,
    body: Exact({}),
    answer: Type.Object({ secret: Type.String(), uri: Type.String(), qrCode: Type.String() }),
    async handle({ session }) {
      const { email, personId, hasPassword } = session!;
      if (email === null || !hasPassword)
        throw invalid("password", "is what an authenticator adds to: choose one first");
      const { secret, uri } = await enrolAuthenticator(ctx, { personId, email });
      return { secret, uri, qrCode: qrDataUri(uri) };
    },
  });

  route({
    method: "POST",
    path: "/me/totp/confirm",
    operationId: "confirmAuthenticator",
    audits: ["person.authenticator"],
    summary: "Take the new authenticator into use by its first code; the person's other sessions end",
    who: "newcomer",
    fresh: UNLESS_SET_UP,
    body: Exact({ code: Type.String({ minLength: 1, maxLength: 10 }) }),
    answer: Type.Object({ recoveryCodes: RecoveryCodes, session: SignedIn }),
    async handle({ body, session, request, setCookie }) {
      const { personId, sessionId } = session!;
      const now = ctx.clock.date();
      const takeBack = await countCode(ctx, personId, { known: `session ${sessionId}` });
      const { recoveryCodes, token } = await ctx.db.transaction(async (tx) => {
        await holdSession(tx, session!);
        await confirmAuthenticator(ctx, tx, personId, body.code);
        await note(tx, session!, "person.authenticator");
        await tx.query(sql`
          update sessions set ended_at = ${now}
          where person_id = ${personId} and session_id <> ${sessionId} and ended_at is null`);
        const codes = await replaceRecoveryCodes(ctx, tx, personId);
        return { recoveryCodes: codes, token: await renewSession(ctx, tx, sessionId, personId) };
      });
      await takeBack();
      return { recoveryCodes, session: await showOpened(ctx, { request, setCookie }, token) };
    },
  });

  route({
    method: "POST",
    path: "/me/recovery-codes",
    operationId: "replaceRecoveryCodes",
    audits: ["person.recovery-codes"],
    summary: "Make new recovery codes, shown once; those before work no more",
    who: "person",
    fresh: true,
    body: Exact({}),
    answer: Type.Object({ recoveryCodes: RecoveryCodes }),
    async handle({ session }) {
      if (!session!.hasAuthenticator)
        throw invalid("authenticator", "is what recovery codes stand in for: set one up first");
      const recoveryCodes = await ctx.db.transaction(async (tx) => {
        await holdSession(tx, session!);
        await note(tx, session!, "person.recovery-codes");
        return replaceRecoveryCodes(ctx, tx, session!.personId);
      });
      return { recoveryCodes };
    },
  });

  route({
    method: "DELETE",
    path: "/me/totp",
    operationId: "removeAuthenticator",
    audits: ["person.authenticator-removed"],
    summary: "Sign in by password alone again; not in production",
    who: "person",
    fresh: true,
    status: 204,
    async handle({ session }) {
      if (ctx.config.environment === "production") throw invalid("authenticator", "is needed in production");
      await ctx.db.transaction(async (tx) => {
        await holdSession(tx, session!);
        await note(tx, session!, "person.authenticator-removed");
        await dropAuthenticator(tx, session!.personId);
        await dropRecoveryCodes(tx, session!.personId, ctx.clock.date());
      });
      return null;
    },
  });
}
