import { createHash } from "node:crypto";
import type { Institution } from "./registry.ts";

type Shared = Pick<Institution, "institutionId" | "priority" | "share">;

/** Whether several institutions have this priority and a share of what is tried there. */
const isShared = (institutions: readonly Shared[], priority: number): boolean =>
  institutions.filter((institution) => institution.priority === priority && (institution.share ?? 0) > 0).length > 1;

/** Whether an institution came first among these by its share, and not by its priority alone. */
export const isByShare = (institutions: readonly Shared[], { priority, share }: Shared): boolean =>
  (share ?? 0) > 0 && isShared(institutions, priority);

/**
 * Institutions in the order in which a charge or withdrawal tries them: by priority, and of the same priority by their shares.
 * With 70 and 30 the first is tried first by 70 % of all ids, and those that it cannot take are divided by the shares of the
 * others. Institutions without a share come last among those of their priority. The same id gives the same order in every
 * process, so that a repeated step goes where the first one went. Pure.
 *
 * @param institutions by priority.
 * @param id of the charge or withdrawal.
 */
export function orderByShare<One extends Shared>(institutions: readonly One[], id: string): readonly One[] {
  if (!institutions.some(({ priority }) => isShared(institutions, priority))) return institutions;
  const distances = new Map(
    institutions.map((institution) => [institution.institutionId, distanceOf(institution, id)]),
  );
  const distance = ({ institutionId }: One): number => distances.get(institutionId)!;
  // Two without a share keep their order: Infinity - Infinity is NaN, which a sort takes as 0.
  return institutions.toSorted((a, b) => a.priority - b.priority || distance(a) - distance(b));
}

/** Of numbers -ln(u) / share, with u even between 0 and 1, each is the smallest with the probability of its share. */
function distanceOf({ institutionId, share }: Shared, id: string): number {
  if (!share) return Number.POSITIVE_INFINITY;
  const u = createHash("sha256").update(`${id} ${institutionId}`).digest().readUIntBE(0, 6) / 2 ** 48;
  return -Math.log(u) / share;
}
