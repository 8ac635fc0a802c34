/** Letters that are written from the right, and marks that turn the direction. */
const TURNS =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [START, END] = ["\u2068", "\u2069"];

/** A text as it stands in a sentence: one that turns the direction turns round nothing else. */
export const isolate = (text: string): string => (TURNS.test(text) ? START + text.replaceAll(END, "") + END : text);
