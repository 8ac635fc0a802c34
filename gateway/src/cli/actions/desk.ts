/** What waits for a person: cases, blocked money, the brakes, the operator's own money. */
import { showVerified, type Verified } from "../show.ts";
import { LIMITS } from "./accounts.ts";
import type { Flag, WithVerbs } from "./action.ts";
import { PARAMETERS, showCase, wasRefused } from "./show-case.ts";

const REASON: Flag = { says: "why; kept in the audit log", field: "reason" };
const PROPOSAL: Flag = { says: "id of the proposal, as `case show` shows it", field: "proposalId", needed: true };

export const cases: WithVerbs = {
  alias: "case",
  says: "Work on what a person must decide.",
  verbs: {
    list: {
      says: "List cases, newest first.",
      columns: ["id", "kind", "severity", "status", "accountId", "amount", "assignee", "openedAt"],
      flags: {
        status: { says: "left out: both", query: "status", choices: ["open", "closed"] },
        kind: { says: "only this kind", query: "kind" },
        severity: { says: "only this one", query: "severity", choices: ["critical", "warning", "notice"] },
        account: { says: "only of this account, by its id", query: "accountId" },
        institution: { says: "only of this institution, by its id", query: "institutionId" },
      },
      call: "GET /cases?limit=100",
    },
    get: {
      alias: "show",
      says: "Show a case with its evidence, its actions with their parameters, and its history.",
      takes: ["ID"],
      call: "GET /cases/{0}",
      shows: showCase,
    },
    assign: {
      says: "Say who works on a case.",
      takes: ["ID"],
      flags: {
        assignee: { says: "name of the operator; none: nobody", field: "assignee", needed: true, kind: "name" },
      },
      call: "POST /cases/{0}/assign",
      shows: showCase,
    },
    "add-note": {
      alias: "note",
      says: "Add a note to a case.",
      takes: ["ID"],
      flags: { text: { says: "the note", field: "text", needed: true } },
      call: "POST /cases/{0}/notes",
      shows: showCase,
    },
    propose: {
      says: "Propose one of the actions of a case; `case show` lists them with their parameters.",
      takes: ["ID"],
      flags: { action: { says: "one of the case's actions", field: "action", needed: true }, ...PARAMETERS },
      call: "POST /cases/{0}/propose",
      shows: showCase,
      fails: wasRefused,
    },
    approve: {
      says: "Approve what another operator proposed; exit code 1 when it is then refused.",
      takes: ["ID"],
      flags: { proposal: PROPOSAL },
      call: "POST /cases/{0}/approve",
      shows: showCase,
      fails: wasRefused,
    },
    reject: {
      says: "Reject what was proposed.",
      takes: ["ID"],
      flags: { proposal: PROPOSAL, reason: { says: "why", field: "reason" } },
      call: "POST /cases/{0}/reject",
      shows: showCase,
    },
  },
};

export const balanceBlocks: WithVerbs = {
  alias: "block",
  says: "See the disputes and orders of all accounts, block money of an account, and end a block.",
  verbs: {
    list: {
      says: "List the blocks of all accounts, newest first or by deadline, with the deadlines of their answers.",
      flags: {
        open: { says: "only those that have not ended", query: "open", kind: "boolean" },
        status: { says: "only in this status", query: "status" },
        account: { says: "only of this account, by its id", query: "accountId" },
        institution: { says: "only at this institution, by its id", query: "institutionId" },
        type: { says: "only med, judicial or administrative", query: "blockType" },
        "respond-before": { says: "only unanswered ones whose deadline is before then", query: "respondBefore" },
        "respond-after": {
          says: "only unanswered ones whose deadline is then or later",
          query: "respondAfter",
        },
        order: { says: "newest first (as without it), or the nearest deadline first", query: "order" },
      },
      columns: ["id", "accountName", "subAccount", "blockType", "status", "amount", "respondBy", "referenceNumber"],
      call: "GET /balance-blocks?limit=100",
    },
    create: {
      says: "Block money of a wallet.",
      takes: ["ACCOUNT"],
      flags: {
        amount: { says: "BRL", field: "amount", kind: "number", needed: true },
        type: {
          says: "what orders it",
          field: "blockType",
          choices: ["med", "judicial", "administrative"],
          needed: true,
        },
        wallet: { says: "reference of a sub-account; left out: the main account", field: "subAccount" },
        transaction: { says: "id of the payment that it is about", field: "transactionId" },
        reference: { says: "number of the order", field: "referenceNumber" },
        reason: { says: "why; the merchant reads it", field: "reason" },
      },
      call: "POST /accounts/{0}/balance-blocks",
    },
    resolve: {
      says: "End a block: approved takes the money, rejected gives it back.",
      takes: ["ACCOUNT", "ID"],
      flags: {
        outcome: { says: "how it ends", field: "outcome", choices: ["approved", "rejected"], needed: true },
        reason: { says: "why", field: "resolutionReason" },
      },
      call: "POST /accounts/{0}/balance-blocks/{1}/resolve",
    },
  },
};

export const brakes: WithVerbs = {
  alias: "brake",
  says: "Stop money from leaving (payouts, refunds and automatic returns), and let it leave again.",
  verbs: {
    list: {
      says: "List the brakes that are set.",
      flags: { lifted: { says: "whether to list those that were lifted too", query: "lifted", kind: "boolean" } },
      columns: ["id", "scope", "targetId", "paused", "reason", "setBy", "since", "waiting"],
      call: "GET /brakes?limit=100",
    },
    set: {
      says: "Stop all money from leaving, or that of one institution, account or wallet; with --paused false, let it leave again.",
      flags: {
        scope: {
          says: "whose money",
          field: "scope",
          choices: ["all", "institution", "account", "wallet"],
          needed: true,
        },
        id: { says: "id of the institution, account or wallet", field: "id" },
        paused: { says: "true stops it", field: "paused", kind: "boolean", needed: true },
        reason: { ...REASON, needed: true },
      },
      call: "PUT /brakes",
    },
  },
};

export const queues: WithVerbs = {
  says: "What waits for the gateway, and for how long.",
  verbs: {
    list: {
      says: "List what waits for the gateway's own work; what waits for a person is in cases.",
      columns: ["name", "waiting", "since", "limitSeconds", "late"],
      call: "GET /queues",
      fails: (result) => (result as { items: { late: boolean }[] }).items.some(({ late }) => late),
    },
  },
};

export const treasury: WithVerbs = {
  says: "Book the operator's own money at institutions.",
  verbs: {
    list: {
      says: "List what was booked, newest first.",
      flags: {
        kind: { says: "only this kind", query: "kind" },
        status: { says: "only in this status", query: "status" },
        institution: { says: "only of this institution, by its id", query: "institutionId" },
      },
      call: "GET /treasury?limit=100",
    },
    record: {
      says: "Book a movement of the operator's own money.",
      flags: {
        kind: { says: "what it is", field: "kind", choices: ["top_up", "sweep", "tariff", "interbank"], needed: true },
        institution: { says: "id of the institution", field: "institutionId", needed: true },
        to: { says: "of interbank: id of the other institution", field: "toInstitutionId" },
        amount: { says: "BRL", field: "amount", kind: "number", needed: true },
        at: { says: "when it happened, such as 2026-11-20T10:00:00Z", field: "occurredAt", needed: true },
        reference: { says: "the bank's number of it", field: "reference" },
        description: { says: "what it was for", field: "description" },
      },
      call: "POST /treasury",
    },
  },
};

export const ledger: WithVerbs = {
  says: "See where the auditor found the books broken, and have them checked.",
  verbs: {
    "list-findings": {
      alias: "findings",
      says: "List the auditor's findings, newest first.",
      flags: {
        status: { says: "left out: all", query: "status", choices: ["open", "lifted", "gone"] },
        account: { says: "only of this account, by its id", query: "accountId" },
      },
      columns: ["id", "accountId", "invariant", "status", "detail", "foundAt"],
      call: "GET /ledger/findings?limit=100",
    },
    audit: {
      says: "Have the auditor check the books now; it freezes the withdrawals of what is broken. Exit code 1 then.",
      flags: {
        mode: {
          says: "fresh: what was booked since the last check; full: everything",
          field: "mode",
          choices: ["fresh", "full"],
          needed: true,
        },
      },
      call: "POST /ledger/audits",
      fails: (result) => !(result as { ok: boolean }).ok,
    },
    verify: {
      says: "Check every invariant of the books; with DATABASE_URL of that database. Exit code 1 when one is broken.",
      call: "GET /ledger/verify",
      shows: (result) => showVerified(result as Verified),
      fails: (result) => !(result as { ok: boolean }).ok,
      // A database that is named is checked itself; without one the gateway checks its own.
      onMachine: ({ json }, { DATABASE_URL }) => (DATABASE_URL ? (machine) => machine.verify(json === true) : null),
    },
  },
};

export const withdrawals: WithVerbs = {
  alias: "withdrawal",
  says: "See the payouts of all accounts, and cancel one that has not left.",
  verbs: {
    list: {
      says: "List withdrawals of all accounts, newest first.",
      flags: {
        status: { says: "only in this status", query: "status" },
        account: { says: "only of this account, by its id", query: "accountId" },
        institution: { says: "only at this institution, by its id", query: "institutionId" },
        "pending-reason": { says: "only those that wait for this", query: "pendingReason" },
        brake: { says: "only those that wait behind this brake, by its id", query: "brakeId" },
        "e2e-id": { says: "only the one with this end-to-end id", query: "e2eId" },
        "min-amount": { says: "BRL", query: "minAmount" },
        "max-amount": { says: "BRL", query: "maxAmount" },
        from: { says: "created since then, such as 2026-11-20T00:00:00Z", query: "from" },
        to: { says: "created before then", query: "to" },
      },
      columns: [
        "id",
        "accountId",
        "status",
        "pendingReason",
        "amount",
        "institutionId",
        "createdAt",
        "nextQueryAt",
        "lastWords",
      ],
      call: "GET /withdrawals?limit=100",
    },
    get: { alias: "show", says: "Show a withdrawal.", takes: ["ID"], call: "GET /withdrawals/{0}" },
    query: {
      says: "Query the institution about a withdrawal now; nothing is sent again.",
      takes: ["ID"],
      call: "POST /withdrawals/{0}/query",
    },
    approve: {
      says: "Approve a withdrawal for its account.",
      takes: ["ID"],
      call: "POST /withdrawals/{0}/approve",
    },
    reject: {
      says: "Reject a withdrawal that awaits approval; its money is released.",
      takes: ["ID"],
      flags: { reason: { says: "why", field: "reason" } },
      call: "POST /withdrawals/{0}/reject",
    },
    cancel: {
      says: "Cancel a withdrawal of which no request has left; its money is released.",
      takes: ["ID"],
      call: "POST /withdrawals/{0}/cancel",
    },
  },
};

export const subAccounts: WithVerbs = {
  alias: "sub-account",
  says: "Suspend a sub-account, approve it again, and limit its withdrawals.",
  verbs: {
    update: {
      says: "Change the status of a sub-account, or the limits of its withdrawals.",
      takes: ["ACCOUNT", "REFERENCE"],
      flags: { status: { says: "its status", field: "status", choices: ["approved", "suspended"] }, ...LIMITS },
      call: "PATCH /accounts/{0}/sub-accounts/{1}",
    },
  },
};
