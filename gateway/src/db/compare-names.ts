/** How names of persons are compared with a part of one: without accents and capitals. */
import { type Fragment, part } from "./sql.ts";

/**
 * Most charges, withdrawals and payment links that one search compares, the newest first. No index has names and amounts, because
 * every settlement would pay for it; so a page of a list ends after this many, some 40 ms, and the next one continues there.
 */
export const MOST_COMPARED = 10_000;

/** Letters of Portuguese names without their accents: the database's own `lower` knows them only in some locales. */
const [ACCENTED, BARE] = ["ÁÀÂÃÄÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÇÑ", "AAAAAEEEEIIIIOOOOOUUUUCN"];
/** A text as names are compared. */
export const plain = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
/** The same of an expression. */
export const plainOf = (text: Fragment): Fragment =>
  part`lower(translate(${text}, ${ACCENTED + ACCENTED.toLowerCase()}, ${BARE + BARE}))`;
