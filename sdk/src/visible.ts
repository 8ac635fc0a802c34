/**
 * What a screen obeys or does not show: control characters (a line feed apart), marks that turn the direction of writing, line and
 * paragraph separators, joiners, fillers, tags and other characters without ink.
 */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}\u{13441}\u{13442}\u{1D159}]/gu;

/**
 * A text that others wrote, such as a payer's name, as a person can check it: every character that a screen does not show, or that
 * makes a text read as another, stands as its escape (`\u202e`). Line feeds stay. JSON keeps its meaning.
 */
export const escapeUnseen = (text: string): string =>
  text.replace(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
