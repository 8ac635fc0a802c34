import type { Random } from "../harness/random.ts";
import { pick, shuffle } from "../harness/random.ts";

/** Failpoints at which a program may be killed, after it has passed them some times. */
const API_POINTS = [
  "answer.before@9",
  "commit.before@20",
  "commit.after@15",
  "psp.before:putCob@4",
  "psp.after:putCob@3",
  "psp.before:patchCob@1",
  "psp.after:patchCob@1",
  "answer.before@25",
] as const;
const WORKER_POINTS = [
  "delivery.claimed@2",
  "delivery.sent@2",
  "psp.before:putPayout@1",
  "psp.after:putPayout@1",
  "psp.before:putReturn@1",
  "psp.after:putReturn@1",
  "psp.after:getPayout@1",
  "psp.after:getPix@2",
  "psp.after:getReturn@1",
  "psp.after:getCob@1",
  "psp.after:listPix@1",
  "psp.after:listInfractions@1",
  "task.claimed:withdrawals@1",
  "task.claimed:returns@1",
  "reconciliation.hour@5",
  "reconciliation.before@1",
  "reconciliation.cases@1",
  "commit.before@12",
  "commit.after@9",
  "delivery.sent@9",
] as const;
/** Between the steps of a payout that is prepared and then authorised. */
const TWO_STEP_POINTS = [
  "psp.before:postPayout@1",
  "psp.after:postPayout@1",
  "psp.before:authorisePayout@1",
  "psp.after:authorisePayout@1",
] as const;
/** Only the first start of a program runs migrations. */
const FIRST_START_POINTS = ["migration.before:0001@1", "migration.after:0001@1"] as const;

/**
 * Assigns failpoints to starts of programs: every failpoint of a role in turn, in the seed's order, until it was
 * reached.
 */
type FailpointPlan = {
  next(role: "api" | "worker" | "all"): string | null;
  reached(point: string): void;
  readonly missed: () => readonly string[];
};

/** @param twoSteps whether an institution pays out in two steps. */
export function planFailpoints(random: Random, twoSteps: boolean): FailpointPlan {
  const workerPoints = [...WORKER_POINTS, ...(twoSteps ? TWO_STEP_POINTS : [])];
  let first: string | null = pick<string>(random, FIRST_START_POINTS);
  const queues = { api: shuffle<string>(API_POINTS, random), worker: shuffle<string>(workerPoints, random) };
  const all: readonly string[] = [first, ...API_POINTS, ...workerPoints];
  const died = new Set<string>();
  return {
    next(role) {
      if (role === "all" && first !== null) {
        const point = first;
        first = null;
        return point;
      }
      const queue = role === "all" ? pick(random, [queues.api, queues.worker]) : queues[role];
      const point = queue.shift()!;
      queue.push(point);
      return point;
    },
    reached(point) {
      for (const one of all) if (one.startsWith(`${point}@`)) died.add(one);
    },
    missed: () => all.filter((one) => !died.has(one)),
  };
}

/** Strikes against programs, weighted by repetition. */
const ON_PROGRAMS = [
  "worker",
  "worker",
  "worker",
  "gateway a",
  "gateway b",
  "worker and backend",
  "worker and gateway b",
  "all programs",
  "everything",
] as const;
const ON_POSTGRES = ["backend", "backend", "backend", "backend", "postmaster"] as const;
export type Strike = (typeof ON_PROGRAMS)[number] | (typeof ON_POSTGRES)[number];

/**
 * @param programs the share of strikes that hit gateways and workers; the others hit PostgreSQL, which restarts much
 * faster.
 */
export const nextStrike = (random: Random, programs: number): Strike =>
  random() < programs ? pick(random, ON_PROGRAMS) : pick(random, ON_POSTGRES);

export const ANNOYANCES = [
  "cut",
  "client hears the end",
  "server hears the end",
  "slow",
  "frozen",
  "receiver fails",
] as const;
export type Annoyance = (typeof ANNOYANCES)[number];
