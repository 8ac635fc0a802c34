import { sql } from "../../db/sql.ts";
import type { Invariant } from "./invariant.ts";

/** Entries are written once, so only a check of everything reads them. */
const fresh = sql`select null::uuid as account_id, null::json as found where false`;

/** The chain of each account's audit log. Whether each hash matches its entry cannot be a statement: see verify.ts, K2. */
export const AUDIT_LOG_INVARIANTS: readonly Invariant[] = [
  {
    name: "K1",
    rule: "the entries of an account's audit log are numbered from 1 without a gap, each has the hash of the one before, and the account's head has the hash of the last",
    fresh,
    query: () => sql`
      select coalesce(a.account_id, h.account_id) as account_id,
        json_build_array('auditEntry', coalesce(a.seq, h.seq), 'after', coalesce(a.last_seq, 0),
          'head', coalesce(h.seq::text, 'elsewhere')) as found
      from (
        select account_id, seq, hash, previous_hash, lag(seq) over w as last_seq, lag(hash) over w as last_hash, lead(seq) over w as next_seq
        from audit_log window w as (partition by account_id order by seq)
      ) a
      full join audit_heads h on h.account_id = a.account_id and h.seq = a.seq
      where a.account_id is null or a.seq <> coalesce(a.last_seq, 0) + 1 or a.previous_hash is distinct from a.last_hash
        or (a.next_seq is null and h.hash is distinct from a.hash)`,
  },
];
