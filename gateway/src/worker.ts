import type { Context } from "./context.ts";
import type { Confirmer } from "./settlement/confirm.ts";
import type { Deliverer } from "./webhooks/deliver.ts";

/** A loop: its name (also that of its wake-up), the pause when there is nothing to do, and one batch of work. */
export type Loop = {
  readonly name: string;
  /** Milliseconds. A commit of this process wakes the loop at once; the pause bounds what others' commits wait. */
  readonly pauseMs: number;
  /** Does one batch; true when there may be more. */
  once(): Promise<boolean>;
};

/** The loops of a worker. Each can be killed at any instant and run again. */
export function loops(parts: { confirmer: Confirmer; deliverer: Deliverer }): Loop[] {
  return [
    { name: "inbox", pauseMs: 500, once: async () => (await parts.confirmer.confirmDue()) > 0 },
    { name: "deliver", pauseMs: 500, once: async () => (await parts.deliverer.deliverDue()) > 0 },
  ];
}

/** Runs loops until told to stop; the promise resolves when the batch that each is in has ended. */
export function startLoops(ctx: Context, list: readonly Loop[]): { stop(): Promise<void> } {
  let stopping = false;
  const wakers: (() => void)[] = [];

  async function run(loop: Loop): Promise<void> {
    // A wake-up that comes while a batch runs counts for the next one.
    let woken = false;
    let wake = () => {
      woken = true;
    };
    const off = ctx.hints.onWake(loop.name, () => wake());
    wakers.push(() => wake());
    while (!stopping) {
      woken = false;
      let more = false;
      try {
        more = await loop.once();
      } catch (error) {
        ctx.log.error({ err: error, loop: loop.name }, "a loop failed; it goes on after a pause");
      }
      if (more || woken || stopping) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => wake(), loop.pauseMs);
        wake = () => {
          clearTimeout(timer);
          wake = () => {
            woken = true;
          };
          resolve();
        };
      });
    }
    off();
  }

  const running = list.map(run);
  return {
    async stop() {
      stopping = true;
      for (const wake of wakers) wake();
      await Promise.all(running);
    },
  };
}
