/** What every sandbox call states that plays a payer or a bank. */
export const PLAYS = {
  tag: "Sandbox",
  extension: true,
  fresh: { not: "it plays a payer or a bank of the sandbox" },
  suspendedToo: true,
  keepsAnswer: true,
} as const;
