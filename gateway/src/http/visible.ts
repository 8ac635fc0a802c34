/**
 * Which characters of a text a screen shows. Unicode calls some letters and signs that have no ink: Hangul fillers (U+115F,
 * U+1160, U+3164, U+FFA0), joiners, the blank of Braille (U+2800), blanks of hieroglyphs and of musical notes. A name made of
 * them alone is a gap on every screen, and one that has some looks like another's.
 */

const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u{2800}\u{13441}\u{13442}\u{1D159}]/gu;
/** What has ink by itself: a mark (an accent) alone does not count. */
const INK = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The text without the characters that nobody sees; spaces stay. */
export const withoutUnseen = (text: string): string => text.replaceAll(UNSEEN, "");

/** Whether the text shows anything: a letter, a digit, a sign. */
export const hasInk = (text: string): boolean => INK.test(withoutUnseen(text));

/** Whether every character of the text is seen, or is a space. */
export const isAllSeen = (text: string): boolean => withoutUnseen(text) === text;
