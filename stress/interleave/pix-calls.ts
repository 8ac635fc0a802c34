import { settleCharge } from "../../gateway/src/charges/settle.ts";
import { resolveBlock } from "../../gateway/src/claims/blocks/block-balance.ts";
import { applyCase } from "../../gateway/src/claims/blocks/case.ts";
import { defendBlock } from "../../gateway/src/claims/blocks/defend.ts";
import { finishReturn } from "../../gateway/src/claims/returns/finish.ts";
import { bookPspReturn } from "../../gateway/src/claims/returns/psp-made.ts";
import type { Queries } from "../../gateway/src/db/pool.ts";
import { type Sql, sql } from "../../gateway/src/db/sql.ts";
import { ApiError } from "../../gateway/src/http/errors.ts";
import type { PspPix, PspReturn } from "../../gateway/src/psp/psp.ts";
import { type UnmatchedRow, unmatched } from "../../gateway/src/unmatched/item.ts";
import { keepUnmatched } from "../../gateway/src/unmatched/keep.ts";
import { assignReceipt, retryReturn, returnReceipt } from "../../gateway/src/unmatched/resolve.ts";
import { endAssignment } from "../../gateway/src/unmatched/settle-assigned.ts";
import { type Call, callTo } from "./call.ts";
import {
  CASES,
  type Command,
  GIVEN,
  GIVEN_OF_DEPOSIT,
  HOUSE,
  isGivenBack,
  PAYMENT,
  type PixName,
  RECEIPTS,
  receipt,
  UNEXPLAINED,
  withheldOf,
} from "./command.ts";
import { HOUR, INSTITUTION, NOW, numberOf, type World } from "./world.ts";

const ENVIRONMENT = "sandbox" as const;
const ACTOR = "operator";
const ofPix = (accountId: string, e2eId: string) => ({
  ...{ accountId, e2eId, institutionId: INSTITUTION, environment: ENVIRONMENT },
});
type Doing<D extends Command["do"]> = Extract<Command, { readonly do: D }>;

/** Calls about Pix: disputes, returns by PSPs, our returns of uncredited Pix, and receipts without a charge. */
export function pixCallOf(queries: Queries, command: Command, world: World): Promise<Call | null> | Call | null {
  switch (command.do) {
    case "defend":
      return defend(queries, command, world);
    case "case": {
      const { tenant, id, status, amount = CASES[id]! } = command;
      const e2eId = world.e2eOf(tenant, PAYMENT);
      const shown = { id: `case ${id}`, e2eId, amount, status, openedAt: new Date(NOW - HOUR) };
      return callTo(command, applyCase, { ...ofPix(world.account(tenant), e2eId), shown: shown });
    }
    case "end case":
    case "defend case":
      return blockOfCase(queries, command, world);
    case "given":
      return given(queries, command, world);
    case "end return":
      return endReturn(queries, command, world);
    case "retry":
      return retry(queries, command, world);
    case "keep": {
      const received = { accountId: world.account(HOUSE), institutionId: INSTITUTION, reason: "no_txid" as const };
      return callTo(command, keepUnmatched, { ...received, pix: pixOf(world, command.id) });
    }
    case "send back":
    case "assign":
      return decide(queries, command, world);
    case "continue":
      return carryOn(queries, command.id, world);
    default:
      return null;
  }
}

async function rowsOf<R>(queries: Queries, statement: Sql): Promise<R[]> {
  return (await queries.query<R>(statement)).rows;
}

async function defend(queries: Queries, command: Doing<"defend">, world: World): Promise<Call | null> {
  const [accountId, blockId] = [world.account(command.tenant), world.id("block", command.tenant, command.id)];
  const [row] = await rowsOf<{ wallet_id: string; e2e_id: string | null }>(
    queries,
    sql`select wallet_id, e2e_id from balance_blocks where account_id = ${accountId} and block_id = ${blockId}`,
  );
  if (!row) return null;
  const { wallet_id: walletId, e2e_id: e2eId } = row;
  return callTo(command, defendBlock, { accountId, walletId, blockId, e2eId, text: "delivered" });
}

/** The case's latest block: a refund may have taken over the money of an earlier block. */
async function blockOfCase(
  queries: Queries,
  command: Doing<"end case" | "defend case">,
  world: World,
): Promise<Call | null> {
  const accountId = world.account(command.tenant);
  const rows = await rowsOf<{ block_id: string; wallet_id: string; e2e_id: string }>(
    queries,
    sql`
      select block_id, wallet_id, e2e_id from balance_blocks
      where account_id = ${accountId} and case_id = ${`case ${command.id}`} order by block_id`,
  );
  const row = rows.at(-1);
  if (!row) return null;
  const as = { ...command, nth: rows.length - 1 };
  const block = { accountId, walletId: row.wallet_id, blockId: row.block_id, e2eId: row.e2e_id };
  if (as.do === "defend case") return callTo(as, defendBlock, { ...block, text: "delivered" });
  const how = {
    actor: ACTOR,
    institutionId: INSTITUTION,
    outcome: as.outcome,
    resolutionReason: null,
    resolutionText: null,
  };
  return callTo(as, resolveBlock, { ...block, ...how });
}

/**
 * A return by the PSP. If the house account has assigned its Pix to a charge meanwhile, it is booked in that charge's
 * account.
 */
function given(queries: Queries, command: Doing<"given">, world: World): Call {
  const { tenant, pix, id } = command;
  const e2eId = world.e2eOf(tenant, pix);
  const rtrId = `D${e2eId}${id}`;
  const amount = pix === PAYMENT ? GIVEN[id]! : GIVEN_OF_DEPOSIT;
  // As of a case only where the model has cases: of the payment with claims.
  const med = pix !== PAYMENT || id === UNEXPLAINED ? null : true;
  const names = { id: med ? rtrId : `R${id}`, rtrId };
  const shown: PspReturn = { ...names, amount, status: "settled", med, settledAt: new Date(NOW) };
  const call = callTo(command, bookPspReturn, {
    ...ofPix(world.account(tenant), e2eId),
    shown: shown,
    casesRead: true,
  });
  if (tenant !== HOUSE) return call;
  const there = (to: number) => given(queries, { ...command, tenant: to }, world);
  return {
    ...call,
    next: async (result) => (result === "elsewhere" ? carryOn(queries, receiptOf(pix), world, there) : null),
  };
}

/** Ends our latest return. */
async function endReturn(queries: Queries, command: Doing<"end return">, world: World): Promise<Call | null> {
  const { tenant, pix } = command;
  const [accountId, e2eId] = [world.account(tenant), world.e2eOf(tenant, pix)];
  const rows = await rowsOf<{ psp_id: string; amount: number }>(
    queries,
    sql`
      select psp_id, amount from pix_returns
      where account_id = ${accountId} and e2e_id = ${e2eId} and purpose = 'deposit' order by return_id`,
  );
  const row = rows.at(-1);
  if (!row) return null;
  const { psp_id: pspId, amount } = row;
  const nth = rows.length - 1;
  const end = isGivenBack(pix, amount, nth)
    ? { kind: "settled" as const, rtrId: `D${pspId}`, settledAt: new Date(NOW) }
    : { kind: "failed" as const, reason: "x" };
  return callTo({ ...command, nth }, finishReturn, { ...ofPix(accountId, e2eId), pspId, amount, end });
}

/** Retries the latest return that the operator sees as failed. */
async function retry(queries: Queries, command: Doing<"retry">, world: World): Promise<Call | null> {
  const { tenant, pix, reported } = command;
  const [accountId, e2eId] = [world.account(tenant), world.e2eOf(tenant, pix)];
  const [row] = await rowsOf<UnmatchedRow & { nth: number }>(
    queries,
    sql`
      select ${unmatched.select("u")}, (select count(*) from pix_returns r where r.account_id = u.account_id and r.e2e_id = u.e2e_id
        and r.purpose = 'deposit' and r.return_id < u.id) as nth
      from unmatched u where account_id = ${accountId} and e2e_id = ${e2eId} and kind = 'return' order by id desc limit 1`,
  );
  if (!row) return null;
  const { nth, ...shown } = row;
  return callTo({ ...command, nth }, retryReturn, { accountId, actor: ACTOR, shown, reported });
}

/** A decision of the operator about a receipt in the list of unmatched money. */
async function decide(queries: Queries, command: Doing<"send back" | "assign">, world: World): Promise<Call | null> {
  const accountId = world.account(HOUSE);
  const e2eId = world.e2eOf(HOUSE, receipt(command.id));
  const [shown] = await rowsOf<UnmatchedRow>(
    queries,
    sql`select ${unmatched.select()} from unmatched where account_id = ${accountId} and e2e_id = ${e2eId} and kind = 'receipt'`,
  );
  if (!shown) return null;
  const decision = { accountId, actor: ACTOR, shown };
  if (command.do === "send back") return callTo(command, returnReceipt, decision);
  const { id, to, charge } = command;
  const call = callTo(command, assignReceipt, {
    ...decision,
    toAccountId: world.account(to),
    chargeId: world.id("charge", to, charge),
  });
  return {
    ...call,
    next: async (result) => (result instanceof ApiError ? null : settleAssigned(world, { id, to, charge })),
  };
}

/** Continues an assignment, as the loop and a notification of its Pix do. */
async function carryOn(queries: Queries, id: number, world: World, after?: (to: number) => Call): Promise<Call | null> {
  const accountId = world.account(HOUSE);
  const [row] = await rowsOf<{ to_account_id: string; charge_id: string }>(
    queries,
    sql`
      select to_account_id, charge_id from pix_assignments
      where account_id = ${accountId} and e2e_id = ${world.e2eOf(HOUSE, receipt(id))}`,
  );
  if (!row) return null;
  const to = [0, 1].find((tenant) => world.account(tenant) === row.to_account_id)!;
  return settleAssigned(world, { id, to, charge: numberOf(row.charge_id) }, after);
}

/** The second step of an assignment, in the charge's account, and then the last step, in the house account. */
function settleAssigned(
  world: World,
  { id, to, charge }: { readonly id: number; readonly to: number; readonly charge: number },
  after?: (to: number) => Call,
): Call {
  const command = { do: "settle assigned" as const, tenant: to, id, charge };
  const chargeId = world.id("charge", to, charge);
  const call = callTo(command, settleCharge, {
    accountId: world.account(to),
    chargeId,
    institutionId: INSTITUTION,
    environment: ENVIRONMENT,
    pix: pixOf(world, id),
    assigned: true,
  });
  type Ended = { outcome: "credited" | "blocked" | "second_payment"; chargeId?: string };
  const end = (ended: Ended) =>
    callTo({ do: "end assignment", tenant: HOUSE, id }, endAssignment, {
      accountId: world.account(HOUSE),
      e2eId: world.e2eOf(HOUSE, receipt(id)),
      outcome: ended.outcome,
      chargeId: ended.chargeId ?? chargeId,
      withheld: withheldOf(receipt(id)),
    });
  return { ...call, next: async (result) => (after ? after(to) : end(result as Ended)) };
}

const receiptOf = (pix: PixName): number => Number(pix.split(" ")[1]);

/** A receipt as the PSP shows it: without a txid. */
const pixOf = (world: World, id: number): PspPix => ({
  e2eId: world.e2eOf(HOUSE, receipt(id)),
  amount: RECEIPTS[id]!,
  withheld: withheldOf(receipt(id)) || undefined,
  paidAt: new Date(NOW - HOUR),
  returns: [],
});
