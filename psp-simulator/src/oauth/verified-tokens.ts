/** What a token grants, and until when, milliseconds since 1970. */
export type Token = { expiresAt: number; scopes: readonly string[] };

/** Tokens already verified; a signature costs more than the rest of a read. */
export type VerifiedTokens = Map<string, Token>;
