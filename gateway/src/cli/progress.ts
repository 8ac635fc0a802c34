/** A terminal, as far as progress needs one. */
type Terminal = { readonly isTTY?: boolean; write(text: string): unknown };

export type Progress = {
  /** The present step, such as `waiting for the payment`. */
  setStep(what: string): void;
};

/** Work that ends within this time shows no line, milliseconds. */
const QUIET_MS = 1_000;
const EVERY_MS = 250;

/**
 * Runs a task, and keeps a line with the elapsed seconds on a terminal while it takes longer than a second. Nothing is written
 * where standard error is a file or a pipe.
 */
export async function withProgress<T>(
  what: string,
  task: (progress: Progress) => Promise<T>,
  terminal: Terminal = process.stderr,
): Promise<T> {
  if (terminal.isTTY !== true) return task({ setStep: () => {} });
  const startedAt = Date.now();
  let now = what;
  let shown = false;
  const timer = setInterval(() => {
    const elapsed = Date.now() - startedAt;
    if (elapsed < QUIET_MS) return;
    shown = true;
    terminal.write(`\r\x1b[K${now} (${Math.floor(elapsed / 1_000)} s)`);
  }, EVERY_MS);
  try {
    return await task({
      setStep(next) {
        now = next;
      },
    });
  } finally {
    clearInterval(timer);
    if (shown) terminal.write("\r\x1b[K");
  }
}
