import type { Context } from "../context.ts";
import { prepareInstallation } from "../installation/prepare.ts";
import { invite, linkTo } from "./invite.ts";

/**
 * Invites an admin of the installation with the database and the master key alone: the first one, or one more where no
 * admin can sign in. The audit log has it as done by `command line`.
 *
 * @returns the link, which is shown once and works once.
 */
export async function inviteAdmin(
  ctx: Pick<Context, "config" | "db" | "ids" | "clock">,
  master: { readonly key: Buffer; readonly other: Buffer | null },
  { email, name }: { readonly email: string; readonly name: string | null },
): Promise<{ link: string; expiresAt: string }> {
  const houseId = await prepareInstallation(ctx, master.key, master.other);
  const by = { ...ctx, operator: { name: "command line" } };
  const { token, expiresAt } = await ctx.db.transaction((tx) =>
    invite(by, tx, houseId, { accountId: null, email, name, role: "admin" }),
  );
  const { host, port } = ctx.config;
  return { link: linkTo(ctx.config, `http://${host}:${port}`, token), expiresAt: expiresAt.toISOString() };
}
