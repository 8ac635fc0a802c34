import { texts } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { part, sql } from "../db/sql.ts";
import { idsOfPeriod } from "../lib/ids.ts";
import { MONEY_ACTIONS } from "./actions.ts";
import { type EntryRow, entryTable } from "./entry.ts";

/** Which entries are listed; what is null restricts nothing. */
export type EntryFilter = {
  readonly accountId: string | null;
  /** As in an entry: a token's name, or a person's name and address. */
  readonly actor: string | null;
  /** An action, or with `.*` at its end all of a kind. */
  readonly action: string | null;
  /** Only what moved money, let it leave or held it back, decided whose it is, or asked for that. */
  readonly aboutMoney: boolean;
  readonly objectId: string | null;
  readonly from: Date | null;
  readonly to: Date | null;
  /** Only what is older than this entry. */
  readonly after: string | null;
};

/** Who acted, as the index has it: a person's name changes, the address behind it stays. No token's name has such brackets. */
const ADDRESS = / <[^<>]+>$/;
const WHO = part`coalesce(substring(actor from ' <[^<>]+>$'), actor)`;
/** The kind of an action, as the index has it. */
const KIND = part`split_part(action, '.', 1)`;

/** Entries of the audit log, newest first, at most `count`. */
export async function listEntries(
  queries: Queries,
  { accountId, actor, action, aboutMoney, objectId, from, to, after }: EntryFilter,
  count: number,
): Promise<{ readonly rows: EntryRow[] }> {
  const who = actor === null ? null : (ADDRESS.exec(actor)?.[0] ?? actor);
  const [idFrom, idTo] = idsOfPeriod(from, to);
  return queries.query<EntryRow>(sql`
    select ${entryTable.select()} from audit_log
    where (${accountId}::uuid is null or account_id = ${accountId})
      and (${who}::text is null or ${WHO} = ${who})
      and ${ofAction(action)} and ${aboutMoney ? part`action = any(${texts(MONEY_ACTIONS)}::text[])` : part`true`}
      and (${objectId}::uuid is null or object_id = ${objectId}) and (${after}::uuid is null or audit_id < ${after})
      and (${idFrom}::uuid is null or (audit_id >= ${idFrom} and created_at >= ${from}::timestamptz))
      and (${idTo}::uuid is null or (audit_id < ${idTo} and created_at < ${to}::timestamptz))
    order by audit_id desc limit ${count}`);
}

function ofAction(action: string | null) {
  if (action === null) return part`true`;
  if (!action.endsWith(".*")) return part`action = ${action}`;
  // An action without a dot, such as `search`, is the only one of its kind.
  const name = action.slice(0, -2);
  return part`${KIND} = ${name.split(".")[0]!} and (action = ${name} or starts_with(action, ${`${name}.`}))`;
}
