import { takesAmount } from "../institutions/config.ts";
import type { Institution } from "../institutions/registry.ts";

/** Why a charge passed an institution over. `over_limit`: it is more than one Pix may be there. `refused` and `no_answer`: it was tried there first. */
type PassedBecause = "over_limit" | "down" | "at_capacity" | "refused" | "no_answer";

/** How a charge came to its institution. Stored with the charge. */
export type Routing = {
  readonly reason: "priority" | "pinned" | "failover";
  readonly passed: readonly { readonly institutionId: string; readonly because: PassedBecause }[];
};

type Choice = { readonly institution: Institution; readonly routing: Routing };

/** The institutions at which a charge may be tried, one after the other. */
export type Route = {
  /** The next institution, with the reason; null when none is left. `because`: why the previous one was given up. */
  next(because?: "refused" | "no_answer"): Choice | null;
  /** Whether another institution would follow: the present one gets less time then. */
  readonly hasMore: boolean;
};

/**
 * Goes through institutions by priority, past those that are down or out of capacity. When all are down the charge fails at
 * once: the caller learns in milliseconds what a time-out would tell, while probes notice when an institution is back
 * (health.ts). A pinned institution has no fallback (interface, pspCredentialId).
 *
 * @param amount centavos, which an institution with a lower most of one Pix does not get.
 * @param candidates by priority; only the pinned one when `pinned`.
 * @param options.tried the charge was tried at another institution before.
 */
export function createRoute(
  candidates: readonly Institution[],
  options: { readonly amount: number; readonly pinned: boolean; readonly tried?: boolean },
): Route {
  const { amount, pinned } = options;
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
      return left.some(({ can, health }) => health.state === "up" && takesAmount(can, amount));
    },
    next(because) {
      if (current && because) passed.push({ institutionId: current.institutionId, because });
      current = null;
      for (let institution = left.shift(); institution; institution = left.shift()) {
        const admitted = takesAmount(institution.can, amount) ? institution.health.admit() : "over_limit";
        if (admitted === "yes") return choose(institution, pinned ? "pinned" : tried ? "failover" : "priority");
        passed.push({ institutionId: institution.institutionId, because: admitted });
      }
      return null;
    },
  };
}
