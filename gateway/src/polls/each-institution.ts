import type { Context } from "../context.ts";
import type { Runner } from "../db/due-rows/runner.ts";
import { levelOf } from "../db/pool.ts";
import type { Institution } from "../institutions/registry.ts";

/**
 * Makes the runner that polls each institution by itself: one whose list is long, or that does not answer, delays no other's next
 * list. An institution has one poll at a time in a process.
 *
 * @param loop the loop's name. It is woken after a poll that was due, which may have left more to do.
 * @param poll polls an institution, if it is due; true when it was.
 */
export function createPolls(
  { psps, hints, log }: Pick<Context, "psps" | "hints" | "log">,
  loop: string,
  poll: (institution: Institution) => Promise<boolean>,
): Runner {
  const underWay = new Map<string, Promise<void>>();
  /** Institutions that a pass skipped because their poll was under way: they may have become due since it began. */
  const passed = new Set<string>();

  async function run(institution: Institution): Promise<void> {
    const { institutionId } = institution;
    let polled: boolean;
    do {
      passed.delete(institutionId);
      polled = await poll(institution).catch((error: unknown) => {
        log[levelOf(error)]({ err: error, loop, institutionId }, "an institution could not be polled");
        return false;
      });
      // Polls again by itself instead of waking the loop: the pass would skip the polls that are under way, and each of
      // these would wake the loop again. Ten banks then claimed some 5,000 times a second with nothing due.
    } while (passed.has(institutionId) && !polled);
    passed.delete(institutionId);
    underWay.delete(institutionId);
    if (polled) hints.wake(loop);
  }

  return {
    async runDue() {
      for (const institution of await psps.all()) {
        const { institutionId } = institution;
        if (underWay.has(institutionId)) passed.add(institutionId);
        else underWay.set(institutionId, run(institution));
      }
      return 0;
    },
    async idle() {
      await Promise.all(underWay.values());
    },
  };
}
