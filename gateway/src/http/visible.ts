/**
 * Characters that a screen does not show. Unicode classes some letters and signs without ink as visible: Hangul fillers
 * (U+115F, U+1160, U+3164, U+FFA0), joiners, the blank of Braille (U+2800), blanks of hieroglyphs and musical notes. A name
 * of them alone is a gap on every screen, and a name with some looks like another name.
 */

const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u{2800}\u{13441}\u{13442}\u{1D159}]/gu;
/** What has ink by itself: a mark (an accent) alone does not count. */
const INK = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The text without invisible characters; spaces stay. */
export const withoutUnseen = (text: string): string => text.replaceAll(UNSEEN, "");

/** Whether the text has anything visible: a letter, a digit, a sign. */
export const hasInk = (text: string): boolean => INK.test(withoutUnseen(text));

/** Whether every character of the text is visible or a space. */
export const isAllSeen = (text: string): boolean => withoutUnseen(text) === text;
