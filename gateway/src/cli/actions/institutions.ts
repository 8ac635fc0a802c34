import { show } from "../show.ts";
import type { WithVerbs } from "./action.ts";

export const banks: WithVerbs = {
  alias: "bank",
  description: "Show the banks that have an adapter, and what each can do.",
  verbs: {
    list: {
      description: "List every bank; --json adds what it can do, takes in config, and what nobody has confirmed.",
      columns: ["id", "name", "summary"],
      call: "GET /banks",
    },
    check: {
      description:
        "Hold what the bank of an institution does against what we assume, on the first day with it; the report can be sent to others.",
      takes: ["ID"],
      flags: {
        charge: {
          description: "whether to issue a charge, shown to nobody, and remove it",
          field: "charge",
          kind: "boolean",
        },
      },
      call: "POST /institutions/{0}/check",
      fails: (result) => !(result as { ok: boolean }).ok,
    },
  },
};

export const institutions: WithVerbs = {
  alias: "institution",
  description: "Connect banks, test them, let accounts use them.",
  verbs: {
    list: {
      description: "List every institution.",
      columns: ["id", "name", "provider", "environment", "status", "health", "certificateExpiresAt"],
      call: "GET /institutions?limit=100",
    },
    get: {
      alias: "show",
      description: "Show one institution, without its secrets.",
      takes: ["ID"],
      call: "GET /institutions/{0}",
    },
    create: {
      description: "Connect a bank or PSP; provider, environment and config with --data @FILE.",
      flags: { name: { description: "its name", field: "name" } },
      call: "POST /institutions",
    },
    update: {
      description: "Change an institution; of its config only the settings in --data change.",
      takes: ["ID"],
      flags: {
        status: {
          description: "whether new charges go there",
          field: "status",
          choices: ["active", "inactive", "retired"],
        },
        priority: { description: "lowest first", field: "priority", kind: "number" },
        share: {
          description: "its part of what institutions of the same priority share, 0 to 100",
          field: "share",
          kind: "number",
        },
        cnpj: { description: "the bank's CNPJ, which customers' invoices name", field: "cnpj" },
      },
      call: "PATCH /institutions/{0}",
    },
    test: {
      description: "Test what works between us and an institution, and register our address for notifications.",
      takes: ["ID"],
      call: "POST /institutions/{0}/test",
      fails: (result) => !(result as { ok: boolean }).ok,
    },
    route: {
      description: "Show why a charge is at its institution, and which were passed over.",
      takes: ["ACCOUNT", "CHARGE"],
      call: "GET /accounts/{0}/charges/{1}/route",
    },
    health: {
      description: "Show how an institution answered lately, and its outages.",
      takes: ["ID"],
      flags: { period: { description: "how far back; left out: day", query: "period", choices: ["day", "week"] } },
      call: "GET /institutions/{0}/health",
      shows: (result) => {
        const { outages } = result as { outages: unknown[] };
        return outages.length === 0 ? "No outage." : show({ items: outages }, ["from", "until", "state"]);
      },
    },
    activity: {
      description: "Show how all institutions answered in the last hour, and their outages of a day.",
      call: "GET /institutions/activity",
      shows: (result) => {
        const { institutions, outages } = result as { institutions: unknown[]; outages: unknown[] };
        return [
          show({ items: institutions }, [
            "institutionId",
            "share",
            "chargesAnswered",
            "chargesUnanswered",
            "p50Ms",
            "p95Ms",
          ]),
          ...(outages.length === 0 ? [] : [show({ items: outages }, ["institutionId", "from", "until", "state"])]),
        ].join("\n\n");
      },
    },
    hours: {
      description: "Show what went over an institution by hours, and what it cost.",
      takes: ["ID"],
      flags: { period: { description: "how far back; left out: day", query: "period", choices: ["day", "week"] } },
      call: "GET /institutions/{0}/hours",
      shows: (result) =>
        show({ items: (result as { hours: unknown[] }).hours }, [
          ...["at", "chargesAnswered", "chargesUnanswered", "received", "receivedAmount"],
          ...["payouts", "payoutsAmount", "payoutsFailed", "tariffs"],
        ]),
    },
    "enter-balance": {
      description: "Enter the balance of an institution that reports none, from its statement.",
      takes: ["ID"],
      flags: {
        balance: {
          description: "what it holds, BRL, blocked money too",
          field: "balance",
          kind: "number",
          needed: true,
        },
        at: { description: "of which moment, such as 2026-11-20T18:00:00-03:00", field: "at", needed: true },
        blocked: { description: "what of it is blocked, BRL; left out: nothing", field: "blocked", kind: "number" },
      },
      call: "POST /institutions/{0}/balance",
    },
    "notification-address": {
      description: "Show the address to register at an institution for its notifications.",
      takes: ["ID"],
      call: "GET /institutions/{0}/notification-address",
    },
    "rotate-notification-path": {
      description: "Replace a notification path that leaked; afterwards run test, which registers the new path.",
      takes: ["ID"],
      call: "POST /institutions/{0}/rotate-notification-path",
    },
    link: {
      description: "Allow or forbid an account the use of an institution.",
      takes: ["ACCOUNT", "ID"],
      flags: {
        enabled: { description: "whether it may", field: "enabled", kind: "boolean", needed: true },
        priority: {
          description: "for this account, lowest first; none: the institution's",
          field: "priority",
          kind: "number",
        },
      },
      call: "PUT /accounts/{0}/institutions/{1}",
    },
  },
};
