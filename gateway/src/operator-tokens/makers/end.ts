import { audit } from "../../audit-log/write.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import { adopt, makersOf } from "./adopt.ts";
import { type Ending, type Made, madeBy, mayMake, rightsOf } from "./made.ts";

/**
 * What happens to the tokens and credentials of a person who leaves: they end, or the person who removes them takes them
 * over.
 */
export const ANSWERS = ["end", "adopt"] as const;
export type Answer = (typeof ANSWERS)[number];

type Shown = Pick<Made, "kind" | "id" | "name" | "accountId">;
/** What happened to the things that somebody had made. */
type Outcome = { readonly ended: Shown[]; readonly adopted: Shown[] };

/** A shop or a program may use it, and would stop when it ends. */
const isUsed = ({ kind }: Shown): boolean => kind === "token" || kind === "credential";

/**
 * Ends what a person may no longer have made after their role was changed or removed: links in any case, tokens and
 * credentials as answered.
 *
 * @throws ApiError 409 without an answer where tokens or credentials would end; the transaction then changes nothing.
 */
export async function endLostBy(ending: Ending, personId: string, answer: Answer | null): Promise<Outcome> {
  const rights = await rightsOf(ending.tx, personId);
  return endBelow(ending, personId, answer, (made) => !mayMake(rights, made));
}

/** In the same way, ends everything that a revoked token has made. */
export const endAllOf = (ending: Ending, tokenId: string, answer: Answer | null): Promise<Outcome> =>
  endBelow(ending, tokenId, answer, () => true);

/**
 * Ends what a person may no longer have made, where the company's provider removed the role and nobody is there to answer.
 * Credentials continue: shops use them, and the person is still there.
 */
export async function endLostAtProvider(ending: Ending, personId: string): Promise<void> {
  const rights = await rightsOf(ending.tx, personId);
  await endBelow(ending, personId, "end", (made) => made.kind !== "credential" && !mayMake(rights, made));
}

/**
 * Walks the tree of makers: each token is locked before the things that it made are read, so that nothing is added below it
 * meanwhile.
 */
async function endBelow(
  ending: Ending,
  rootId: string,
  answer: Answer | null,
  isLost: (made: Made) => boolean,
): Promise<Outcome> {
  const { ctx, tx } = ending;
  const now = ctx.clock.date();
  const outcome: Outcome = { ended: [], adopted: [] };
  const adopter = answer === "adopt" ? await rightsOf(tx, ctx.operator.id) : null;
  const heir = adopter === null ? null : await heirOf(tx, ctx.operator.id, rootId);
  const waiting = (await madeBy(tx, rootId, now)).filter(isLost);
  const seen = new Set([rootId]);
  for (let made = waiting.shift(); made !== undefined; made = waiting.shift()) {
    const { kind, id, name, accountId } = made;
    if (made.works && id === heir?.id) {
      await tx.query(sql`update operator_tokens set made_by = ${heir.maker} where token_id = ${id}`);
      outcome.adopted.push({ kind, id, name, accountId });
      continue;
    }
    if (made.works && adopter !== null && isUsed(made) && mayMake(adopter, made)) {
      await adopt(ending, made);
      outcome.adopted.push({ kind, id, name, accountId });
      continue;
    }
    if (made.works) {
      await end(ending, made, now);
      outcome.ended.push({ kind, id, name, accountId });
    }
    if (kind === "token" && !seen.has(id)) waiting.push(...(await madeBy(tx, id, now)));
    seen.add(id);
  }
  const inUse = outcome.ended.filter(isUsed);
  if (answer === null && inUse.length > 0) throw new ApiError("ENDS_WITH_MAKER", undefined, { made: inUse });
  return outcome;
}

/**
 * Finds the token between the caller and a token that the caller revokes and would end with: a successor revokes the token
 * that made it. That token continues below the maker of the revoked one. Null where the caller does not end with it.
 *
 * @throws ApiError 400 for a token of a person whom it would outlive.
 */
async function heirOf(
  tx: Tx,
  callerId: string | null,
  rootId: string,
): Promise<{ readonly id: string; readonly maker: string | null } | null> {
  const line = await makersOf(tx, callerId);
  const at = line.indexOf(rootId);
  if (at < 1) return null;
  const { rows } = await tx.query<{ made_by: string | null }>(sql`
    select made_by from operator_tokens where token_id = ${rootId}`);
  if (rows[0] === undefined) throw invalid("made", "cannot be adopt: you end with that person yourself");
  return { id: line[at - 1]!, maker: rows[0].made_by };
}

async function end({ ctx, tx, houseId }: Ending, { kind, id, name, accountId }: Made, now: Date): Promise<void> {
  const note = (action: Parameters<typeof audit>[3]) =>
    audit(ctx, tx, accountId ?? houseId, action, id, { name }, { endedWithMaker: true });
  if (kind === "token") {
    await tx.query(sql`update operator_tokens set revoked_at = ${now} where token_id = ${id}`);
    await note("token.revoke");
  } else if (kind === "credential") {
    await tx.query(sql`
      update credentials set revoked_at = ${now} where account_id = ${accountId} and credential_id = ${id}`);
    await note("credential.revoke");
  } else {
    await tx.query(sql`update sign_in_links set used_at = ${now} where link_id = ${id}`);
    await note(kind === "recovery" ? "person.unrecover" : "person.uninvite");
  }
}
