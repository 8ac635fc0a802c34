import { ERASED } from "./erased.ts";

/** What is in a name beside it: the number of a one-person company, and `S/A`. */
const BESIDE = /\d{11}|\d{2}\.\d{3}\.\d{3}|\bs[/.]a\b/g;
/** Words that names have or leave out: between their parts, and of the form of a company. */
const OPTIONAL = /^(d[aeo]s?|e|ltda|limitada|eireli|epp|mei?)$/;

const bareOf = (name: string): string => name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

const wordsOf = (bare: string): readonly string[] =>
  bare
    .replace(BESIDE, " ")
    .replace(/['’]/g, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !OPTIONAL.test(word));

const isInitialOf = (one: string, other: string): boolean => one.length === 1 && other.startsWith(one);

/**
 * Whether two names are not of the same holder. `Ana Lima` and `ANA SOUZA LIMA` are: they begin alike, and the longer one has the
 * words of the shorter one in their order; before the last one an initial is enough. A single word is only itself: `Ana` is not
 * `Ana Lima`. What has no words, such as `***`, is only itself too.
 */
export function isOtherName(one: string, other: string): boolean {
  const bare = [bareOf(one), bareOf(other)] as const;
  const [short, long] = bare.map(wordsOf).toSorted((a, b) => a.length - b.length) as [string[], string[]];
  if (short.length === 0) return bare[0] !== bare[1];
  if (short[0] !== long[0] || (short.length === 1 && long.length > 1)) return true;
  let at = 0;
  return !short.every((word, i) => {
    const isLast = i === short.length - 1;
    const isAlike = (whole: string) =>
      whole === word || (!isLast && (isInitialOf(word, whole) || isInitialOf(whole, word)));
    const found = long.findIndex((whole, n) => n >= at && isAlike(whole));
    at = found + 1;
    return found >= 0;
  });
}

/** Whether a bank has paid another name than was asked for; null: it named nobody, or it is not known any more who was asked for. */
export const isPaidToOther = (asked: string, paid: string | null): boolean | null =>
  paid === null || paid.trim() === "" || asked === ERASED ? null : isOtherName(asked, paid);
