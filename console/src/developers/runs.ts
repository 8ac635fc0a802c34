/** Attempts one after the other that had the same answer, line by line. */
type Run<Attempt> = { readonly attempts: readonly Attempt[]; readonly lines: readonly string[] };

/** A delivery's attempts in their order, neighbours with the same answer together. */
export function runsOf<Attempt>(
  attempts: readonly Attempt[],
  linesOf: (attempt: Attempt) => readonly string[],
): readonly Run<Attempt>[] {
  const runs: { attempts: Attempt[]; lines: readonly string[] }[] = [];
  for (const attempt of attempts) {
    const [lines, last] = [linesOf(attempt), runs.at(-1)];
    if (last !== undefined && last.lines.join("\n") === lines.join("\n")) last.attempts.push(attempt);
    else runs.push({ attempts: [attempt], lines });
  }
  return runs;
}
