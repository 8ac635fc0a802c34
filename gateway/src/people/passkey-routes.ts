import { Type } from "typebox";
import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { Exact, OrNull, PathId, UniqueName } from "../http/contract.ts";
import { ApiError } from "../http/errors.ts";
import { IF_CONFIRMABLE } from "../http/fresh.ts";
import type { SessionRoutes } from "../http/scopes/session.ts";
import { readSessionCookie, type Session } from "../http/session.ts";
import { LIMITS } from "../lib/limits.ts";
import { challengeMadeAt, makeChallenge, useChallenge } from "./challenge.ts";
import { requireOpen } from "./check-password.ts";
import { holdSession } from "./hold-session.ts";
import { auditPerson, type Noticed } from "./notices/note.ts";
import {
  addPasskey,
  isPasskeyOf,
  knownPasskeys,
  listPasskeys,
  removePasskey,
  renamePasskey,
  usePasskey,
} from "./passkey.ts";
import { relyingPartyOf } from "./relying-party.ts";
import { SignedIn, showOpened } from "./session-routes.ts";
import { openSession, renewSession } from "./sign-in.ts";
import {
  AuthenticationResponse,
  authenticationOptions,
  challengeOf,
  checkRegistration,
  RegistrationResponse,
  registrationOptions,
  WebAuthnOptions,
} from "./webauthn.ts";

const When = Type.String({ format: "date-time" });
const PasskeyShown = Type.Object({
  id: Type.String({ format: "uuid" }),
  name: Type.String(),
  synced: Type.Boolean(),
  createdAt: When,
  lastUsedAt: OrNull(When),
});
const PasskeyName = UniqueName({ pattern: "^[\\p{L}\\p{N}][\\p{L}\\p{N} .,'’()-]{0,59}$" });
const Nothing = Exact({});

/** `/session/passkey`: signing in by a passkey, without an e-mail address. */
export function passkeySignInRoutes(route: SessionRoutes, ctx: Context, houseId: string): void {
  route({
    method: "POST",
    path: "/session/passkey/options",
    operationId: "passkeyOptions",
    audits: [],
    summary: "What a passkey has to sign to sign in",
    who: "anybody",
    body: Nothing,
    answer: WebAuthnOptions,
    async handle({ request }) {
      const party = relyingPartyOf(ctx.config, request);
      const challenge = makeChallenge(ctx, { purpose: "sign-in", sessionId: null });
      return authenticationOptions(party, challenge, [], LIMITS.signInChallenge);
    },
  });

  route({
    method: "POST",
    path: "/session/passkey",
    operationId: "signInByPasskey",
    audits: ["person.sign-in"],
    summary: "Sign in by a passkey",
    who: "anybody",
    body: Exact({ response: AuthenticationResponse }),
    answer: SignedIn,
    async handle({ body, request, setCookie }) {
      const personId = await usePasskey(ctx, request, houseId, body.response, null);
      const by = { personId, proof: isPasskeyOf(personId, body.response), by: "passkey" } as const;
      const token = await ctx.db.transaction((tx) => openSession(ctx, tx, request, houseId, by));
      return showOpened(ctx, { request, setCookie }, token);
    },
  });
}

/** `/me/passkeys`: a person's own passkeys. */
export function passkeyRoutes(route: SessionRoutes, ctx: Context, houseId: string): void {
  const note = (tx: Tx, { actor, personId }: Session, action: Noticed, passkeyId: string) =>
    auditPerson({ ...ctx, operator: { name: actor } }, tx, {
      ...{ accountId: houseId, action, personId, after: { passkeyId } },
    });

  route({
    method: "GET",
    path: "/me/passkeys",
    operationId: "listPasskeys",
    work: "few",
    summary: "One's own passkeys",
    who: "newcomer",
    answer: Type.Object({ items: Type.Array(PasskeyShown) }),
    handle: async ({ session }) => ({ items: await listPasskeys(ctx.db, session!.personId) }),
  });

  route({
    method: "POST",
    path: "/me/passkey-options",
    operationId: "newPasskeyOptions",
    audits: [],
    summary: "What an authenticator needs to make a passkey",
    who: "newcomer",
    fresh: IF_CONFIRMABLE,
    body: Nothing,
    answer: WebAuthnOptions,
    async handle({ session, request }) {
      requireOpen(ctx.config);
      const party = relyingPartyOf(ctx.config, request);
      const challenge = makeChallenge(ctx, { purpose: "register", sessionId: session!.sessionId });
      const passkeys = await knownPasskeys(ctx.db, session!.personId);
      return registrationOptions(party, challenge, session!, passkeys, LIMITS.signInChallenge);
    },
  });

  route({
    method: "POST",
    path: "/me/passkeys",
    operationId: "addPasskey",
    audits: ["person.passkey"],
    summary: "Add a passkey; who had to set up a sign-in first gets a renewed session",
    who: "newcomer",
    fresh: IF_CONFIRMABLE,
    body: Exact({ name: PasskeyName, response: RegistrationResponse }),
    status: 201,
    answer: Type.Object({ id: Type.String({ format: "uuid" }), session: SignedIn }),
    async handle({ body: { name, response }, session, request, setCookie }) {
      const { personId, sessionId } = session!;
      const cookie = readSessionCookie(ctx.config, request.headers);
      const party = relyingPartyOf(ctx.config, request);
      const challenge = challengeOf(response);
      const isAsked =
        challenge !== null && challengeMadeAt(ctx, challenge, { purpose: "register", sessionId }) !== null;
      const made = isAsked ? await checkRegistration(party, challenge, response) : null;
      if (made === null) throw new ApiError("INVALID_CREDENTIALS");
      const { id, token } = await ctx.db.transaction(async (tx) => {
        await holdSession(tx, session!);
        if (!(await useChallenge(ctx, tx, challenge!))) throw new ApiError("INVALID_CREDENTIALS");
        const added = await addPasskey(ctx, tx, personId, name, made);
        await note(tx, session!, "person.passkey", added);
        return {
          id: added,
          token: session!.missing.length > 0 ? await renewSession(ctx, tx, sessionId, personId) : cookie,
        };
      });
      return { id, session: await showOpened(ctx, { request, setCookie }, token) };
    },
  });

  route({
    method: "PATCH",
    path: "/me/passkeys/:id",
    operationId: "renamePasskey",
    audits: ["person.passkey-renamed"],
    summary: "Give a passkey another name",
    who: "person",
    fresh: { not: "a name changes no right" },
    params: Type.Object({ id: PathId("passkey", "Id of the passkey.") }),
    body: Exact({ name: PasskeyName }),
    status: 204,
    async handle({ session, params, body: { name } }) {
      const passkeyId = params.id;
      const { actor, personId } = session!;
      await ctx.db.transaction(async (tx) => {
        const before = { passkeyId, name: await renamePasskey(tx, personId, passkeyId, name) };
        const by = { ...ctx, operator: { name: actor } };
        const entry = { accountId: houseId, action: "person.passkey-renamed", personId, before } as const;
        await auditPerson(by, tx, { ...entry, after: { passkeyId, name } });
      });
      return null;
    },
  });

  route({
    method: "DELETE",
    path: "/me/passkeys/:id",
    operationId: "removePasskey",
    audits: ["person.passkey-removed"],
    summary: "Remove a passkey; not the last way to sign in",
    who: "person",
    fresh: true,
    params: Type.Object({ id: PathId("passkey", "Id of the passkey.") }),
    status: 204,
    async handle({ session, params }) {
      await ctx.db.transaction(async (tx) => {
        await holdSession(tx, session!);
        await removePasskey(ctx, tx, session!, params.id);
        await note(tx, session!, "person.passkey-removed", params.id);
      });
      return null;
    },
  });
}
