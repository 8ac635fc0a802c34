/** Without accents and case, so that `saidas` finds `Saídas`, and `ROSANA` is `Rosana`. */
export const bareText = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

const wordsOf = (name: string): readonly string[] =>
  bareText(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

/** Whether two names are not of the same holder: `Ana Lima` and `ANA SOUZA LIMA` are, as one has every word of the other. */
export function isOtherName(one: string, other: string): boolean {
  const [short = [], long = []] = [wordsOf(one), wordsOf(other)].toSorted((a, b) => a.length - b.length);
  return !short.every((word) => long.includes(word));
}
