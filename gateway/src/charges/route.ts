import type { Institution } from "../institutions/registry.ts";

/** Why a charge passed an institution over. `refused`, `no_answer`: it was tried there first. */
type PassedBecause = "down" | "at_capacity" | "refused" | "no_answer";

/** How a charge came to its institution; stored with it. */
export type Routing = {
  readonly reason: "priority" | "pinned" | "failover";
  readonly passed: readonly { readonly institutionId: string; readonly because: PassedBecause }[];
};

type Choice = { readonly institution: Institution; readonly routing: Routing };

/** The institutions that a charge may be tried at, one after the other. */
export type Route = {
  /** The next one, with the reason; null when there is none left. The one before was given up because of `because`. */
  next(because?: "refused" | "no_answer"): Choice | null;
  /** Whether another one may still come: the one at hand gets less time then. */
  readonly hasMore: boolean;
};

/**
 * Goes through institutions by priority, past those that are down or out of capacity. When all are down the charge fails at once: a
 * caller learns in milliseconds what it would learn after a time-out, while probes beside it notice the end (health.ts). A
 * pinned one does not fall back (interface, pspCredentialId).
 *
 * @param candidates by priority; the pinned one alone when `pinned`.
 * @param options.tried the charge has been at another institution before.
 */
export function createRoute(
  candidates: readonly Institution[],
  options: { readonly pinned: boolean; readonly tried?: boolean },
): Route {
  const { pinned } = options;
  let tried = options.tried ?? false;
  const left = [...candidates];
  const passed: { institutionId: string; because: PassedBecause }[] = [];
  let current: Institution | null = null;

  function choose(institution: Institution, reason: Routing["reason"]): Choice {
    current = institution;
    tried = true;
    return { institution, routing: { reason, passed: [...passed] } };
  }

  return {
    get hasMore() {
      return left.some((institution) => institution.health.state === "up");
    },
    next(because) {
      if (current && because) passed.push({ institutionId: current.institutionId, because });
      current = null;
      for (let institution = left.shift(); institution; institution = left.shift()) {
        const admitted = institution.health.admit();
        if (admitted === "yes") return choose(institution, pinned ? "pinned" : tried ? "failover" : "priority");
        passed.push({ institutionId: institution.institutionId, because: admitted });
      }
      return null;
    },
  };
}
