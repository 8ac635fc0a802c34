import { sql } from "../../db/sql.ts";
import type { Invariant } from "./invariant.ts";

/** Simulated and real money do not mix. */
export const ENVIRONMENT_INVARIANTS: readonly Invariant[] = [
  {
    name: "A1",
    rule: "an account uses institutions of its own environment only: those it is linked to, and those its money moved through",
    query: (from) => sql`
      select a.account_id, json_build_array('institution', i.institution_id,
        'environment', i.environment, 'environmentOfAccount', a.environment) as found
      from (
        select account_id, owner_id as institution_id from ${from("ledger_accounts")} where kind = 'psp'
        union select account_id, institution_id from account_institutions
      ) used
      join ${from("accounts")} a on a.account_id = used.account_id
      join institutions i on i.institution_id = used.institution_id
      where i.environment <> a.environment`,
  },
];
