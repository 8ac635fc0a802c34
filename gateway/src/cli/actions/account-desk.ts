import { show, showTime } from "../show.ts";
import type { Action, Flag } from "./action.ts";

const WALLET: Flag = { description: "reference of a sub-account; left out: the main account", query: "subAccount" };

type Row = Readonly<Record<string, unknown>>;
type Desk = Row & {
  readonly wallets: readonly Row[] | null;
  readonly institutions: readonly Row[] | null;
  readonly webhookEndpoints: readonly Row[] | null;
};

const WALLETS = ["subAccount", "name", "status", "available", "held", "promotional", "total", "heldBy"];
const INSTITUTIONS = ["id", "name", "provider", "status", "enabled", "priority"];
const ENDPOINTS = ["id", "url", "enabled", "events"];

/** For people: the account's fields, then a table of each list. */
export function showAccount(result: unknown): string {
  const { wallets, institutions, webhookEndpoints, ...account } = result as Desk;
  const table = (title: string, items: readonly Row[] | null, columns: readonly string[]) =>
    `\n${title}\n${items === null ? "Your role may not read them." : show({ items }, columns)}`;
  return [
    show(account),
    table("Wallets, BRL", wallets, WALLETS),
    table("Institutions", institutions, INSTITUTIONS),
    table("Webhook endpoints", webhookEndpoints, ENDPOINTS),
  ].join("\n");
}

type Kind = {
  readonly kind: string;
  readonly says: string;
  readonly lines: number;
  readonly amount: string;
  readonly newest: Row;
};
/** With its amounts as texts. */
type Explanation = {
  readonly at: string;
  readonly total: string;
  readonly balances: readonly { readonly balance: string; readonly amount: string; readonly kinds: readonly Kind[] }[];
};

/** For people: the total, each balance with its causes, and the newest line of each kind. */
function showExplanation(result: unknown): string {
  const { at, total, balances } = result as Explanation;
  const brl = (amount: string) => amount.padStart(14);
  return [
    `At ${showTime(at)}, BRL:`,
    `${brl(total)}  total`,
    ...balances.flatMap(({ balance, amount, kinds }) => [
      `${brl(amount)}  ${balance}`,
      ...kinds.flatMap(({ kind, says, lines, amount: of, newest }) => [
        `${brl(of)}    ${kind}: ${says} (${lines} ${lines === 1 ? "line" : "lines"})`,
        `${" ".repeat(18)}newest: ${String(newest.amount)} at ${showTime(String(newest.bookedAt))}, transaction ${String(newest.transactionId ?? "none")}`,
      ]),
    ]),
  ].join("\n");
}

/** Verbs of `pixgate accounts` that read what an account's merchant sees. */
export const accountDesk: Readonly<Record<string, Action>> = {
  institutions: {
    description: "List the institutions of an account, in the order in which charges try them.",
    takes: ["ID"],
    columns: INSTITUTIONS,
    call: "GET /accounts/{0}/institutions",
  },
  balance: {
    description: "Show the balances of an account's wallets, and what holds what.",
    takes: ["ID"],
    flags: { wallet: { ...WALLET, description: "only this sub-account, by its reference" } },
    columns: WALLETS,
    call: "GET /accounts/{0}/balance?limit=100",
  },
  "explain-balance": {
    alias: "explain",
    description: "Explain a balance: total, kinds of movement, newest lines and their causes.",
    takes: ["ID"],
    flags: {
      at: { description: "at the end of this day (2026-11-20) or at this time; default: now", query: "at" },
      wallet: WALLET,
    },
    call: "GET /accounts/{0}/balance/explanation",
    shows: showExplanation,
  },
  statement: {
    description: "Show the newest 100 lines of an account's statement, with what caused them.",
    takes: ["ID"],
    flags: {
      from: { description: "booked from this day or time on", query: "from" },
      to: { description: "booked up to this day or time", query: "to" },
      kind: { description: "only this kind of movement", query: "kind" },
      wallet: WALLET,
    },
    columns: ["bookedAt", "balance", "line", "kind", "amount", "balanceAfter", "transactionId", "e2eId"],
    call: "GET /accounts/{0}/statement?limit=100",
    firstPage: true,
  },
  "webhook-endpoints": {
    alias: "endpoints",
    description: "List the webhook endpoints of an account.",
    takes: ["ID"],
    flags: { wallet: WALLET },
    columns: ENDPOINTS,
    call: "GET /accounts/{0}/webhook-endpoints?limit=100",
  },
  "webhook-deliveries": {
    alias: "deliveries",
    description: "List the newest 100 webhook deliveries of an account.",
    takes: ["ID"],
    flags: {
      status: { description: "only with this status", query: "status", choices: ["pending", "delivered", "failed"] },
      endpoint: { description: "only to this endpoint, by its id", query: "endpointId" },
      event: { description: "only of this event, by its id", query: "eventId" },
      wallet: WALLET,
    },
    columns: ["id", "event", "eventId", "status", "attemptCount", "nextAttemptAt", "createdAt"],
    call: "GET /accounts/{0}/webhook-deliveries?limit=100",
    firstPage: true,
  },
};
