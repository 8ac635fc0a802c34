import { type CaseAction, NO_PARAMETERS } from "../../cases/action.ts";
import { type Facts, readStanding } from "../../cases/basis.ts";
import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { sumOf } from "../pix.ts";
import { blockStanding, endDecidedHold } from "./end-hold.ts";
import { blocksTable } from "./row.ts";

type About = Parameters<CaseAction["execute"]>[1];

export async function readBlock({ db }: Pick<Context, "db">, { accountId, objectId: blockId }: About) {
  const { rows } = await db.query<{ e2eId: string; institutionId: string }>(sql`
    select ${blocksTable.select("", ["e2eId", "institutionId"])} from balance_blocks
    where account_id = ${accountId} and block_id = ${blockId} and e2e_id is not null`);
  if (!rows[0]) throw notFound("balance block", blockId);
  return { accountId, blockId, ...rows[0] };
}

/**
 * What the institution shows as returned of the block's Pix. The poll of accepted cases books it (claims/blocks/settle.ts).
 */
export async function queryReturns(ctx: Context, about: About): Promise<Facts> {
  const { e2eId, institutionId } = await readBlock(ctx, about);
  const found = await (await ctx.psps.find(institutionId))?.psp.findPix(e2eId);
  if (found?.kind !== "found") return { status: found?.kind ?? "unknown" };
  const settled = found.value.returns.filter(({ status }) => status === "settled");
  return { status: "found", returns: settled.length, returned: sumOf(settled) };
}

const action = (name: string, outcome: "released" | "taken", description: string): CaseAction => ({
  action: name,
  kinds: ["block_without_return"],
  description,
  parameters: NO_PARAMETERS,
  standing: async (ctx, about) => readStanding(ctx.lanes, blockStanding, await readBlock(ctx, about)),
  ask: queryReturns,
  async execute(ctx, about, _, { actor, proposalId }) {
    const { accountId, blockId, e2eId } = await readBlock(ctx, about);
    const command = { accountId, blockId, e2eId, outcome, actor };
    const done = await ctx.lanes.run(endDecidedHold, { accountId, proposalId, command });
    if (done instanceof ApiError) throw done;
    return { status: done.status, takenAmount: done.takenAmount ?? 0 };
  },
});

/** What an operator can do about an accepted case whose return its institution never showed. */
export const BLOCK_ACTIONS: readonly CaseAction[] = [
  action("release_hold", "released", "The institution returned nothing and will not: the money is available again."),
  action("take_hold", "taken", "The money has left, although the institution does not show it: debit the wallet."),
];
