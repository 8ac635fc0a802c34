import { type BrCode, receiverName } from "../lib/brcode.ts";
import { documentKind } from "../lib/documents.ts";
import type { Centavos } from "../lib/money.ts";
import type { PayerCharge } from "./find.ts";
import type { Language } from "./texts.ts";

const BRL = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
/** As Brazilian banks write it, in every language: the payer compares it with the bank's app. */
export const moneyText = (centavos: Centavos): string => BRL.format(centavos / 100);

/** Formats by language and precision: making one takes longer than the rest of a page. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(language: Language, withSeconds: boolean): Intl.DateTimeFormat {
  const key = `${language} ${withSeconds}`;
  const made = formats.get(key);
  if (made) return made;
  const format = new Intl.DateTimeFormat(language, {
    ...{ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" },
    ...(withSeconds && { second: "2-digit" }),
    ...(language !== "pt-BR" && { timeZoneName: "short" }),
    ...{ timeZone: "America/Sao_Paulo", hourCycle: "h23" },
  });
  formats.set(key, format);
  return format;
}

/** Brasília's time, as banks show it; a visitor from elsewhere reads which time it is. */
export const instantText = (instant: Date, language: Language, withSeconds = false): string =>
  formatOf(language, withSeconds).format(instant);

/** A day as `2026-12-10`, in words. */
export const dayText = (day: string, language: Language): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(day));

/** The first letters of the first two words. */
export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  return words
    .slice(0, 2)
    .map((word) => [...word][0]!.toUpperCase())
    .join("");
}

/** A CNPJ in full, which is public; of a CPF the middle, as banks show it. */
export function documentText(document: string): string {
  const kind = documentKind(document);
  if (kind === "cnpj") return `CNPJ ${document.replace(/^(..)(...)(...)(....)(..)$/, "$1.$2.$3/$4-$5")}`;
  return kind === "cpf" ? `CPF ${document.replace(/^...(...)(...)..$/, "***.$1.$2-**")}` : document;
}

/** The name that the payer's bank will show, as far as it is known. */
export const receiverOf = (
  { name, legalName }: Pick<PayerCharge, "name" | "legalName">,
  code: BrCode | { readonly error: string },
): string => receiverName(legalName === null ? [name] : [legalName, name], code);
