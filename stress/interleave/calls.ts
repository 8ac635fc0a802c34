import { cancelCharge } from "../../gateway/src/charges/cancel.ts";
import { expireCharge } from "../../gateway/src/charges/expire.ts";
import { settleCharge } from "../../gateway/src/charges/settle.ts";
import { blockBalance, resolveBlock } from "../../gateway/src/claims/blocks/block-balance.ts";
import { requestKeyedRefund } from "../../gateway/src/claims/refunds/request.ts";
import { finishReturn } from "../../gateway/src/claims/returns/finish.ts";
import type { Queries } from "../../gateway/src/db/pool.ts";
import { type Sql, sql } from "../../gateway/src/db/sql.ts";
import { hashRequest, type KeyedCall } from "../../gateway/src/http/idempotency.ts";
import { keyedCommand } from "../../gateway/src/http/keyed-command.ts";
import type { CommandKind } from "../../gateway/src/ledger/lane.ts";
import { txidFor } from "../../gateway/src/lib/ids.ts";
import { adjustBalance } from "../../gateway/src/transfers/adjustments/adjust.ts";
import { sendKeyedTransfer } from "../../gateway/src/transfers/send.ts";
import { requestKeyedWithdrawal } from "../../gateway/src/withdrawals/request.ts";
import { resolveWithdrawal } from "../../gateway/src/withdrawals/resolve.ts";
import type { Call, Item } from "./call.ts";
import { CHARGES, type Command, carriedOut, nameOf, refundOf, withheldOf } from "./command.ts";
import { partsOf } from "./model.ts";
import { pixCallOf } from "./pix-calls.ts";
import { HOUR, INSTITUTION, NOW, type World } from "./world.ts";

/** The call of a process for a command; null when the object that the command names does not exist. */
export async function callOf(queries: Queries, command: Command, world: World): Promise<Call | null> {
  const item = await itemOf(queries, command, world);
  if (item === null) return pixCallOf(queries, command, world);
  const call: Call = { item, command };
  if (command.do !== "resolve") return call;
  // A returned withdrawal is booked by several commands, one for each part that came back.
  const again: Call = { ...call, next: async (result) => ((result as { more?: boolean }).more ? again : null) };
  return again;
}

const adjustKeyed = keyedCommand(adjustBalance);
const ENVIRONMENT = "sandbox" as const;

async function itemOf(queries: Queries, command: Command, world: World): Promise<Item | null> {
  if (command.do === "loops") return null;
  const { tenant } = command;
  const accountId = world.account(tenant);
  if ("charge" in command && CHARGES[command.charge]?.intent) {
    if (!(await isStored(queries, accountId, world.id("charge", tenant, command.charge)))) return null;
  }
  const item = <C extends { accountId: string }, R>(kind: CommandKind<C, R>, input: NoInfer<C>): Item =>
    ({ kind, command: input }) as unknown as Item;
  const call = (objectId: string, walletId: string, body: object, key: number | null) => ({
    accountId,
    objectId,
    keyed: keyOf({ accountId, walletId, route: `POST /${command.do}`, key, body }),
    toAnswer: (made: object) => ({ status: 201, body: JSON.stringify(made) }),
  });
  switch (command.do) {
    case "settle": {
      const { charge, pix, wrong } = command;
      const amount = CHARGES[charge]!.amount + (wrong ? 1 : 0);
      const e2eId = world.e2e(tenant, charge, pix, wrong);
      const shown = {
        ...{ e2eId, txid: world.txid(tenant, charge), amount, paidAt: new Date(NOW - HOUR), returns: [] },
        withheld: withheldOf(nameOf(charge, pix, wrong)) || undefined,
      };
      const chargeId = world.id("charge", tenant, charge);
      return item(settleCharge, {
        accountId,
        chargeId,
        institutionId: INSTITUTION,
        environment: ENVIRONMENT,
        pix: shown,
      });
    }
    case "expire":
      return item(expireCharge, {
        accountId,
        chargeId: world.id("charge", tenant, command.charge),
        environment: ENVIRONMENT,
      });
    case "cancel":
      return item(cancelCharge, { accountId, chargeId: world.id("charge", tenant, command.charge) });
    case "withdraw": {
      const { id, wallet, amount, key } = command;
      const [withdrawalId, walletId] = [world.id("withdraw", tenant, id), world.wallet(tenant, wallet)];
      return item(requestKeyedWithdrawal, {
        ...call(withdrawalId, walletId, { amount }, key),
        command: {
          accountId,
          withdrawalId,
          walletId,
          pixKey: "52998224725",
          pixKeyType: "cpf",
          holderName: "x",
          holderDocument: "52998224725",
          holderDocumentType: "cpf",
          projectId: null,
          externalReference: null,
          idempotencyKey: null,
          institutionId: INSTITUTION,
          environment: ENVIRONMENT,
          asked: { amount },
        },
      });
    }
    case "resolve":
      return resolveOf(queries, command, world);
    case "refund": {
      const [refundId, chargeId] = [world.id("refund", tenant, command.id), world.id("charge", tenant, 0)];
      const e2eId = world.e2e(tenant, 0, 0, false);
      return item(requestKeyedRefund, {
        ...call(refundId, accountId, {}, command.key),
        command: {
          accountId,
          walletId: accountId,
          refundId,
          chargeId,
          e2eId,
          pspProvider: "p",
          inParts: true,
          amount: refundOf(command.id),
          reason: null,
          idempotencyKey: null,
        },
      });
    }
    case "finish": {
      const refundId = world.id("refund", tenant, command.id);
      const end = carriedOut(command.id)
        ? { kind: "settled" as const, rtrId: `D${refundId}`, settledAt: new Date(NOW) }
        : { kind: "failed" as const, reason: "x" };
      const e2eId = world.e2e(tenant, 0, 0, false);
      const pspId = txidFor(world.numbers[tenant]!, refundId);
      const pix = { accountId, e2eId, institutionId: INSTITUTION, environment: ENVIRONMENT };
      return item(finishReturn, { ...pix, pspId, amount: refundOf(command.id), end });
    }
    case "transfer": {
      const { id, wallet, amount, key } = command;
      const transferId = world.id("transfer", tenant, id);
      const named = (i: number) => ({ walletId: world.wallet(tenant, i), reference: i === 0 ? "principal" : "sub" });
      return item(sendKeyedTransfer, {
        ...call(transferId, world.wallet(tenant, wallet), { amount }, key),
        command: {
          accountId,
          transferId,
          from: named(wallet),
          to: named(1 - wallet),
          amount,
          description: null,
          externalReference: null,
          metadata: null,
          idempotencyKey: null,
        },
      });
    }
    case "adjust": {
      const { id, wallet, amount, credit, key } = command;
      const [adjustmentId, walletId] = [world.id("adjust", tenant, id), world.wallet(tenant, wallet)];
      return item(adjustKeyed, {
        ...call(adjustmentId, walletId, { amount, credit }, key),
        command: {
          accountId,
          adjustmentId,
          actor: "operator",
          walletId,
          subAccount: wallet === 0 ? null : "sub",
          amount,
          balance: credit ? "promotional" : "available",
          type: "adjustment",
          reason: "x",
        },
      });
    }
    case "block": {
      const { id, wallet, amount, basis } = command;
      const paid =
        basis === "nothing" ? null : { chargeId: world.id("charge", tenant, 0), e2eId: world.e2e(tenant, 0, 0, false) };
      return item(blockBalance, {
        accountId,
        actor: "operator",
        blockId: world.id("block", tenant, id),
        walletId: world.wallet(tenant, wallet),
        blockType: basis === "nothing" ? "judicial" : basis,
        amount,
        institutionId: INSTITUTION,
        environment: ENVIRONMENT,
        chargeId: paid?.chargeId ?? null,
        e2eId: paid?.e2eId ?? null,
        referenceNumber: null,
        reason: null,
      });
    }
    case "end block": {
      const blockId = world.id("block", tenant, command.id);
      const row = await rowOf<{ wallet_id: string; e2e_id: string | null }>(
        queries,
        sql`select wallet_id, e2e_id from balance_blocks where account_id = ${accountId} and block_id = ${blockId}`,
      );
      return (
        row &&
        item(resolveBlock, {
          accountId,
          actor: "operator",
          blockId,
          walletId: row.wallet_id,
          institutionId: INSTITUTION,
          e2eId: row.e2e_id,
          outcome: command.outcome,
          resolutionReason: null,
          resolutionText: null,
        })
      );
    }
    default:
      return null;
  }
}

/** Whether a charge's intent is stored: before that neither its PSP nor a payer knows of the charge. */
export async function isStored(queries: Queries, accountId: string, chargeId: string): Promise<boolean> {
  const stored = sql`select charge_id from charges where account_id = ${accountId} and charge_id = ${chargeId}`;
  return (await rowOf(queries, stored)) !== null;
}

/** The command that books what the PSP shows of a withdrawal, as the loop makes it. */
async function resolveOf(queries: Queries, command: Command & { do: "resolve" }, world: World): Promise<Item | null> {
  const accountId = world.account(command.tenant);
  const withdrawalId = world.id("withdraw", command.tenant, command.id);
  const row = await rowOf<{ psp_id: string; net_amount: number }>(
    queries,
    sql`select psp_id, net_amount from withdrawals where account_id = ${accountId} and withdrawal_id = ${withdrawalId}`,
  );
  if (row === null) return null;
  const { psp_id: id, net_amount: amount } = row;
  const returns = partsOf(amount, command.back).map((part, i) => ({
    rtrId: `D${withdrawalId}${i}`,
    amount: part,
    returnedAt: new Date(NOW),
  }));
  const payout = carriedOut(command.id)
    ? { id, amount, status: "settled" as const, returns, settledAt: new Date(NOW) }
    : { id, amount, status: "failed" as const, returns: [], failure: { code: "denied" as const, message: "" } };
  const reported = { kind: "shown" as const, payout };
  const resolve = { accountId, withdrawalId, institutionId: INSTITUTION, environment: ENVIRONMENT, reported };
  return { kind: resolveWithdrawal, command: resolve } as unknown as Item;
}

async function rowOf<R>(queries: Queries, statement: Sql): Promise<R | null> {
  return (await queries.query<R>(statement)).rows[0] ?? null;
}

/** The idempotency key of a call; null: it has none. */
export function keyOf(
  call: Omit<KeyedCall, "key" | "requestHash"> & { key: number | null; body: object },
): KeyedCall | null {
  const { key, body, ...scope } = call;
  return key === null ? null : { ...scope, key: `interleave-${key}`, requestHash: hashRequest(body) };
}
