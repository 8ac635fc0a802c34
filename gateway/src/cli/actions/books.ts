import { isOpen, type Reconciled, showReconciled, showVerified, type Verified } from "../show.ts";
import type { Noun } from "./action.ts";

export const unmatched: Noun = {
  says: "Decide about money that belongs to no charge, and about failed returns.",
  verbs: {
    list: {
      says: "List money that waits for a decision.",
      flags: { status: { says: "left out: open; all, or another status" } },
      columns: ["id", "kind", "status", "amount", "reason", "payerName", "paidAt"],
      call: (_, { status = "open" }) =>
        `/unmatched?limit=100${status === "all" ? "" : `&status=${encodeURIComponent(String(status))}`}`,
    },
    assign: {
      says: "Let a receipt pay a charge.",
      takes: ["ID"],
      body: { action: "assign" },
      flags: {
        account: { says: "id of the account", field: "accountId", needed: true },
        charge: { says: "id of the charge", field: "chargeId", needed: true },
      },
      call: "POST /unmatched/{0}/resolve",
    },
    return: {
      says: "Return a receipt to its payer.",
      takes: ["ID"],
      body: { action: "return" },
      call: "POST /unmatched/{0}/resolve",
    },
    retry: {
      says: "Retry a failed return; the institution is queried first.",
      takes: ["ID"],
      body: { action: "retry" },
      call: "POST /unmatched/{0}/resolve",
    },
  },
};

export const verify: Noun = {
  says: "Check every invariant of the books; with DATABASE_URL of that database. Exit code 1 when one is broken.",
  call: "GET /ledger/verify",
  shows: (result) => showVerified(result as Verified),
  fails: (result) => !(result as { ok: boolean }).ok,
  // A database that is named is checked itself; without one the gateway checks its own.
  onMachine: ({ json }, { DATABASE_URL }) => (DATABASE_URL ? (machine) => machine.verify(json === true) : null),
};

export const reconcile: Noun = {
  says: "Compare a day (of São Paulo) of every institution with our books. Exit code 1 while something is open.",
  takes: ["DATE"],
  flags: {
    institution: { says: "only this one, by its id" },
    refresh: { says: "whether to reconcile again", kind: "boolean" },
  },
  csv: true,
  call: ([date], { institution, refresh }) => {
    const query = new URLSearchParams({
      ...(institution === undefined ? {} : { institutionId: String(institution) }),
      ...(refresh === undefined ? {} : { refresh: String(refresh) }),
    }).toString();
    return `/reconciliation/${date}${query ? `?${query}` : ""}`;
  },
  shows: (result) => showReconciled(result as Reconciled),
  fails: (result) => typeof result === "object" && isOpen(result as Reconciled),
};
