import { type Static, Type } from "typebox";
import { Exact } from "../http/contract.ts";
import type { RelyingParty } from "./relying-party.ts";

/** Loaded at its first use: 390 ms and 26 MB, which a gateway without passkeys does not need. */
const library = () => import("@simplewebauthn/server");

/** EdDSA, ES256 and RS256: every authenticator has one of them. */
const ALGORITHMS = [-8, -7, -257];

const Base64Url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$" });
const CredentialId = Base64Url(1_400);
const Extensions = Type.Record(Type.String({ maxLength: 50 }), Type.Unknown(), { maxProperties: 20 });
const Attachment = Type.Optional(Type.Enum(["platform", "cross-platform"], { type: "string" }));
const TRANSPORTS = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"] as const;

/** A browser's answer when a passkey was made, as `startRegistration` sends it. */
export const RegistrationResponse = Exact({
  id: CredentialId,
  rawId: CredentialId,
  type: Type.Literal("public-key"),
  response: Exact({
    clientDataJSON: Base64Url(4_000),
    attestationObject: Base64Url(40_000),
    authenticatorData: Type.Optional(Base64Url(10_000)),
    publicKey: Type.Optional(Base64Url(4_000)),
    publicKeyAlgorithm: Type.Optional(Type.Integer()),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 })),
  }),
  clientExtensionResults: Extensions,
  authenticatorAttachment: Attachment,
});

/** A browser's answer when a passkey signed, as `startAuthentication` sends it. */
export const AuthenticationResponse = Exact({
  id: CredentialId,
  rawId: CredentialId,
  type: Type.Literal("public-key"),
  response: Exact({
    clientDataJSON: Base64Url(4_000),
    authenticatorData: Base64Url(10_000),
    signature: Base64Url(4_000),
    userHandle: Type.Optional(Base64Url(100)),
  }),
  clientExtensionResults: Extensions,
  authenticatorAttachment: Attachment,
});
export type AuthenticationAnswer = Static<typeof AuthenticationResponse>;

/** What a browser needs to make or use a passkey: the library's JSON, passed on unchanged. */
export const WebAuthnOptions = Type.Record(Type.String(), Type.Unknown());
type Options = Record<string, unknown>;

type KnownPasskey = { readonly credentialId: string; readonly transports: readonly string[] };
const descriptors = (known: readonly KnownPasskey[]) =>
  known.map(({ credentialId, transports }) => ({ id: credentialId, transports: [...transports] }));

/** A person's id as authenticators store it: its 16 bytes. */
const handleOf = (personId: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(personId.replaceAll("-", ""), "hex"));

/** Options for making a passkey that signs in without an e-mail address: discoverable, and with a verified user. */
export async function registrationOptions(
  party: RelyingParty,
  challenge: Buffer,
  person: { readonly personId: string; readonly name: string; readonly email: string | null },
  existing: readonly KnownPasskey[],
  timeout: number,
): Promise<Options> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    ...{ rpName: "Pixgate", rpID: party.id, timeout, attestationType: "none", supportedAlgorithmIDs: ALGORITHMS },
    ...{ userID: handleOf(person.personId), userName: person.email ?? person.name, userDisplayName: person.name },
    challenge: Uint8Array.from(challenge),
    excludeCredentials: descriptors(existing),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  return { ...options };
}

/** Options for signing a challenge; without `allowed` the authenticator lists what it has. */
export async function authenticationOptions(
  party: RelyingParty,
  challenge: Buffer,
  allowed: readonly KnownPasskey[],
  timeout: number,
): Promise<Options> {
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({
    ...{ rpID: party.id, timeout, userVerification: "required", challenge: Uint8Array.from(challenge) },
    allowCredentials: descriptors(allowed),
  });
  return { ...options };
}

/** The challenge that an answer claims to be for; null where there is none. */
export function challengeOf({ response }: { readonly response: { readonly clientDataJSON: string } }): Buffer | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString()) as {
      challenge?: unknown;
    };
    return typeof challenge === "string" ? Buffer.from(challenge, "base64url") : null;
  } catch {
    return null;
  }
}

/** A public key whose possession was proved. */
export type NewCredential = {
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly signatures: number;
  readonly transports: readonly string[];
  readonly synced: boolean;
};

/** Checks an answer to `registrationOptions`; null where anything in it is wrong. */
export async function checkRegistration(
  party: RelyingParty,
  challenge: Buffer,
  answer: Static<typeof RegistrationResponse>,
): Promise<NewCredential | null> {
  const { verifyRegistrationResponse } = await library();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    ...{ expectedChallenge: challenge.toString("base64url"), expectedOrigin: party.origin, expectedRPID: party.id },
    ...{ requireUserVerification: true, supportedAlgorithmIDs: ALGORITHMS },
    response: answer,
  }).catch(() => ({ verified: false as const, registrationInfo: undefined }));
  if (!verified) return null;
  const { id, publicKey, counter } = registrationInfo.credential;
  const transports =
    answer.response.transports?.filter((transport) => (TRANSPORTS as readonly string[]).includes(transport)) ?? [];
  return {
    ...{ credentialId: id, publicKey: Buffer.from(publicKey), signatures: counter, transports },
    synced: registrationInfo.credentialBackedUp,
  };
}

/**
 * Checks an answer to `authenticationOptions` by the passkey's public key. The row decides later whether the counter has
 * risen, once the signature is known to be right: the library would compare it first, for anybody.
 *
 * @returns the counter of the authenticator, and whether the key has copies; null where anything in the answer is wrong.
 */
export async function checkAuthentication(
  party: RelyingParty,
  challenge: Buffer,
  answer: AuthenticationAnswer,
  passkey: { readonly personId: string; readonly publicKey: Buffer },
): Promise<{ readonly signatures: number; readonly synced: boolean } | null> {
  const { userHandle } = answer.response;
  if (userHandle !== undefined && !Buffer.from(userHandle, "base64url").equals(handleOf(passkey.personId))) return null;
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    ...{ expectedChallenge: challenge.toString("base64url"), expectedOrigin: party.origin, expectedRPID: party.id },
    credential: { id: answer.id, publicKey: Uint8Array.from(passkey.publicKey), counter: 0 },
    requireUserVerification: true,
    response: answer,
  }).catch(() => ({ verified: false, authenticationInfo: null }));
  if (!verified || authenticationInfo === null) return null;
  return { signatures: authenticationInfo.newCounter, synced: authenticationInfo.credentialBackedUp };
}
