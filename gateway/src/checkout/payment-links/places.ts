import type { Context } from "../../context.ts";
import { uuids } from "../../db/arrays.ts";
import { sql } from "../../db/sql.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { LinkColumns } from "./link.ts";

type Link = Pick<LinkColumns, "accountId" | "linkId">;
type Places = {
  /** Whether the network may have one more charge of the link. */
  hasRoom(link: Link, site: string): Promise<boolean>;
  /** Remembers a charge that the network has made of the link. */
  take(link: Link, site: string, chargeId: string): void;
};

/**
 * How many charges of one link one network has that can be paid: without a bound a few networks would fill the link's
 * (LIMITS.linkPending), and nobody else could pay. It is of this process, and a restart forgets it. Charges that are over, as
 * those that were paid, are read from the database once a network has as many as it may have.
 */
export function createPlaces({ db, clock }: Pick<Context, "db" | "clock">): Places {
  /** Until when each charge can be paid, by link and network; in the order of use. */
  const taken = new Map<string, Map<string, number>>();
  const keyOf = ({ linkId }: Link, site: string) => `${linkId} ${site}`;

  async function forgetEnded({ accountId }: Link, charges: Map<string, number>): Promise<void> {
    const { rows } = await db.query<{ id: string }>(sql`
      select charge_id as id from charges
      where account_id = ${accountId} and charge_id = any(${uuids([...charges.keys()])}::uuid[])
        and status not in ('creating', 'pending')`);
    for (const { id } of rows) charges.delete(id);
  }

  return {
    async hasRoom(link, site) {
      const charges = taken.get(keyOf(link, site));
      if (charges === undefined) return true;
      for (const [id, until] of charges) if (until <= clock.now()) charges.delete(id);
      if (charges.size >= LIMITS.linkPendingOfNetwork) await forgetEnded(link, charges);
      return charges.size < LIMITS.linkPendingOfNetwork;
    },
    take(link, site, chargeId) {
      const key = keyOf(link, site);
      const charges = taken.get(key) ?? new Map<string, number>();
      charges.set(chargeId, clock.now() + LIMITS.linkChargeSeconds * 1000);
      if (!taken.delete(key) && taken.size >= LIMITS.linkNetworks) taken.delete(taken.keys().next().value as string);
      taken.set(key, charges);
    },
  };
}
