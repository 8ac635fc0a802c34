import type { operator } from "@pixgate/sdk";

type Institution = Pick<operator.OperatorInstitution, "id" | "status" | "priority">;

/** `40%`; a dash where no charge was answered. */
export const showShare = (share: number | null | undefined): string => (share == null ? "–" : `${share}%`);

/** Slower answers are not told apart: the gateway counts them as this or more, ms. */
const SLOWEST_MS = 5_000;

/** `120 ms`; a dash where nothing was answered. */
export const showLatency = (ms: number | null | undefined): string =>
  ms == null ? "–" : ms >= SLOWEST_MS ? `≥ ${SLOWEST_MS / 1_000} s` : `${ms} ms`;

/** The place of an institution in the route, of all that are used; those of one priority have the same. Null: it is used no more. */
export function placeOf(one: Institution, all: readonly Institution[]): { place: number; of: number } | null {
  if (one.status === "retired") return null;
  const used = all.filter(({ status }) => status !== "retired");
  return { place: used.filter(({ priority }) => priority < one.priority).length + 1, of: used.length };
}
