import type { PixgateOperator } from "@pixgate/sdk";
import type { Seen } from "./verdict.ts";

/** Accounts that are counted at most: more are more. */
const COUNTED = 100;

/** Who uses only the institution that is down. Of several nothing is said; a process of 0.1.0 does not know it. */
export async function aloneAt(
  { accounts }: PixgateOperator,
  institutions: readonly { readonly id: string; readonly status: string; readonly health: string }[],
): Promise<Pick<Seen, "alone">> {
  const [down, ...others] = institutions.filter(({ status, health }) => status === "active" && health !== "up");
  if (down?.health !== "down" || others.length > 0) return {};
  return accounts
    .list({ dependsOn: down.id, limit: COUNTED })
    .page()
    .then(
      ({ items, nextCursor }) => ({
        alone: { institutionId: down.id, count: items.length, isMore: nextCursor !== null },
      }),
      () => ({}),
    );
}
