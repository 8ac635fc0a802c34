import { isOpen, type Reconciled, show, showReconciled } from "../show.ts";
import type { Action, WithVerbs } from "./action.ts";

export const jobs: WithVerbs = {
  alias: "job",
  description: "Work that takes long: checks of the books, comparisons of a day, exports of a person.",
  verbs: {
    list: {
      description: "List what runs or ran within 30 days, the newest first, with how far it is.",
      flags: { state: { description: "only in this state", query: "state", choices: ["running", "done", "failed"] } },
      columns: ["id", "kind", "subject", "state", "startedBy", "startedAt", "endedAt"],
      call: "GET /jobs?limit=100",
    },
  },
};

export const unmatched: WithVerbs = {
  description: "Decide about money that belongs to no charge, and about failed returns.",
  verbs: {
    list: {
      description: "List money that waits for a decision.",
      flags: { status: { description: "left out: open; all, or another status" } },
      columns: ["id", "kind", "status", "amount", "reason", "payerName", "paidAt"],
      call: (_, { status = "open" }) =>
        `/unmatched?limit=100${status === "all" ? "" : `&status=${encodeURIComponent(String(status))}`}`,
    },
    get: {
      alias: "show",
      description: "Show a receipt or failed return, with the charges that it may be meant for.",
      takes: ["ID"],
      call: "GET /unmatched/{0}",
      shows: showUnmatched,
    },
    assign: {
      description: "Let a receipt pay a charge, by the charge's id or the merchant's reference.",
      takes: ["ID"],
      body: { action: "assign" },
      flags: {
        account: { description: "id of the account", field: "accountId", needed: true },
        charge: { description: "id of the charge", field: "chargeId", neededWithout: "reference" },
        reference: {
          description: "the merchant's reference of the charge, instead of its id",
          field: "externalReference",
        },
      },
      call: "POST /unmatched/{0}/resolve",
    },
    return: {
      description: "Return a receipt to its payer.",
      takes: ["ID"],
      body: { action: "return" },
      call: "POST /unmatched/{0}/resolve",
    },
    retry: {
      description: "Retry a failed return; the institution is queried first.",
      takes: ["ID"],
      body: { action: "retry" },
      call: "POST /unmatched/{0}/resolve",
    },
    "take-back": {
      description: "Take the write-off of a failed return back: its money waits for a decision again.",
      takes: ["ID"],
      body: { action: "take_back" },
      call: "POST /unmatched/{0}/resolve",
    },
  },
};

/** For people: the fields, then the suggested charges as a table. */
function showUnmatched(result: unknown): string {
  const { suggestions, ...item } = result as { suggestions: readonly Readonly<Record<string, unknown>>[] };
  const columns = [
    "accountId",
    "accountName",
    "chargeId",
    "status",
    "externalReference",
    "customerName",
    "samePayer",
    "createdAt",
  ];
  return `${show(item)}\n\nCharges that it may be meant for\n${show({ items: suggestions }, columns)}`;
}

/** Of commands with `--csv`. */
const FORMAT = {
  format: {
    description: "of --csv; pt-BR: as a spreadsheet in Brazilian Portuguese opens it",
    query: "format",
    choices: ["en", "pt-BR"],
  },
} as const;
const CSV = { csv: true, flags: FORMAT } as const;

const OF_A_DAY = {
  takes: ["DATE"],
  flags: { institution: { description: "only this one, by its id", query: "institutionId" }, ...FORMAT },
  csv: true,
  shows: (result) => showReconciled(result as Reconciled),
  fails: (result) => typeof result === "object" && isOpen(result as Reconciled),
} satisfies Partial<Action>;

/** Compares a day now. */
export const reconcile: Action = {
  description:
    "Compare a day (of São Paulo) of every institution with our books now, and book what was missing. Exit code 1 while something is open.",
  ...OF_A_DAY,
  call: "POST /reconciliation/{0}",
};

export const reconciliation: WithVerbs = {
  description: "Compare a day of every institution with our books.",
  verbs: {
    get: {
      description:
        "Show how a day (of São Paulo) of every institution last compared with our books. Exit code 1 while something is open.",
      alias: "show",
      ...OF_A_DAY,
      call: "GET /reconciliation/{0}",
    },
    refresh: reconcile,
    month: {
      description: "Show what the reconciled days of a month, such as 2026-11, came to; compares nothing.",
      takes: ["MONTH"],
      call: "GET /reconciliation/month/{0}",
      shows: (result) => {
        const columns = ["date", "state", "findings", "difference", "volume", "checkedAt"];
        return show({ items: (result as { days: unknown[] }).days }, columns);
      },
    },
  },
};

export const closes: WithVerbs = {
  alias: "close",
  description: "Show what a day or a month comes to.",
  verbs: {
    day: { description: "Show a day (of São Paulo).", takes: ["DATE"], ...CSV, call: "GET /close/{0}" },
    month: { description: "Show a month, such as 2026-11.", takes: ["MONTH"], ...CSV, call: "GET /close/month/{0}" },
    account: {
      description: "Show a month of one account.",
      takes: ["ACCOUNT", "MONTH"],
      ...CSV,
      call: "GET /accounts/{0}/close/{1}",
    },
  },
};

function showFees(result: unknown): string {
  const { closedUntil } = result as { readonly closedUntil: string | null };
  const until =
    closedUntil === null
      ? "No day is closed yet; a day is closed four hours after its end."
      : `Days are closed until ${closedUntil}; later ones do not count yet.`;
  return `${show(result)}\n${until}`;
}

export const fees: WithVerbs = {
  alias: "fee",
  description: "Add up what was earned.",
  verbs: {
    report: {
      description: "Show the fees of a time's closed days, by account and operation.",
      flags: {
        from: { description: "first day, such as 2026-11-01", query: "from" },
        to: { description: "last day", query: "to" },
        ...FORMAT,
      },
      csv: true,
      call: "GET /reports/fees",
      shows: showFees,
    },
  },
};
