/**
 * Changes that break clients of the last release all the same, by what `docs/api-changes.md` says of them, each with its reason. The
 * check fails on one that is not needed any more: a release copies the documents, and ends it.
 */
const NAMED =
  "who decides about a case names the proposal that was read. Without it, a proposal that was put in its place was executed.";

export const DELIBERATE: Readonly<Record<string, string>> = {
  "POST /operator/v1/cases/{id}/approve requires a body": NAMED,
  'GET /v2/transactions/{id}, path `id` has pattern "^[^\\\\x00]+$", had (none)':
    "a NUL was refused with 400 before: the document says so now.",
  "CaseRejection (sent).proposalId was added": NAMED,
};
