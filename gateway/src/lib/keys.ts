/** Keys derived from the master key, one for each purpose (lib/secrets.ts, `deriveKey`). */
type Derived = {
  /** Signs access tokens. */
  readonly tokens: Buffer;
  /** Seals secrets at rest: webhook secrets, configurations of institutions. */
  readonly sealing: Buffer;
  /** Makes the secret part of the path that a PSP sends its notifications to. */
  readonly notifications: Buffer;
  /** Seed of the Ed25519 key that signs the head of the audit log. */
  readonly auditLog: Buffer;
  /** Makes the secret part of the address of a charge's page for its payer. */
  readonly checkout: Buffer;
  /** Names counters of guesses, and authenticates challenges and devices of people who sign in. */
  readonly signIn: Buffer;
};

export type Keys = Derived & {
  /** Keys of the old master key during its exchange: they still verify and open, but never sign or seal. */
  readonly other: Derived | null;
};
