import type { AUDIT_ACTIONS } from "../../audit-log/actions.ts";
import { audit } from "../../audit-log/write.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";

type PersonAction = Extract<(typeof AUDIT_ACTIONS)[number], `person.${string}`>;

/**
 * What people are notified of, at their next sign-in and by mail: every sign-in as them and its end, and every change of how
 * they can sign in or what they may do. Not of the two actions that concern payers, nor of a new name, which changes no right.
 */
export const NOTICES = {
  "person.authenticator": true,
  "person.authenticator-removed": true,
  "person.erase": false,
  "person.export": false,
  "person.invite": true,
  "person.join": true,
  "person.passkey": true,
  "person.passkey-copied": true,
  "person.passkey-removed": true,
  "person.passkey-renamed": true,
  "person.password": true,
  "person.recover": true,
  "person.recovery-codes": true,
  "person.remove": true,
  "person.rename": false,
  "person.reset": true,
  "person.role": true,
  "person.second-factor-failed": true,
  "person.session-ended": true,
  "person.sign-in": true,
  "person.sign-out": true,
  "person.uninvite": true,
  "person.unrecover": true,
} as const satisfies Record<PersonAction, boolean>;

/** An action that people are notified of. */
export type Noticed = { [A in PersonAction]: (typeof NOTICES)[A] extends true ? A : never }[PersonAction];

/** Further data of a notice. Nothing of it is secret. */
export type Details = {
  /** How somebody signed in. */
  readonly by?: string;
  readonly sessionId?: string;
  readonly browser?: string | null;
  readonly address?: string | null;
  /** The address of a link, or the person whose role it was. */
  readonly email?: string;
  readonly role?: string | null;
  /** The name that the role's account had; null: the role is in the installation. */
  readonly account?: string | null;
};

/** A change about a person: the audit log's entry, and the person concerned. */
type Change = {
  readonly accountId: string;
  readonly action: Noticed;
  /** The person to be notified; null: nobody, because a token or the machine did it to somebody who is no person yet. */
  readonly personId: string | null;
  /** The object of the audit log's entry, where that is not the person. */
  readonly objectId?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly details?: Details;
};

/** Adds an entry to the audit log, as the last write of its transaction, and a notice to the person concerned. */
export async function auditPerson(
  ctx: Pick<Context, "ids" | "clock"> & { readonly operator: { readonly name: string } },
  tx: Tx,
  { accountId, action, personId, objectId = personId!, before = null, after = null, details = {} }: Change,
): Promise<void> {
  const now = ctx.clock.date();
  if (personId !== null) {
    const noted = details.role === undefined ? details : { ...details, account: await placeOf(tx, accountId) };
    await tx.query(sql`
      insert into notices (notice_id, person_id, action, details, created_at, mail_due_at)
      values (${ctx.ids.uuid()}, ${personId}, ${action}, ${JSON.stringify(noted)}, ${now}, ${now})`);
  }
  await audit(ctx, tx, accountId, action, objectId, before, after);
}

/** What an account is called; null for the installation's own. */
async function placeOf(tx: Tx, accountId: string): Promise<string | null> {
  const { rows } = await tx.query<{ name: string }>(sql`
    select name from accounts where account_id = ${accountId} and not is_house`);
  return rows[0]?.name ?? null;
}
