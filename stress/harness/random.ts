/**
 * Random numbers that a seed repeats. Each part of a run has its own stream, so that its draws do not shift another's.
 */
export type Random = () => number;

/** The stream of this seed and name (Mulberry32). */
export function stream(seed: number, name: string): Random {
  let state = seed >>> 0;
  for (const letter of name) state = (Math.imul(state ^ letter.charCodeAt(0), 0x9e3779b1) + 0x7f4a7c15) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

export function shuffle<T>(list: readonly T[], random: Random): T[] {
  const shuffled = [...list];
  for (let i = shuffled.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [shuffled[i], shuffled[j]] = [shuffled[j] as T, shuffled[i] as T];
  }
  return shuffled;
}
