import type { Logger } from "pino";

/** Actions to be undone, last first. A failed start undoes what it has done. */
export class Cleanup {
  readonly #steps: (() => Promise<unknown>)[] = [];
  /** Whether it has begun: from then on connections end because this process ends them. */
  isRunning = false;
  add(step: () => Promise<unknown>): void {
    this.#steps.push(step);
  }
  async run(log: Logger): Promise<void> {
    this.isRunning = true;
    for (const step of this.#steps.splice(0).reverse()) {
      await step().catch((error: unknown) => log.error({ err: error }, "stopping met an error"));
    }
  }
}

/** Waits for both even when one fails, so that everything that was started is registered for the clean-up. */
export async function both<A, B>(a: A | Promise<A>, b: B | Promise<B>): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([a, b]);
  if (first.status === "rejected") throw first.reason;
  if (second.status === "rejected") throw second.reason;
  return [first.value, second.value];
}
