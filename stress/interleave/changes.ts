import { patchAccount } from "../../gateway/src/accounts/change.ts";
import { changeSubAccount } from "../../gateway/src/accounts/sub-accounts/operator-routes.ts";
import { createIntentWriter, rejectIntent } from "../../gateway/src/charges/intent.ts";
import { createDefender } from "../../gateway/src/claims/blocks/send-defence.ts";
import { createReturner } from "../../gateway/src/claims/returns/send.ts";
import type { OperatorContext } from "../../gateway/src/http/roles.ts";
import { createEndpoint } from "../../gateway/src/webhooks/endpoints/change.ts";
import { createSender } from "../../gateway/src/withdrawals/send.ts";
import { isStored, keyOf } from "./calls.ts";
import { CHARGES, type Command } from "./command.ts";
import type { Outcome } from "./model.ts";
import { HOUR, INSTITUTION, NOW, type World } from "./world.ts";

type Change = () => Promise<Outcome>;

/**
 * A change that does not run in a lane: the loops, the operator's changes, endpoints, and the writes that create a
 * charge. Null when the object that it concerns does not exist.
 */
export async function changeOf(ctx: OperatorContext, command: Command, world: World): Promise<Change | null> {
  if (command.do === "loops") return () => runLoops(ctx);
  const { tenant } = command;
  const accountId = world.account(tenant);
  const patch = (body: Parameters<typeof patchAccount>[3]) => async () => {
    const known = { above: null, banks: await ctx.psps.all() };
    await ctx.db.transaction((tx) => patchAccount(ctx, tx, accountId, body, known));
    return "changed";
  };
  switch (command.do) {
    case "fees":
      return patch({
        fees: { charge: { fixed: command.charge / 100 }, withdrawal: { fixed: command.withdrawal / 100 } },
      });
    case "limit":
      return patch({ limits: { perDay: command.perDay === null ? null : command.perDay / 100 } });
    case "account":
      return patch({ status: command.suspended ? "suspended" : "approved" });
    case "wallet":
      return async () => {
        const status = command.suspended ? "suspended" : "approved";
        await ctx.db.transaction((tx) => changeSubAccount(ctx, tx, accountId, "sub", { status }));
        return "changed";
      };
    case "endpoint":
      return async () => {
        const owner = { accountId, walletId: world.wallet(tenant, command.wallet) };
        const how = { events: undefined, description: undefined, enabled: true, retry: "standard" as const };
        await ctx.db.transaction((tx) => createEndpoint(ctx, tx, owner, { url: "http://127.0.0.1/", ...how }));
        return "made";
      };
    case "intend":
      return () => intend(ctx, tenant, command.charge, world);
    case "accept":
    case "reject": {
      const chargeId = world.id("charge", tenant, command.charge);
      if (!(await isStored(ctx.db, accountId, chargeId))) return null;
      if (command.do === "reject") return async () => String(await rejectIntent(ctx, accountId, chargeId));
      return () => accept(ctx, tenant, chargeId, world);
    }
    default:
      throw new Error(`${command.do} is a command of the lane`);
  }
}

async function runLoops(ctx: OperatorContext): Promise<Outcome> {
  for (const runner of [createSender(ctx), createReturner(ctx), createDefender(ctx)]) {
    await runner.runDue();
    await runner.idle();
  }
  return "ran";
}

const TIMES = { expiresAt: new Date(NOW + HOUR), checkAt: new Date(NOW + HOUR) };
const keyIn = (accountId: string) => keyOf({ accountId, walletId: accountId, route: "POST /pix", key: 0, body: {} });

function intend(ctx: OperatorContext, tenant: number, charge: number, world: World): Promise<Outcome> {
  const accountId = world.account(tenant);
  const keyed = keyIn(accountId);
  const intent = {
    accountId,
    chargeId: world.id("charge", tenant, charge),
    walletId: accountId,
    amount: CHARGES[charge]!.amount,
    description: "",
    externalReference: null,
    idempotencyKey: keyed!.key,
    projectId: null,
    qrCodeId: null,
    customerId: null,
    customer: null,
    metadata: null,
    split: null,
    returnUrl: null,
    paymentLinkId: null,
    institutionId: INSTITUTION,
    pinned: false,
    routing: null,
    txid: world.txid(tenant, charge),
    due: null,
    expiresIn: 3_600,
    expiresAt: TIMES.expiresAt,
    createdAt: new Date(NOW),
  };
  return createIntentWriter(ctx).store({ intent, keyed });
}

async function accept(ctx: OperatorContext, tenant: number, chargeId: string, world: World): Promise<Outcome> {
  const accountId = world.account(tenant);
  const keyed = keyIn(accountId);
  const status = await createIntentWriter(ctx).accept({
    accountId,
    chargeId,
    institutionId: INSTITUTION,
    pixCopyPaste: "code",
    pspPaymentId: null,
    ...TIMES,
    kept: keyed && { keyed, answer: { status: 201, body: "{}" } },
  });
  return status ?? "none";
}
