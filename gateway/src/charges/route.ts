import { takesAmount } from "../institutions/config.ts";
import type { Institution } from "../institutions/registry.ts";
import type { PassedBecause, Routing } from "../institutions/routing.ts";
import { isByShare } from "../institutions/share.ts";
import type { ChargeKind } from "../psp/psp.ts";

type Choice = { readonly institution: Institution; readonly routing: Routing };

/** The institutions at which a charge may be tried, one after the other. */
export type Route = {
  /** The next institution, with the reason; null when none is left. `because`: why the previous one was given up. */
  next(because?: "refused" | "no_answer"): Choice | null;
  /** Whether another institution would follow: the present one gets less time then. */
  readonly hasMore: boolean;
};

/**
 * Goes through institutions in their order, past those that cannot take it, are down or out of capacity. When all are down the charge fails at
 * once: the caller learns in milliseconds what a time-out would tell, while probes notice when an institution is back
 * (health.ts). A pinned institution has no fallback (interface, pspCredentialId).
 *
 * @param accountId whose charge it is.
 * @param amount centavos; an institution with a lower maximum for one Pix is passed over.
 * @param options.kind what an institution must issue.
 * @param candidates the institutions in their order, also drained ones, so that the choice can name them; only the pinned one
 * when `pinned`.
 * @param options.tried the charge was tried at another institution before.
 */
export function createRoute(
  candidates: readonly Institution[],
  options: {
    readonly accountId: string;
    readonly amount: number;
    readonly kind: ChargeKind;
    readonly pinned: boolean;
    readonly tried?: boolean;
  },
): Route {
  const { accountId, amount, kind, pinned } = options;
  let tried = options.tried ?? false;
  const left = [...candidates];
  const passed: { institutionId: string; because: PassedBecause }[] = [];
  let current: Institution | null = null;

  function choose(institution: Institution): Choice {
    const able = candidates.filter((institution) => unable(institution) === null);
    const first = isByShare(able, institution) ? "share" : "priority";
    const reason = pinned ? "pinned" : tried ? "failover" : first;
    current = institution;
    tried = true;
    return { institution, routing: { reason, passed: [...passed] } };
  }

  function unable({ status, can }: Institution): PassedBecause | null {
    if (status !== "active") return "draining";
    if (!can.charges.includes(kind)) return "no_due_dates";
    return takesAmount(can, amount) ? null : "over_limit";
  }

  return {
    get hasMore() {
      return left.some((institution) => institution.health.state === "up" && unable(institution) === null);
    },
    next(gaveUp) {
      if (current && gaveUp) passed.push({ institutionId: current.institutionId, because: gaveUp });
      current = null;
      for (let institution = left.shift(); institution; institution = left.shift()) {
        const because = unable(institution) ?? institution.health.admit(accountId);
        if (because === "yes") return choose(institution);
        passed.push({ institutionId: institution.institutionId, because });
      }
      return null;
    },
  };
}
