import { accountDesk, showAccount } from "./account-desk.ts";
import type { Flag, WithVerbs } from "./action.ts";
import { accountLog } from "./audit-log.ts";

const PERMISSIONS =
  "PIX:WRITE, WITHDRAWAL:WRITE, WITHDRAWAL:APPROVE, REFUND:WRITE, TRANSACTION:READ, BALANCE_BLOCK:READ, BALANCE_BLOCK:WRITE, ACCOUNT:READ, PROJECT:WRITE, PROJECT:READ, SUBACCOUNT:WRITE, SUBACCOUNT:READ, TRANSFER:WRITE, WEBHOOK:READ, WEBHOOK:WRITE, FULL_ACCESS";
const MONEY = "BRL; none: no limit";
export const LIMITS: Readonly<Record<string, Flag>> = {
  "per-withdrawal": { description: `most of one withdrawal, ${MONEY}`, field: "limits.perWithdrawal", kind: "number" },
  "per-day": { description: `most of a day, ${MONEY}`, field: "limits.perDay", kind: "number" },
  "per-night": { description: `most of a night, ${MONEY}`, field: "limits.perNight", kind: "number" },
};

export const accounts: WithVerbs = {
  alias: "account",
  description: "Open and change accounts; move money by hand.",
  verbs: {
    list: {
      description: "List every account.",
      columns: ["id", "name", "status", "document", "createdAt"],
      call: "GET /accounts?limit=100",
    },
    get: {
      alias: "show",
      description: "Show an account: its settings, balances, institutions and webhook endpoints.",
      takes: ["ID"],
      call: "GET /accounts/{0}",
      also: {
        wallets: "/accounts/{0}/balance",
        institutions: "/accounts/{0}/institutions",
        webhookEndpoints: "/accounts/{0}/webhook-endpoints",
      },
      shows: showAccount,
    },
    create: {
      description: "Open an account.",
      flags: {
        name: { description: "its name", field: "name", needed: true },
        "legal-name": { description: "legal name of the company", field: "legalName" },
        document: { description: "CPF or CNPJ", field: "document" },
        ...LIMITS,
      },
      call: "POST /accounts",
    },
    update: {
      description:
        'Change an account; its fees with --data, such as \'{"fees":{"charge":{"fixed":0.5,"percent":1}}}\'.',
      takes: ["ID"],
      flags: {
        status: { description: "its status", field: "status", choices: ["approved", "pending", "suspended"] },
        ...LIMITS,
        "late-payments": {
          description: "what becomes of a late payment",
          field: "policies.latePayments",
          choices: ["credit", "return"],
        },
        "block-cnpj": {
          description: "whether payments of companies (payers with a CNPJ) are returned",
          field: "policies.blockCnpjPayers",
          kind: "boolean",
        },
      },
      call: "PATCH /accounts/{0}",
    },
    adjust: {
      description: "Give money to a wallet, or take it away.",
      takes: ["ID"],
      flags: {
        amount: { description: "BRL; negative takes away", field: "amount", kind: "number", needed: true },
        balance: {
          description: "which balance",
          field: "balance",
          choices: ["available", "promotional"],
          needed: true,
        },
        reason: { description: "why; the merchant reads it", field: "reason", needed: true },
        wallet: { description: "reference of a sub-account; left out: the main account", field: "subAccount" },
      },
      call: "POST /accounts/{0}/adjustments",
    },
    ...accountDesk,
    log: accountLog,
    "lift-freeze": {
      description: "Lift the freeze that the auditor put on an account's withdrawals.",
      takes: ["ID"],
      flags: { reason: { description: "why; kept in the audit log", field: "reason", needed: true } },
      call: "POST /accounts/{0}/lift-freeze",
    },
  },
};

export const credentials: WithVerbs = {
  alias: "credential",
  description: "Make, rotate and revoke the credentials of accounts.",
  verbs: {
    list: {
      description: "List the credentials of an account.",
      takes: ["ACCOUNT"],
      columns: ["id", "clientId", "name", "permissions", "revokedAt"],
      call: "GET /accounts/{0}/credentials?limit=100",
    },
    create: {
      description: "Make a credential; its secret is shown this once.",
      takes: ["ACCOUNT"],
      flags: {
        name: { description: "what it is for", field: "name", needed: true },
        permissions: { description: PERMISSIONS, field: "permissions", kind: "list", needed: true },
        "sub-accounts": { description: "whether it may name sub-accounts", field: "subAccountAccess", kind: "boolean" },
        "allowed-ips": { description: "where withdrawals may come from", field: "allowedIps", kind: "list" },
      },
      call: "POST /accounts/{0}/credentials",
    },
    rotate: {
      description: "Give a credential a new secret, shown this once.",
      takes: ["ACCOUNT", "ID"],
      call: "POST /accounts/{0}/credentials/{1}/rotate",
    },
    adopt: {
      description: "Take a credential over, so that it no longer ends with who made it.",
      takes: ["ACCOUNT", "ID"],
      call: "POST /accounts/{0}/credentials/{1}/adopt",
    },
    revoke: {
      description: "Revoke a credential.",
      takes: ["ACCOUNT", "ID"],
      call: "DELETE /accounts/{0}/credentials/{1}",
    },
  },
};
