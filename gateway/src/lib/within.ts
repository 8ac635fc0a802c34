/** Waits for work, but not longer than this. Unfinished work continues by itself. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, time]).finally(() => clearTimeout(timer));
}
