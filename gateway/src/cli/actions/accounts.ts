/** What the document lacks about the operator's commands for accounts, banks and people. */
import { UsageError } from "../error.ts";
import { show } from "../show.ts";
import type { Additions } from "./document.ts";
import { ENDPOINTS, INSTITUTIONS, showAccount, showExplanation, WALLETS } from "./show-account.ts";
import { FORMAT, isWrong, tableOf } from "./show-answer.ts";

const STATUS = { status: { description: "its status" } };
const HERE = {
  description: "with DATABASE_URL, PIXGATE_PUBLIC_URL and PIXGATE_SECRET_KEY: where no admin can sign in",
  kind: "switch",
} as const;

export const ACCOUNTS: Additions = {
  "accounts.list": {
    columns: ["id", "name", "status", "document", "createdAt"],
    without: ["balance"],
  },
  "accounts.get": {
    alias: "show",
    description: "Show an account: its settings, balances, institutions and webhook endpoints.",
    also: {
      wallets: "/accounts/{0}/balance",
      institutions: "/accounts/{0}/institutions",
      webhookEndpoints: "/accounts/{0}/webhook-endpoints",
    },
    shows: showAccount,
  },
  "accounts.create": { flags: { name: { description: "its name" } } },
  "accounts.update": {
    description: 'Change an account; its fees with --data, such as \'{"fees":{"charge":{"fixed":0.5,"percent":1}}}\'.',
    flags: STATUS,
  },
  "adjustments.create": { as: "accounts adjust", description: "Give money to a wallet, or take it away." },
  "accounts.institutions": {
    description: "List the institutions of an account, in the order in which charges try them.",
    columns: INSTITUTIONS,
  },
  "accounts.balance": {
    flags: { wallet: { description: "only this sub-account, by its reference" } },
    columns: WALLETS,
  },
  "accounts.explainBalance": {
    alias: "explain",
    description: "Explain a balance: total, kinds of movement, newest lines and their causes.",
    shows: showExplanation,
  },
  "accounts.statement": {
    description: "Show the newest 100 lines of an account's statement, with what caused them.",
    columns: ["bookedAt", "balance", "line", "kind", "amount", "balanceAfter", "transactionId", "e2eId"],
    firstPage: true,
  },
  "accounts.webhookEndpoints": { alias: "endpoints", columns: ENDPOINTS },
  "accounts.webhookDeliveries": {
    alias: "deliveries",
    description: "List the newest 100 webhook deliveries of an account.",
    columns: ["id", "event", "eventId", "status", "attemptCount", "nextAttemptAt", "createdAt"],
    firstPage: true,
  },
  "accounts.liftFreeze": { description: "Lift the freeze that the auditor put on an account's withdrawals." },
  "accounts.close": { as: "closes account", description: "Show a month of one account.", flags: FORMAT },
  "subAccounts.update": { flags: STATUS },
  "credentials.list": { columns: ["id", "clientId", "name", "permissions", "revokedAt"] },
  "credentials.create": {
    description: "Make a credential; its secret is shown this once.",
    flags: { "sub-accounts": { description: "whether it may name sub-accounts" } },
  },
  "credentials.rotate": { description: "Give a credential a new secret, shown this once." },
  "credentials.adopt": { description: "Take a credential over, so that it no longer ends with who made it." },
};

export const BANKS: Additions = {
  "banks.list": {
    description: "List every bank; --json adds what it can do, takes in config, and what nobody has confirmed.",
    columns: ["id", "name", "summary"],
  },
  "institutions.check": {
    as: "banks check",
    description:
      "Hold what the bank of an institution does against what we assume, on the first day with it; the report can be sent to others.",
    fails: isWrong,
  },
  "institutions.list": {
    columns: ["id", "name", "provider", "environment", "status", "health", "certificateExpiresAt"],
  },
  "institutions.get": { alias: "show" },
  "institutions.create": {
    description: "Connect a bank or PSP; its config with --data @FILE.",
    flags: { provider: { description: "which one, as `banks list` names it", field: "provider", needed: true } },
    without: ["config"],
  },
  "institutions.update": {
    description: "Change an institution; of its config only the settings in --data change.",
    without: ["config"],
    flags: {
      status: { description: "whether new charges go there" },
      share: { description: "its part of what institutions of the same priority share, 0 to 100" },
      cnpj: { description: "the bank's CNPJ, which customers' invoices name" },
    },
  },
  "institutions.test": {
    description: "Test what works between us and an institution, and register our address for notifications.",
    fails: isWrong,
  },
  "charges.route": {
    as: "institutions route",
    description: "Show why a charge is at its institution, and which were passed over.",
  },
  "institutions.health": {
    description: "Show how an institution answered lately, and its outages.",
    shows: (result) => {
      const { outages } = result as { outages: unknown[] };
      return outages.length === 0 ? "No outage." : show({ items: outages }, ["from", "until", "state"]);
    },
  },
  "institutions.activity": {
    description: "Show how all institutions answered in the last hour, and their outages of a day.",
    shows: (result) => {
      const { outages } = result as { outages: unknown[] };
      const answered = ["institutionId", "share", "chargesAnswered", "chargesUnanswered", "p50Ms", "p95Ms"];
      const tables = [tableOf("institutions", answered)(result)];
      if (outages.length > 0) tables.push(tableOf("outages", ["institutionId", "from", "until", "state"])(result));
      return tables.join("\n\n");
    },
  },
  "institutions.hours": {
    description: "Show what went over an institution by hours, and what it cost.",
    shows: tableOf("hours", [
      ...["at", "chargesAnswered", "chargesUnanswered", "received", "receivedAmount"],
      ...["payouts", "payoutsAmount", "payoutsFailed", "tariffs"],
    ]),
  },
  "institutions.enterBalance": {
    description: "Enter the balance of an institution that reports none, from its statement.",
    flags: { at: { description: "of which moment, such as 2026-11-20T18:00:00-03:00" } },
  },
  "institutions.notificationAddress": {
    description: "Show the address to register at an institution for its notifications.",
  },
  "institutions.rotateNotificationPath": {
    description: "Replace a notification path that leaked; afterwards run test, which registers the new path.",
  },
  "institutions.link": {
    flags: { priority: { description: "for this account, lowest first; none: the institution's" } },
  },
};

export const PEOPLE: Additions = {
  "people.list": {
    description: "List everybody with a role in the installation, or in an account.",
    columns: ["id", "name", "email", "role"],
  },
  "people.remove": { description: "Remove somebody from the installation, or from an account; their sessions end." },
  "people.invite": {
    description: "Invite somebody to the console by a link that works once, shown this once.",
    flags: {
      name: { description: "how the person is called; left out: the e-mail address" },
      role: { description: "what the person may do, in the installation or in the account" },
      "on-this-machine": {
        ...HERE,
        description:
          "invite an admin of the installation with DATABASE_URL, PIXGATE_PUBLIC_URL and PIXGATE_SECRET_KEY: the first one, or where no admin can sign in",
      },
    },
    onMachine({ "on-this-machine": here, email, name, role, account, json }) {
      if (here !== true) return null;
      const address = readEmail(email);
      if ((role !== undefined && role !== "admin") || account !== undefined) {
        throw new UsageError("--on-this-machine invites an admin of the installation, who invites all others");
      }
      const person = { email: address, name: name === undefined ? null : String(name) };
      return (machine) => machine.invitePerson(person, json === true);
    },
  },
  "people.recover": {
    description: "Let somebody in who lost what they sign in by, by a link that works once, shown this once.",
    flags: { "on-this-machine": HERE },
    onMachine({ "on-this-machine": here, email, json }) {
      if (here !== true) return null;
      const address = readEmail(email);
      return (machine) => machine.recoverPerson(address, json === true);
    },
  },
  "persons.export": { description: "Print everything that is kept about a person or company, as JSON." },
  "persons.erase": {
    description: "Erase what may be erased about a person; what is open or kept by law stays. It cannot be undone.",
    flags: { "keep-years": { description: "how long it stays known who paid; left out: 10" } },
  },
  "tokens.list": { columns: ["id", "name", "role", "kind", "expiresAt", "lastUsedAt", "revokedAt"] },
  "tokens.create": {
    description: "Make an operator token, shown this once.",
    flags: {
      role: { description: "what it may do" },
      days: { description: "after how many days it ends, 1 to 365; left out: 90" },
      "on-this-machine": {
        ...HERE,
        description: "make the first one, with DATABASE_URL and PIXGATE_SECRET_KEY; the role is admin unless given",
      },
    },
    onMachine({ "on-this-machine": here, name, role = "admin", kind, days, "allowed-ips": allowedIps, json }) {
      if (here !== true) return null;
      if (name === undefined) throw new UsageError("--name is missing: whose it is");
      if (kind !== undefined || allowedIps !== undefined)
        throw new UsageError("--on-this-machine makes a person's token that works from any address");
      if (days !== undefined && !(Number.isInteger(Number(days)) && Number(days) >= 1 && Number(days) <= 365))
        throw new UsageError("--days is a whole number from 1 to 365");
      const token = { name: String(name), role: String(role), days: days === undefined ? null : Number(days) };
      return (machine) => machine.createToken(token, json === true);
    },
  },
  "tokens.adopt": { description: "Take an operator token over, so that it no longer ends with who made it." },
};

function readEmail(given: string | boolean | undefined): string {
  if (given === undefined) throw new UsageError("--email is missing: by which the person signs in");
  if (!/^[^\s@]+@[^\s@]+$/.test(String(given))) throw new UsageError("--email is not an e-mail address");
  return String(given);
}
