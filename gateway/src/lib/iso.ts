const DAY = 86_400_000;
const [PAIRS, TRIPLES] = [2, 3].map((digits) =>
  Array.from({ length: 10 ** digits }, (_, n) => String(n).padStart(digits, "0")),
) as [string[], string[]];

/** The day of the newest call, counted from 1970, and its text: the times of a page are mostly of one day. */
let last = { day: 0, text: "1970-01-01T" };

/**
 * What `toISOString` gives, in a sixth of its time: it takes 0.6 µs, and a page of a list has sixty times. What is before
 * 1970 or no time is left to it.
 */
export function isoOf(at: Date): string {
  const ms = at.getTime();
  if (!(ms >= 0)) return at.toISOString();
  const day = Math.floor(ms / DAY);
  if (day !== last.day) {
    const text = at.toISOString();
    last = { day, text: text.slice(0, text.indexOf("T") + 1) };
  }
  const rest = ms - day * DAY;
  const [seconds, minutes] = [Math.floor(rest / 1_000), Math.floor(rest / 60_000)];
  const clock = `${PAIRS[Math.floor(minutes / 60)]}:${PAIRS[minutes % 60]}:${PAIRS[seconds % 60]}`;
  return `${last.text}${clock}.${TRIPLES[rest % 1_000]}Z`;
}
