/** Waits for something, but not longer. What is unfinished then goes on by itself. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, time]).finally(() => clearTimeout(timer));
}
