/** What the document lacks about the operator's commands for what waits for a person, and for the books. */
import { isOpen, type Reconciled, show, showReconciled, showVerified, type Verified } from "../show.ts";
import { LINES, showEntries } from "./audit-log.ts";
import type { Additions } from "./document.ts";
import { EXAMPLES } from "./merchant.ts";
import { FORMAT, isWrong, tableOf } from "./show-answer.ts";
import { PARAMETERS, showCase, wasRefused } from "./show-case.ts";

const isRestored = (result: unknown): boolean => (result as { restored: boolean }).restored;
const LOGGED = { reason: { description: "why; kept in the audit log" } };
const PROPOSAL = { proposal: { description: "id of the proposal, as `case show` shows it" } };
const OF_A_DAY = {
  flags: FORMAT,
  shows: (result: unknown) => showReconciled(result as Reconciled),
  fails: (result: unknown) => typeof result === "object" && isOpen(result as Reconciled),
};

export const DESK: Additions = {
  "cases.list": {
    description: "List cases, newest first.",
    columns: ["id", "kind", "severity", "status", "accountId", "amount", "assignee", "openedAt"],
    flags: { status: { description: "left out: both" } },
    without: ["counts"],
  },
  "cases.get": {
    alias: "show",
    description: "Show a case with its evidence, its actions with their parameters, and its history.",
    shows: showCase,
  },
  "cases.assign": { shows: showCase },
  "cases.addNote": { alias: "note", shows: showCase },
  "cases.propose": {
    description: "Propose one of the actions of a case; `case show` lists them with their parameters.",
    flags: PARAMETERS,
    shows: showCase,
    fails: wasRefused,
  },
  "cases.approve": {
    description: "Approve what another operator proposed; exit code 1 when it is then refused.",
    flags: PROPOSAL,
    shows: showCase,
    fails: wasRefused,
  },
  "cases.reject": { flags: PROPOSAL, shows: showCase },
  "unmatched.get": {
    alias: "show",
    description: "Show a receipt or failed return, with the charges that it may be meant for.",
    shows: showUnmatched,
  },
  "balanceBlocks.list": {
    description: "List the blocks of all accounts, newest first or by deadline, with the deadlines of their answers.",
    columns: ["id", "accountName", "subAccount", "blockType", "status", "amount", "respondBy", "referenceNumber"],
    flags: { order: { description: "newest first (as without it), or the nearest deadline first" } },
  },
  "balanceBlocks.create": {
    description: "Block money of a wallet.",
    flags: { type: { description: "what orders it" } },
  },
  "balanceBlocks.resolve": {
    description: "End a block: approved takes the money, rejected gives it back.",
    flags: { outcome: { description: "how it ends" } },
  },
  "brakes.list": { columns: ["id", "scope", "targetId", "paused", "reason", "setBy", "since", "waiting"] },
  "brakes.set": {
    description:
      "Stop all money from leaving, or that of one institution, account or wallet; with --paused false, let it leave again.",
    flags: { paused: { description: "true stops it" }, ...LOGGED },
  },
  "withdrawals.list": {
    description: "List withdrawals of all accounts, newest first.",
    columns: [
      ...["id", "accountId", "status", "pendingReason", "amount", "institutionId", "createdAt", "nextQueryAt"],
      "lastWords",
    ],
  },
  "withdrawals.get": { alias: "show" },
  "withdrawals.query": { description: "Query the institution about a withdrawal now; nothing is sent again." },
  "withdrawals.reject": { description: "Reject a withdrawal that awaits approval; its money is released." },
  "withdrawals.cancel": { description: "Cancel a withdrawal of which no request has left; its money is released." },
  "restore.get": {
    alias: "status",
    description:
      "Show whether this database is a copy, and what must be decided before money leaves; exit code 1 while it is one.",
    fails: isRestored,
  },
  "restore.begin": {
    description:
      "Say that this database is a copy that shows no difference, such as a snapshot of a disk: nothing leaves any more.",
    flags: LOGGED,
  },
  "restore.finish": {
    description:
      "Compare the institutions with the books since the backup, and let money leave again; exit code 1 while something is undecided.",
    flags: {
      ...LOGGED,
      "open-withdrawals": { description: "confirm_all where nothing was lost; left out: each needs a decision" },
      "silent-institutions": {
        description: "accept: answer for what an institution does not show; left out: the restore is not ended",
      },
    },
    fails: isRestored,
  },
  "restore.expectFailover": {
    description: "Announce a failover to a replica: until then it is no restore.",
    flags: { minutes: { description: "1 to 60" }, ...LOGGED },
  },
};

export const BOOKS: Additions = {
  "queues.list": {
    description: "List what waits for the gateway's own work; what waits for a person is in cases.",
    columns: ["name", "waiting", "since", "limitSeconds", "late"],
    fails: (result) => (result as { items: { late: boolean }[] }).items.some(({ late }) => late),
  },
  "treasury.list": { flags: { status: { description: "only in this status" } } },
  "treasury.record": {
    flags: {
      at: { description: "when it happened, such as 2026-11-20T10:00:00Z" },
      reference: { description: "the bank's number of it" },
    },
  },
  "ledger.listFindings": {
    alias: "findings",
    flags: { status: { description: "left out: all" } },
    columns: ["id", "accountId", "invariant", "status", "detail", "foundAt"],
  },
  "ledger.audit": {
    description:
      "Have the auditor check the books now; it freezes the withdrawals of what is broken. Exit code 1 then.",
    flags: { mode: { description: "fresh: what was booked since the last check; full: everything" } },
    fails: isWrong,
  },
  "ledger.verify": {
    description:
      "Check every invariant of the books; with DATABASE_URL of that database. Exit code 1 when one is broken.",
    shows: (result) => showVerified(result as Verified),
    fails: isWrong,
    // If a database is named, it is checked directly; otherwise the gateway checks its own.
    onMachine: ({ json }, { DATABASE_URL }) => (DATABASE_URL ? (machine) => machine.verify(json === true) : null),
  },
  "reconciliation.get": {
    alias: "show",
    description:
      "Show how a day (of São Paulo) of every institution last compared with our books. Exit code 1 while something is open.",
    ...OF_A_DAY,
    without: ["refresh"],
  },
  "reconciliation.refresh": {
    description:
      "Compare a day (of São Paulo) of every institution with our books now, and book what was missing. Exit code 1 while something is open.",
    ...OF_A_DAY,
  },
  "reconciliation.month": {
    description: "Show what the reconciled days of a month, such as 2026-11, came to; compares nothing.",
    shows: tableOf("days", ["date", "state", "findings", "difference", "volume", "checkedAt"]),
  },
  "jobs.list": {
    description: "List what runs or ran within 30 days, the newest first, with how far it is.",
    flags: { state: { description: "only in this state" } },
    columns: ["id", "kind", "subject", "state", "startedBy", "startedAt", "endedAt"],
  },
  "search.find": {
    description: `Find anything of any account by ${EXAMPLES}.`,
    takes: ["TEXT"],
    columns: ["kind", "by", "id", "accountId", "status", "amount", "at", "e2eId", "reference", "name", "document"],
  },
  "closes.day": { description: "Show a day (of São Paulo).", flags: FORMAT },
  "closes.month": { description: "Show a month, such as 2026-11.", flags: FORMAT },
  "fees.report": {
    description: "Show the fees of a time's closed days, by account and operation.",
    flags: FORMAT,
    shows: showFees,
  },
  "auditLog.list": {
    description: "List what operators changed, of all accounts, with what it was and is.",
    shows: showEntries,
  },
  "auditLog.export": {
    description: "Print the log as JSON lines, each with its hash and that of the one before.",
    accept: LINES,
  },
  "auditLog.head": { description: "Print where the log ends, signed: keep it outside, with --json." },
};

/** For people: the fields, then the suggested charges as a table. */
function showUnmatched(result: unknown): string {
  const { suggestions, ...item } = result as { suggestions: readonly Readonly<Record<string, unknown>>[] };
  const columns = [
    ...["accountId", "accountName", "chargeId", "status", "externalReference", "customerName", "samePayer"],
    "createdAt",
  ];
  return `${show(item)}\n\nCharges that it may be meant for\n${show({ items: suggestions }, columns)}`;
}

function showFees(result: unknown): string {
  const { closedUntil } = result as { readonly closedUntil: string | null };
  const until =
    closedUntil === null
      ? "No day is closed yet; a day is closed four hours after its end."
      : `Days are closed until ${closedUntil}; later ones do not count yet.`;
  return `${show(result)}\n${until}`;
}
