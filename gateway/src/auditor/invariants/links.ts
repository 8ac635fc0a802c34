import { sql } from "../../db/sql.ts";
import type { Invariant } from "./invariant.ts";

/** The rows about one Pix must be about the same Pix of the same institution. */
export const LINK_INVARIANTS: readonly Invariant[] = [
  {
    name: "B4",
    rule: "a return that an institution made, and a block of a payment, have the institution, wallet and charge of the Pix that they are about",
    query: (from) => sql`
      select c.account_id, json_build_array(c.what, c.id, 'pix', c.e2e_id, 'institution', c.institution_id) as found
      from (
        select account_id, 'return' as what, psp_return_id as id, e2e_id, institution_id, wallet_id, charge_id from ${from("psp_returns")}
        union all
        select account_id, 'block', block_id, e2e_id, institution_id, wallet_id, charge_id from ${from("balance_blocks")} where e2e_id is not null
      ) c
      left join ${from("received_pix")} p on p.account_id = c.account_id and p.e2e_id = c.e2e_id and p.institution_id = c.institution_id
        and p.wallet_id is not distinct from c.wallet_id and p.charge_id is not distinct from c.charge_id
      where p.account_id is null`,
  },
];
