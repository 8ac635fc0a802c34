import { isOpen, type Reconciled, showReconciled, showVerified, type Verified } from "./show.ts";

type Given = Readonly<Record<string, string | undefined>>;

/** One thing that an operator can do, as data: its words, what they become in the body, and the call. */
export type Action = {
  readonly says: string;
  /** Words that follow; one in brackets may be left out. */
  readonly takes?: readonly string[];
  readonly flags?: Readonly<
    Record<
      string,
      {
        readonly says: string;
        /** Field of the body, with dots; left out: for `calls`. */
        readonly field?: string;
        readonly kind?: "text" | "number" | "list" | "flag";
        readonly needed?: true;
      }
    >
  >;
  /** Fields of the body that are always the same. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Columns of a list, for people. */
  readonly columns?: readonly string[];
  /** Left out: the operator's. */
  readonly api?: "merchant";
  calls(words: readonly string[], given: Given): readonly { readonly method: string; readonly path: string }[];
  /** Only the newest of a list that can be very long. */
  readonly firstPage?: true;
  /** For people, where columns and fields do not do. */
  shows?(result: unknown): string;
  /** Whether the answer makes the exit code 1. */
  fails?(result: unknown): boolean;
};

/** One call; `{0}` is the first word. */
const call = (method: string, path: string) => (words: readonly string[]) => [
  { method, path: path.replace(/\{(\d)\}/g, (_, i) => words[Number(i)] ?? "") },
];
/** Fields of a webhook endpoint. */
const ENDPOINT = {
  url: { says: "where events go", field: "url" },
  events: {
    says: "which events, such as payment_completed,refund_failed; left out: the interface's ten",
    field: "events",
    kind: "list",
  },
  description: { says: "for your own use", field: "description" },
  enabled: { says: "true or false", field: "enabled", kind: "flag" },
  retry: { says: "standard or extended", field: "retry" },
} as const;
const ACCOUNT = ["id", "name", "status", "document", "createdAt"];

/** Noun → verb → what it does. A noun with the verb "" has no other. */
export const COMMANDS: Readonly<Record<string, Readonly<Record<string, Action>>>> = {
  account: {
    list: { says: "Every account.", columns: ACCOUNT, calls: call("GET", "/accounts?limit=100") },
    show: { says: "One account.", takes: ["ID"], calls: call("GET", "/accounts/{0}") },
    create: {
      says: "Opens an account.",
      flags: {
        name: { says: "its name", field: "name", needed: true },
        "legal-name": { says: "legal name of the company", field: "legalName" },
        document: { says: "CPF or CNPJ", field: "document" },
      },
      calls: call("POST", "/accounts"),
    },
    update: {
      says: 'Changes an account; fees with --data, such as \'{"fees":{"charge":{"fixed":0.5,"percent":1}}}\'.',
      takes: ["ID"],
      flags: {
        status: { says: "approved, pending or suspended", field: "status" },
        "per-withdrawal": { says: "most of one withdrawal, BRL; none", field: "limits.perWithdrawal", kind: "number" },
        "per-day": { says: "most of a day, BRL; none", field: "limits.perDay", kind: "number" },
        "per-night": { says: "most of a night, BRL; none", field: "limits.perNight", kind: "number" },
        "late-payments": { says: "credit or return", field: "policies.latePayments" },
        "block-cnpj": { says: "true or false", field: "policies.blockCnpjPayers", kind: "flag" },
      },
      calls: call("PATCH", "/accounts/{0}"),
    },
    adjust: {
      says: "Gives money to a wallet, or takes it away.",
      takes: ["ID"],
      flags: {
        amount: { says: "BRL, signed", field: "amount", kind: "number", needed: true },
        balance: { says: "available or promotional", field: "balance", needed: true },
        reason: { says: "why; the merchant reads it", field: "reason", needed: true },
        wallet: { says: "reference of a sub-account", field: "subAccount" },
      },
      calls: call("POST", "/accounts/{0}/adjustments"),
    },
    log: {
      says: "What operators changed of it.",
      takes: ["ID"],
      columns: ["createdAt", "actor", "action", "objectId"],
      calls: call("GET", "/audit-log?accountId={0}&limit=100"),
    },
  },
  credential: {
    list: {
      says: "The credentials of an account.",
      takes: ["ACCOUNT"],
      columns: ["id", "clientId", "name", "permissions", "revokedAt"],
      calls: call("GET", "/accounts/{0}/credentials?limit=100"),
    },
    create: {
      says: "Makes a credential; its secret is shown this once.",
      takes: ["ACCOUNT"],
      flags: {
        name: { says: "what it is for", field: "name", needed: true },
        permissions: { says: "such as PIX:WRITE,TRANSACTION:READ", field: "permissions", kind: "list", needed: true },
        "sub-accounts": { says: "true: may name sub-accounts", field: "subAccountAccess", kind: "flag" },
        "allowed-ips": { says: "where withdrawals may come from", field: "allowedIps", kind: "list" },
      },
      calls: call("POST", "/accounts/{0}/credentials"),
    },
    rotate: {
      says: "Gives it a new secret, shown this once.",
      takes: ["ACCOUNT", "ID"],
      calls: call("POST", "/accounts/{0}/credentials/{1}/rotate"),
    },
    revoke: { says: "Ends it.", takes: ["ACCOUNT", "ID"], calls: call("DELETE", "/accounts/{0}/credentials/{1}") },
  },
  institution: {
    list: {
      says: "Every institution.",
      columns: ["id", "name", "provider", "environment", "status", "health", "certificateExpiresAt"],
      calls: call("GET", "/institutions?limit=100"),
    },
    show: { says: "One institution, without its secrets.", takes: ["ID"], calls: call("GET", "/institutions/{0}") },
    create: {
      says: "Connects a bank or PSP: name, provider, environment and config with --data @FILE.",
      flags: { name: { says: "its name", field: "name" } },
      calls: call("POST", "/institutions"),
    },
    update: {
      says: "Changes it; of the config only the fields in --data change.",
      takes: ["ID"],
      flags: {
        status: { says: "active or inactive", field: "status" },
        priority: { says: "lowest first", field: "priority", kind: "number" },
      },
      calls: call("PATCH", "/institutions/{0}"),
    },
    test: {
      says: "What works between it and us, and registers our address for notifications.",
      takes: ["ID"],
      calls: call("POST", "/institutions/{0}/test"),
      fails: (result) => !(result as { ok: boolean }).ok,
    },
    link: {
      says: "Lets an account use it, or not.",
      takes: ["ACCOUNT", "ID"],
      flags: {
        enabled: { says: "true or false", field: "enabled", kind: "flag", needed: true },
        priority: { says: "for this account, lowest first; none", field: "priority", kind: "number" },
      },
      calls: call("PUT", "/accounts/{0}/institutions/{1}"),
    },
  },
  endpoint: {
    list: {
      says: "The webhook endpoints of an account.",
      columns: ["id", "url", "events", "enabled"],
      api: "merchant",
      calls: call("GET", "/webhook-endpoints?limit=100"),
    },
    show: { says: "One endpoint.", takes: ["ID"], api: "merchant", calls: call("GET", "/webhook-endpoints/{0}") },
    create: {
      says: "Registers an endpoint; its secret is shown this once.",
      flags: { ...ENDPOINT, url: { ...ENDPOINT.url, needed: true } },
      api: "merchant",
      calls: call("POST", "/webhook-endpoints"),
    },
    update: {
      says: "Changes it.",
      takes: ["ID"],
      flags: ENDPOINT,
      api: "merchant",
      calls: call("PATCH", "/webhook-endpoints/{0}"),
    },
    test: {
      says: "Sends it a test event.",
      takes: ["ID"],
      body: { event: "payment_completed" },
      flags: { event: { says: "which; left out: payment_completed", field: "event" } },
      api: "merchant",
      calls: call("POST", "/webhook-endpoints/{0}/test"),
    },
    deliveries: {
      says: "The last 100 deliveries to it, newest first.",
      takes: ["ID"],
      columns: ["id", "event", "eventId", "status", "attempts", "createdAt"],
      api: "merchant",
      firstPage: true,
      calls: call("GET", "/webhook-deliveries?endpointId={0}&limit=100"),
    },
    rotate: {
      says: "Gives it a new secret, shown this once; both sign for a day.",
      takes: ["ID"],
      api: "merchant",
      calls: call("POST", "/webhook-endpoints/{0}/rotate-secret"),
    },
    "finish-rotation": {
      says: "Ends the day in which both secrets sign.",
      takes: ["ID"],
      api: "merchant",
      calls: call("POST", "/webhook-endpoints/{0}/finish-rotation"),
    },
    delete: { says: "Deletes it.", takes: ["ID"], api: "merchant", calls: call("DELETE", "/webhook-endpoints/{0}") },
  },
  person: {
    export: {
      says: "Everything that is kept about a person or company, as JSON.",
      flags: { document: { says: "CPF or CNPJ", field: "document", needed: true } },
      calls: call("POST", "/persons/export"),
    },
    erase: {
      says: "Erases what may be erased about a person; what is open or to be kept by law stays. It cannot be undone.",
      flags: {
        document: { says: "CPF or CNPJ", field: "document", needed: true },
        "keep-years": { says: "how long it stays known who paid; 10", field: "keepYears", kind: "number" },
      },
      calls: call("POST", "/persons/erase"),
    },
  },
  unmatched: {
    list: {
      says: "Money that waits for a decision: receipts that belong to no charge, returns that failed.",
      flags: { status: { says: "left out: open; all, or another status" } },
      columns: ["id", "kind", "status", "amount", "reason", "payerName", "paidAt"],
      calls: (_, { status = "open" }) => [
        {
          method: "GET",
          path: `/unmatched?limit=100${status === "all" ? "" : `&status=${encodeURIComponent(status)}`}`,
        },
      ],
    },
    assign: {
      says: "A receipt pays a charge.",
      takes: ["ID"],
      body: { action: "assign" },
      flags: {
        account: { says: "id of the account", field: "accountId", needed: true },
        charge: { says: "id of the charge that was meant", field: "chargeId", needed: true },
      },
      calls: call("POST", "/unmatched/{0}/resolve"),
    },
    return: {
      says: "A receipt goes back to its payer.",
      takes: ["ID"],
      body: { action: "return" },
      calls: call("POST", "/unmatched/{0}/resolve"),
    },
    retry: {
      says: "A failed return is tried again; the institution is asked first.",
      takes: ["ID"],
      body: { action: "retry" },
      calls: call("POST", "/unmatched/{0}/resolve"),
    },
  },
  token: {
    list: {
      says: "Every operator token.",
      columns: ["id", "name", "role", "lastUsedAt", "revokedAt"],
      calls: call("GET", "/tokens?limit=100"),
    },
    create: {
      says: "Makes an operator token, shown this once (--on-this-machine: the first one, without a token).",
      flags: {
        name: { says: "whose it is", field: "name", needed: true },
        role: { says: "admin, finance or support", field: "role", needed: true },
      },
      calls: call("POST", "/tokens"),
    },
    revoke: { says: "Ends it.", takes: ["ID"], calls: call("DELETE", "/tokens/{0}") },
  },
  verify: {
    "": {
      says: "Checks every invariant of the books; exit code 1 when one is broken. With DATABASE_URL: of that database.",
      calls: call("GET", "/ledger/verify"),
      shows: (result) => showVerified(result as Verified),
      fails: (result) => !(result as { ok: boolean }).ok,
    },
  },
  reconcile: {
    "": {
      says: "A day (of São Paulo) of every institution against our books; --csv for a table. Exit code 1 while something is open.",
      takes: ["DATE"],
      flags: {
        institution: { says: "only this one, by its id" },
        refresh: { says: "true: reconcile again" },
      },
      calls: ([date], { institution, refresh }) => {
        const query = new URLSearchParams({
          ...(institution === undefined ? {} : { institutionId: institution }),
          ...(refresh === undefined ? {} : { refresh }),
        }).toString();
        return [{ method: "GET", path: `/reconciliation/${date}${query ? `?${query}` : ""}` }];
      },
      shows: (result) => showReconciled(result as Reconciled),
      fails: (result) => typeof result === "object" && isOpen(result as Reconciled),
    },
  },
};
