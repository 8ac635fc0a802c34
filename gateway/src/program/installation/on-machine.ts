import { Type } from "typebox";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { requireBody } from "../../http/contract.ts";
import { MACHINE } from "../../http/owners.ts";
import { invite, linkTo } from "../../people/invite.ts";
import { PersonEmail, PersonName } from "../../people/person.ts";
import { makeRecoveryLink } from "../../people/recover.ts";
import { prepareInstallation } from "./prepare.ts";

type Deps = Pick<Context, "config" | "db" | "ids" | "clock">;
type MasterKeys = { readonly key: Buffer; readonly other: Buffer | null };
/** A link, shown once and valid once. */
type Link = { readonly link: string; readonly expiresAt: string };

const Asked = Type.Object({ email: PersonEmail(), name: Type.Optional(PersonName) });

/**
 * Invites an admin of the installation with only the database and the master key: the first one, or another one when no
 * admin can sign in.
 */
export const inviteAdmin = async (
  ctx: Deps,
  master: MasterKeys,
  { email, name }: { readonly email: string; readonly name: string | null },
): Promise<Link> => {
  requireBody(Asked, name === null ? { email } : { email, name });
  return onMachine(ctx, master, (by, tx, houseId) =>
    invite(by, tx, houseId, { accountId: null, email, name, role: "admin", vouches: true }),
  );
};

/** In the same way, lets a person in again who lost every way to sign in; they choose new ones. */
export const recoverOnMachine = (ctx: Deps, master: MasterKeys, email: string): Promise<Link> =>
  onMachine(ctx, master, (by, tx, houseId) => makeRecoveryLink(by, tx, houseId, email));

/** The audit log names `command line` as the actor. */
async function onMachine(
  ctx: Deps,
  master: MasterKeys,
  make: (by: Parameters<typeof invite>[0], tx: Tx, houseId: string) => ReturnType<typeof invite>,
): Promise<Link> {
  const houseId = await prepareInstallation(ctx, master.key, master.other);
  const by = { ...ctx, operator: MACHINE };
  const { token, expiresAt } = await ctx.db.transaction((tx) => make(by, tx, houseId));
  const { host, port } = ctx.config;
  return { link: linkTo(ctx.config, `http://${host}:${port}`, token), expiresAt: expiresAt.toISOString() };
}
