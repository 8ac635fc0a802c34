/** What waits for a person: cases, blocked money, the brakes, the operator's own money. */
import { showVerified, type Verified } from "../show.ts";
import { LIMITS } from "./accounts.ts";
import type { Flag, WithVerbs } from "./action.ts";
import { PARAMETERS, showCase, wasRefused } from "./show-case.ts";

const REASON: Flag = { description: "why; kept in the audit log", field: "reason" };
const PROPOSAL: Flag = {
  description: "id of the proposal, as `case show` shows it",
  field: "proposalId",
  needed: true,
};

export const cases: WithVerbs = {
  alias: "case",
  description: "Work on what a person must decide.",
  verbs: {
    list: {
      description: "List cases, newest first.",
      columns: ["id", "kind", "severity", "status", "accountId", "amount", "assignee", "openedAt"],
      flags: {
        status: { description: "left out: both", query: "status", choices: ["open", "closed"] },
        kind: { description: "only this kind", query: "kind" },
        severity: { description: "only this one", query: "severity", choices: ["critical", "warning", "notice"] },
        account: { description: "only of this account, by its id", query: "accountId" },
        institution: { description: "only of this institution, by its id", query: "institutionId" },
      },
      call: "GET /cases?limit=100",
    },
    get: {
      alias: "show",
      description: "Show a case with its evidence, its actions with their parameters, and its history.",
      takes: ["ID"],
      call: "GET /cases/{0}",
      shows: showCase,
    },
    assign: {
      description: "Say who works on a case.",
      takes: ["ID"],
      flags: {
        assignee: { description: "name of the operator; none: nobody", field: "assignee", needed: true, kind: "name" },
      },
      call: "POST /cases/{0}/assign",
      shows: showCase,
    },
    "add-note": {
      alias: "note",
      description: "Add a note to a case.",
      takes: ["ID"],
      flags: { text: { description: "the note", field: "text", needed: true } },
      call: "POST /cases/{0}/notes",
      shows: showCase,
    },
    propose: {
      description: "Propose one of the actions of a case; `case show` lists them with their parameters.",
      takes: ["ID"],
      flags: { action: { description: "one of the case's actions", field: "action", needed: true }, ...PARAMETERS },
      call: "POST /cases/{0}/propose",
      shows: showCase,
      fails: wasRefused,
    },
    approve: {
      description: "Approve what another operator proposed; exit code 1 when it is then refused.",
      takes: ["ID"],
      flags: { proposal: PROPOSAL },
      call: "POST /cases/{0}/approve",
      shows: showCase,
      fails: wasRefused,
    },
    reject: {
      description: "Reject what was proposed.",
      takes: ["ID"],
      flags: { proposal: PROPOSAL, reason: { description: "why", field: "reason" } },
      call: "POST /cases/{0}/reject",
      shows: showCase,
    },
  },
};

export const balanceBlocks: WithVerbs = {
  alias: "block",
  description: "See the disputes and orders of all accounts, block money of an account, and end a block.",
  verbs: {
    list: {
      description: "List the blocks of all accounts, newest first or by deadline, with the deadlines of their answers.",
      flags: {
        open: { description: "only those that have not ended", query: "open", kind: "boolean" },
        status: { description: "only in this status", query: "status" },
        account: { description: "only of this account, by its id", query: "accountId" },
        institution: { description: "only at this institution, by its id", query: "institutionId" },
        type: { description: "only med, judicial, administrative or precautionary", query: "blockType" },
        "respond-before": { description: "only unanswered ones whose deadline is before then", query: "respondBefore" },
        "respond-after": {
          description: "only unanswered ones whose deadline is then or later",
          query: "respondAfter",
        },
        order: { description: "newest first (as without it), or the nearest deadline first", query: "order" },
      },
      columns: ["id", "accountName", "subAccount", "blockType", "status", "amount", "respondBy", "referenceNumber"],
      call: "GET /balance-blocks?limit=100",
    },
    create: {
      description: "Block money of a wallet.",
      takes: ["ACCOUNT"],
      flags: {
        amount: { description: "BRL", field: "amount", kind: "number", needed: true },
        type: {
          description: "what orders it",
          field: "blockType",
          choices: ["med", "judicial", "administrative"],
          needed: true,
        },
        wallet: { description: "reference of a sub-account; left out: the main account", field: "subAccount" },
        transaction: { description: "id of the payment that it is about", field: "transactionId" },
        reference: { description: "number of the order", field: "referenceNumber" },
        reason: { description: "why; the merchant reads it", field: "reason" },
      },
      call: "POST /accounts/{0}/balance-blocks",
    },
    resolve: {
      description: "End a block: approved takes the money, rejected gives it back.",
      takes: ["ACCOUNT", "ID"],
      flags: {
        outcome: { description: "how it ends", field: "outcome", choices: ["approved", "rejected"], needed: true },
        reason: { description: "why", field: "resolutionReason" },
      },
      call: "POST /accounts/{0}/balance-blocks/{1}/resolve",
    },
  },
};

export const brakes: WithVerbs = {
  alias: "brake",
  description: "Stop money from leaving (payouts, refunds and automatic returns), and let it leave again.",
  verbs: {
    list: {
      description: "List the brakes that are set.",
      flags: {
        lifted: { description: "whether to list those that were lifted too", query: "lifted", kind: "boolean" },
      },
      columns: ["id", "scope", "targetId", "paused", "reason", "setBy", "since", "waiting"],
      call: "GET /brakes?limit=100",
    },
    set: {
      description:
        "Stop all money from leaving, or that of one institution, account or wallet; with --paused false, let it leave again.",
      flags: {
        scope: {
          description: "whose money",
          field: "scope",
          choices: ["all", "institution", "account", "wallet"],
          needed: true,
        },
        id: { description: "id of the institution, account or wallet", field: "id" },
        paused: { description: "true stops it", field: "paused", kind: "boolean", needed: true },
        reason: { ...REASON, needed: true },
      },
      call: "PUT /brakes",
    },
  },
};

export const queues: WithVerbs = {
  description: "What waits for the gateway, and for how long.",
  verbs: {
    list: {
      description: "List what waits for the gateway's own work; what waits for a person is in cases.",
      columns: ["name", "waiting", "since", "limitSeconds", "late"],
      call: "GET /queues",
      fails: (result) => (result as { items: { late: boolean }[] }).items.some(({ late }) => late),
    },
  },
};

export const treasury: WithVerbs = {
  description: "Book the operator's own money at institutions.",
  verbs: {
    list: {
      description: "List what was booked, newest first.",
      flags: {
        kind: { description: "only this kind", query: "kind" },
        status: { description: "only in this status", query: "status" },
        institution: { description: "only of this institution, by its id", query: "institutionId" },
      },
      call: "GET /treasury?limit=100",
    },
    record: {
      description: "Book a movement of the operator's own money.",
      flags: {
        kind: {
          description: "what it is",
          field: "kind",
          choices: ["top_up", "sweep", "tariff", "interbank"],
          needed: true,
        },
        institution: { description: "id of the institution", field: "institutionId", needed: true },
        to: { description: "of interbank: id of the other institution", field: "toInstitutionId" },
        amount: { description: "BRL", field: "amount", kind: "number", needed: true },
        at: { description: "when it happened, such as 2026-11-20T10:00:00Z", field: "occurredAt", needed: true },
        reference: { description: "the bank's number of it", field: "reference" },
        description: { description: "what it was for", field: "description" },
      },
      call: "POST /treasury",
    },
  },
};

export const ledger: WithVerbs = {
  description: "See where the auditor found the books broken, and have them checked.",
  verbs: {
    "list-findings": {
      alias: "findings",
      description: "List the auditor's findings, newest first.",
      flags: {
        status: { description: "left out: all", query: "status", choices: ["open", "lifted", "gone"] },
        account: { description: "only of this account, by its id", query: "accountId" },
      },
      columns: ["id", "accountId", "invariant", "status", "detail", "foundAt"],
      call: "GET /ledger/findings?limit=100",
    },
    audit: {
      description:
        "Have the auditor check the books now; it freezes the withdrawals of what is broken. Exit code 1 then.",
      flags: {
        mode: {
          description: "fresh: what was booked since the last check; full: everything",
          field: "mode",
          choices: ["fresh", "full"],
          needed: true,
        },
      },
      call: "POST /ledger/audits",
      fails: (result) => !(result as { ok: boolean }).ok,
    },
    verify: {
      description:
        "Check every invariant of the books; with DATABASE_URL of that database. Exit code 1 when one is broken.",
      call: "GET /ledger/verify",
      shows: (result) => showVerified(result as Verified),
      fails: (result) => !(result as { ok: boolean }).ok,
      // If a database is named, it is checked directly; otherwise the gateway checks its own.
      onMachine: ({ json }, { DATABASE_URL }) => (DATABASE_URL ? (machine) => machine.verify(json === true) : null),
    },
  },
};

export const withdrawals: WithVerbs = {
  alias: "withdrawal",
  description: "See the payouts of all accounts, and cancel one that has not left.",
  verbs: {
    list: {
      description: "List withdrawals of all accounts, newest first.",
      flags: {
        status: { description: "only in this status", query: "status" },
        account: { description: "only of this account, by its id", query: "accountId" },
        institution: { description: "only at this institution, by its id", query: "institutionId" },
        "pending-reason": { description: "only those that wait for this", query: "pendingReason" },
        brake: { description: "only those that wait behind this brake, by its id", query: "brakeId" },
        "e2e-id": { description: "only the one with this end-to-end id", query: "e2eId" },
        "min-amount": { description: "BRL", query: "minAmount" },
        "max-amount": { description: "BRL", query: "maxAmount" },
        from: { description: "created since then, such as 2026-11-20T00:00:00Z", query: "from" },
        to: { description: "created before then", query: "to" },
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
    get: { alias: "show", description: "Show a withdrawal.", takes: ["ID"], call: "GET /withdrawals/{0}" },
    query: {
      description: "Query the institution about a withdrawal now; nothing is sent again.",
      takes: ["ID"],
      call: "POST /withdrawals/{0}/query",
    },
    approve: {
      description: "Approve a withdrawal for its account.",
      takes: ["ID"],
      call: "POST /withdrawals/{0}/approve",
    },
    reject: {
      description: "Reject a withdrawal that awaits approval; its money is released.",
      takes: ["ID"],
      flags: { reason: { description: "why", field: "reason" } },
      call: "POST /withdrawals/{0}/reject",
    },
    cancel: {
      description: "Cancel a withdrawal of which no request has left; its money is released.",
      takes: ["ID"],
      call: "POST /withdrawals/{0}/cancel",
    },
  },
};

export const subAccounts: WithVerbs = {
  alias: "sub-account",
  description: "Suspend a sub-account, approve it again, and limit its withdrawals.",
  verbs: {
    update: {
      description: "Change the status of a sub-account, or the limits of its withdrawals.",
      takes: ["ACCOUNT", "REFERENCE"],
      flags: { status: { description: "its status", field: "status", choices: ["approved", "suspended"] }, ...LIMITS },
      call: "PATCH /accounts/{0}/sub-accounts/{1}",
    },
  },
};
