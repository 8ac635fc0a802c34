/**
 * Deliberate changes that break clients of the last release, each with its reason, by their line in
 * `docs/api-changes.md`. The check fails on an entry that is no longer needed: after a release, which copies the
 * documents, none is.
 */
const NAMED =
  "who decides about a case names the proposal that was read. Without it, a proposal that was put in its place was executed.";

export const DELIBERATE: Readonly<Record<string, string>> = {
  "POST /operator/v1/cases/{id}/approve requires a body": NAMED,
  'GET /v2/transactions/{id}, path `id` has pattern "^[^\\\\x00]+$", had (none)':
    "a NUL was refused with 400 before: the document says so now.",
  "CaseRejection (sent).proposalId was added": NAMED,
};
