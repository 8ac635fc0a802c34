import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import type { Maker } from "../http/owners.ts";
import { type Answer, endLostBy } from "../operator-tokens/makers/end.ts";
import { changeRole, type Place, withdrawInvitations } from "./invite.ts";
import { auditPerson } from "./notices/note.ts";

type Change = {
  readonly place: Place;
  readonly personId: string;
  /** Null: no role; the person is removed from the account or installation. */
  readonly role: string | null;
  /** What happens to tokens and credentials that they made and could not make any more. */
  readonly made: Answer | null;
};

/**
 * Gives a member another role, or none: their sessions end, and so do their open invitations to the place.
 *
 * @returns what happened to the things that they had made; 404 for a person who is no member.
 */
export async function changeMember(
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: Maker },
  tx: Tx,
  houseId: string,
  { place, personId, role, made }: Change,
): ReturnType<typeof endLostBy> {
  const before = await changeRole(ctx, tx, place, personId, role);
  await withdrawInvitations(ctx, tx, place, personId);
  const action = role === null ? "person.remove" : "person.role";
  const entry = { accountId: place.accountId ?? houseId, action, personId, before: { role: before } } as const;
  await auditPerson(ctx, tx, { ...entry, after: { role }, details: { role } });
  return endLostBy({ ctx, tx, houseId }, personId, made);
}
