import { show, showTime } from "../show.ts";

type Row = Readonly<Record<string, unknown>>;
type Desk = Row & {
  readonly wallets: readonly Row[] | null;
  readonly institutions: readonly Row[] | null;
  readonly webhookEndpoints: readonly Row[] | null;
};

export const WALLETS = ["subAccount", "name", "status", "available", "held", "promotional", "total", "heldBy"];
export const INSTITUTIONS = ["id", "name", "provider", "status", "enabled", "priority"];
export const ENDPOINTS = ["id", "url", "enabled", "events"];

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
export function showExplanation(result: unknown): string {
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
