import { type CaseAction, NO_PARAMETERS } from "../cases/action.ts";
import { sql } from "../db/sql.ts";
import { ApiError, notFound } from "../http/errors.ts";
import { endHold } from "./end-hold.ts";

const action = (name: string, outcome: "released" | "taken", says: string): CaseAction => ({
  action: name,
  kinds: ["block_without_return"],
  says,
  parameters: NO_PARAMETERS,
  async execute(ctx, { account_id: accountId, object_id: blockId }, _, { actor }) {
    const { rows } = await ctx.db.query<{ e2e_id: string }>(sql`
      select e2e_id from balance_blocks where account_id = ${accountId} and block_id = ${blockId} and e2e_id is not null`);
    if (!rows[0]) throw notFound("balance block", blockId);
    const done = await ctx.lanes.run(endHold, { accountId, blockId, e2eId: rows[0].e2e_id, outcome, actor });
    if (done instanceof ApiError) throw done;
    return { status: done.status, takenAmount: done.takenAmount ?? 0 };
  },
});

/** What can be done about an accepted case whose return its institution never showed. */
export const BLOCK_ACTIONS: readonly CaseAction[] = [
  action("release_hold", "released", "The institution returned nothing and will not: the money is available again."),
  action("take_hold", "taken", "The money has left, although the institution does not show it: debit the wallet."),
];
