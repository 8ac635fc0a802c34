import { inBrasilia } from "../days.ts";

/** The languages of papers. */
export const PAPER_LANGUAGES = ["pt-BR", "en"] as const;
export type PaperLanguage = (typeof PAPER_LANGUAGES)[number];

const BRL = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
/** As Brazilian banks write it, in both languages. */
export const brlText = (brl: number): string => BRL.format(brl);

/** A moment of Brasília; in English with the year first, which nobody takes for another day. */
export function momentText(at: Date, language: PaperLanguage): string {
  const [day, time] = inBrasilia(at).slice(0, 19).split("T") as [string, string];
  return language === "en" ? `${day} ${time}` : `${day.split("-").reverse().join("/")} ${time}`;
}
