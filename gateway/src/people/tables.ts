import {
  bigint,
  boolean,
  bytes,
  instant,
  list,
  nullable,
  oneOf,
  type RowOf,
  table,
  text,
  textOf,
  uuid,
} from "../db/columns.ts";
import { type AccountRole, ROLES, type Role } from "../http/roles.ts";

/** Who signs in to the console. */
export const people = table({
  name: "people",
  key: ["personId"],
  columns: {
    personId: uuid,
    name: text,
    /** In lower case; null only for the person of the sandbox's first link. */
    email: nullable(text),
    language: nullable(oneOf(["pt-BR", "en"])),
    installationRole: nullable(oneOf(ROLES)),
    alwaysFresh: boolean,
    createdAt: instant,
    /** Since when the company's provider or an admin vouches that the address is the person's. */
    vouchedAt: nullable(instant),
    passwordHash: nullable(text),
    roleSince: instant,
    removedAt: nullable(instant),
  },
  leftOut: ["noticed_at"],
});
export type PersonRow = RowOf<typeof people.columns>;

export const sessions = table({
  name: "sessions",
  key: ["sessionId"],
  columns: {
    sessionId: uuid,
    personId: uuid,
    browser: nullable(text),
    address: nullable(text),
    createdAt: instant,
    seenAt: instant,
    expiresAt: instant,
    freshUntil: nullable(instant),
    endedAt: nullable(instant),
  },
  leftOut: ["token_hash"],
});
export type SessionRow = RowOf<typeof sessions.columns>;

export const authenticators = table({
  name: "authenticators",
  key: ["personId"],
  columns: {
    personId: uuid,
    sealedSecret: nullable(text),
    sealedPending: nullable(text),
    pendingSince: nullable(instant),
    lastStep: bigint,
    confirmedAt: nullable(instant),
    createdAt: instant,
  },
});
export type AuthenticatorRow = RowOf<typeof authenticators.columns>;

export const passkeys = table({
  name: "passkeys",
  key: ["passkeyId"],
  columns: {
    passkeyId: uuid,
    personId: uuid,
    credentialId: text,
    publicKey: bytes,
    signatures: bigint,
    transports: list(),
    name: text,
    synced: boolean,
    createdAt: instant,
    lastUsedAt: nullable(instant),
    removedAt: nullable(instant),
  },
});
export type PasskeyRow = RowOf<typeof passkeys.columns>;

export const signInLinks = table({
  name: "sign_in_links",
  key: ["linkId"],
  columns: {
    linkId: uuid,
    purpose: oneOf(["first", "invitation", "recovery"]),
    personId: nullable(uuid),
    email: nullable(text),
    name: nullable(text),
    ofAccount: nullable(uuid),
    role: nullable(textOf<Role | AccountRole>()),
    vouches: boolean,
    invitedBy: nullable(text),
    madeBy: nullable(text),
    createdAt: instant,
    expiresAt: instant,
    usedAt: nullable(instant),
  },
  leftOut: ["token_hash"],
});
export type LinkRow = RowOf<typeof signInLinks.columns>;

/** The roles of people in accounts. */
export const memberships = table({
  name: "memberships",
  key: ["personId", "ofAccount"],
  columns: {
    personId: uuid,
    ofAccount: uuid,
    role: oneOf(["owner", "finance", "developer", "support", "viewer"] satisfies AccountRole[]),
    createdAt: instant,
    removedAt: nullable(instant),
    roleSince: nullable(instant),
  },
});

/** Who signs in with the company's provider, by the provider's own name of the person. */
export const providerIdentities = table({
  name: "provider_identities",
  key: ["issuer", "subject"],
  columns: {
    issuer: text,
    subject: text,
    personId: uuid,
    createdAt: instant,
    lastUsedAt: instant,
    removedAt: nullable(instant),
  },
});
