/** Accepted problems, each with its reason. A solved problem must leave the list. */

export type Exception = {
  readonly rule: string;
  /** A file; with a slash at its end, a folder. */
  readonly path: string;
  /** The function or export; left out: any. */
  readonly name?: string;
  readonly reason: string;
  /** For "length" and "function length": the allowed lines. The number may only be lowered. */
  readonly maxLines?: number;
  /** How many problems of the rule the folder may have. */
  readonly maxProblems?: number;
};

const SEAMS: readonly Exception[] = [
  {
    rule: "seams",
    path: "gateway/src/lib/pause.ts",
    reason:
      "the bounded pauses of a call: before a lost connection is tried again, until a job of another process ends",
  },
  { rule: "seams", path: "gateway/src/http/run-keyed.ts", reason: "a call that waits for the first with its key" },
  {
    rule: "seams",
    path: "gateway/src/sandbox/simulator.ts",
    reason: "the pause before a dead simulator is started again",
  },
  { rule: "seams", path: "gateway/src/lib/within.ts", reason: "the bounds of a stop" },
];

const ROWS: readonly Exception[] = [
  {
    rule: "columns",
    path: "gateway/src/auditor/",
    reason: "checks rows whole, whatever their columns are, and copies them into slices of the same shape",
  },
  {
    rule: "aliases",
    path: "gateway/src/",
    reason: "reads of several nouns at once, some of them of nouns that the reader may not import",
    maxProblems: 70,
  },
];

/** Tables whose rows no statement reads: only their existence, a value, or a sum. */
const NOT_READ_AS_ROWS: readonly Exception[] = [
  ["line_sums", "sums that are added up again in SQL"],
  ["moved_alone", "only the sum of a person's amounts is read"],
  ["payout_ids", "the claim is its key; one value is read"],
  ["recovery_codes", "a code is used by its hash; the others are counted"],
  ["schema_migrations", "made before there is a schema to describe"],
  ["settings", "a name and a value"],
  ["sign_in_guesses", "a counter"],
  ["tariff_claims", "the claim is its key; one value is read"],
  ["used_challenges", "only whether a challenge is there"],
  ["withdrawal_sums", "lists of numbers, which the driver returns as texts"],
].map(([name, reason]) => ({ rule: "tables", path: "gateway/src/db/schema.sql", name: name!, reason: reason! }));

const BANKS: readonly Exception[] = [
  { rule: "banks", path: "gateway/src/http/examples.ts", reason: "a request's example in the document of the API" },
  {
    rule: "banks",
    path: "gateway/src/institutions/operator-routes.ts",
    reason: "a request's example in the document of the API",
  },
];

export const EXCEPTIONS: readonly Exception[] = [
  ...BANKS,
  ...SEAMS,
  ...ROWS,
  ...NOT_READ_AS_ROWS,
  { rule: "sql", path: "gateway/src/db/clock-check.ts", reason: "compares the database's time with ours" },
];
