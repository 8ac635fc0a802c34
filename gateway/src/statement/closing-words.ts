import type { PaperLanguage } from "../lib/pdf/words.ts";

type Operation = "charge" | "withdrawal" | "refund";
type Words = {
  readonly title: (month: string) => string;
  readonly fee: (operation: Operation, count: number) => string;
  readonly madeAt: (moment: string) => string;
  readonly types: Readonly<Record<string, string>>;
} & Readonly<
  Record<
    | "principal" | "account" | "company" | "accountId" | "wallet" | "state" | "over" | "partial" | "money" | "simulated"
    | "balance" | "opening" | "closing" | "in" | "out" | "byType" | "type" | "count" | "sum" | "fees" | "feesTotal"
    | "equal",
    string
  >
>; // biome-ignore format: a list reads better in rows

const monthText = (month: string, language: PaperLanguage): string =>
  new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01`),
  );

/** The words of the close of a month. */
export const WORDS: Readonly<Record<PaperLanguage, Words>> = {
  "pt-BR": {
    title: (month) => `Fechamento de ${monthText(month, "pt-BR")}`,
    principal: "carteira principal",
    account: "Conta",
    company: "Empresa",
    accountId: "Identificador",
    wallet: "Carteira",
    state: "Situação",
    over: "O mês terminou: estes números não mudam mais.",
    partial: "O mês ainda não terminou: números parciais.",
    money: "Ambiente",
    simulated: "Sandbox, dinheiro simulado",
    balance: "Do saldo inicial ao final",
    opening: "Saldo inicial",
    closing: "Saldo final",
    in: "Entradas",
    out: "Saídas",
    byType: "Por tipo",
    type: "Tipo",
    count: "Lançamentos",
    sum: "Entradas e saídas",
    fees: "Tarifas (já contadas acima)",
    feesTotal: "Total de tarifas",
    fee: (operation, count) =>
      `${count} ${count === 1 ? "tarifa" : "tarifas"} de ${{ charge: "Pix", withdrawal: "saque", refund: "devolução" }[operation]}`,
    types: {
      payment: "Cobrança",
      withdrawal: "Saque",
      refund: "Devolução",
      internal_transfer: "Transferência entre carteiras",
      adjustment: "Ajuste",
      fee: "Tarifa",
      chargeback: "Contestação",
      referral_commission: "Comissão",
      tax: "Tributo retido",
    },
    equal:
      "Saldo inicial, entradas, saídas e saldo final conferem com o livro-razão, centavo por centavo. Cada movimento está no mês em que foi lançado.",
    madeAt: (moment) => `Emitido em ${moment}. Horários de Brasília.`,
  },
  en: {
    title: (month) => `Close of ${monthText(month, "en")}`,
    principal: "main wallet",
    account: "Account",
    company: "Company",
    accountId: "Identifier",
    wallet: "Wallet",
    state: "State",
    over: "The month is over: these figures do not change any more.",
    partial: "The month is not over: the figures are partial.",
    money: "Environment",
    simulated: "Sandbox, simulated money",
    balance: "From the opening to the closing balance",
    opening: "Opening balance",
    closing: "Closing balance",
    in: "In",
    out: "Out",
    byType: "By type",
    type: "Type",
    count: "Lines",
    sum: "In and out",
    fees: "Fees (counted above already)",
    feesTotal: "Fees in all",
    fee: (operation, count) =>
      `${count} ${count === 1 ? "fee of a" : "fees of"} ${{ charge: "Pix", withdrawal: "withdrawal", refund: "refund" }[operation]}`,
    types: {
      payment: "Charge",
      withdrawal: "Withdrawal",
      refund: "Refund",
      internal_transfer: "Transfer between wallets",
      adjustment: "Adjustment",
      fee: "Fee",
      chargeback: "Chargeback",
      referral_commission: "Commission",
      tax: "Withheld tax",
    },
    equal:
      "Opening balance, what came in, what went out and closing balance equal the ledger, centavo by centavo. Each movement is in the month in which it was booked.",
    madeAt: (moment) => `Made on ${moment}. Times of Brasília.`,
  },
};
