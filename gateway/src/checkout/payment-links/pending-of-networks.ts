import type { Context } from "../../context.ts";
import { uuids } from "../../db/arrays.ts";
import { sql } from "../../db/sql.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { LinkColumns } from "./link.ts";

type Link = Pick<LinkColumns, "accountId" | "linkId">;
type PendingOfNetworks = {
  /** Whether the network may have one more charge of the link. */
  mayHaveMore(link: Link, network: string): Promise<boolean>;
  /** Remembers a charge that the network has made of the link. */
  add(link: Link, network: string, chargeId: string): void;
};

/**
 * Limits how many pending charges of one link a network has. Otherwise a few networks would use up the pending charges of
 * the link (`LIMITS.linkPending`), and nobody else could pay. Each process counts by itself, and a restart forgets the
 * count. Once a network has reached its limit, the database tells which of its charges have ended, for instance by payment.
 */
export function createPendingOfNetworks({ db, clock }: Pick<Context, "db" | "clock">): PendingOfNetworks {
  /** Until when each charge can be paid, by link and network; in the order of use. */
  const pending = new Map<string, Map<string, number>>();
  const keyOf = ({ linkId }: Link, network: string) => `${linkId} ${network}`;

  async function forgetEnded({ accountId }: Link, charges: Map<string, number>): Promise<void> {
    const { rows } = await db.query<{ id: string }>(sql`
      select charge_id as id from charges
      where account_id = ${accountId} and charge_id = any(${uuids([...charges.keys()])}::uuid[])
        and status not in ('creating', 'pending')`);
    for (const { id } of rows) charges.delete(id);
  }

  return {
    async mayHaveMore(link, network) {
      const charges = pending.get(keyOf(link, network));
      if (charges === undefined) return true;
      for (const [id, until] of charges) if (until <= clock.now()) charges.delete(id);
      if (charges.size >= LIMITS.linkPendingOfNetwork) await forgetEnded(link, charges);
      return charges.size < LIMITS.linkPendingOfNetwork;
    },
    add(link, network, chargeId) {
      const key = keyOf(link, network);
      const charges = pending.get(key) ?? new Map<string, number>();
      charges.set(chargeId, clock.now() + LIMITS.linkChargeSeconds * 1000);
      if (!pending.delete(key) && pending.size >= LIMITS.linkNetworks)
        pending.delete(pending.keys().next().value as string);
      pending.set(key, charges);
    },
  };
}
