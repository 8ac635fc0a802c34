import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { Brl, PathId, RequestObject, ref } from "../http/contract.ts";
import { ApiError, invalid, notFound } from "../http/errors.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { fromBrl, toBrl } from "../lib/money.ts";
import type { Payouts, PspPayout } from "../psp/psp.ts";
import type { SandboxControl } from "../psp/sandbox-control.ts";
import { findWithdrawal } from "../withdrawals/list.ts";
import { Withdrawal } from "../withdrawals/schema.ts";
import { type ShownRow, toWithdrawal } from "../withdrawals/show.ts";
import { isOpen, type PendingReason, referenceOf } from "../withdrawals/withdrawal.ts";
import { PLAYS } from "./plays.ts";
import { refuseStopped } from "./stopped.ts";
import { simulatorUnavailable } from "./unavailable.ts";
import { untilBooked } from "./until.ts";

const SandboxWithdrawalEnd = RequestObject("SandboxWithdrawalEnd", "How the simulator ends a withdrawal.", {
  outcome: Type.Enum(["complete", "fail", "reverse"], {
    description: "`complete` and `fail` end the payment; `reverse` makes the receiver of a completed one give it back.",
  }),
  reason: Type.Optional(Type.String({ maxLength: 140, description: "Why, as the PSP reports it." })),
  amount: Type.Optional(
    Brl({ minimum: 0.01, description: "For `reverse`: how much comes back, BRL; left out: all that is left." }),
  ),
});

type End = Static<typeof SandboxWithdrawalEnd>;
/** A withdrawal and the simulator that has it. */
type AtSimulator = { readonly payouts: Payouts; readonly sandbox: SandboxControl };

const Params = Type.Object({ id: PathId("withdrawal", "Id of the withdrawal.") });

/** The call that makes the simulator end withdrawals; the gateway learns of it as from a real PSP. */
export function sandboxWithdrawalRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/sandbox/withdrawals/:id/settle",
    operationId: "sandbox.settleWithdrawal",
    summary: "End a withdrawal, or reverse it (sandbox)",
    description:
      "Waits until the simulator has the withdrawal, makes it end so, and answers when the gateway has booked it. Left alone, the simulator completes a withdrawal within about a second; the key `fail@pixgate.test` fails, `other-name@pixgate.test` is somebody's of another name, `manual@pixgate.test` waits for this call.",
    ...PLAYS,
    permission: "WITHDRAWAL:WRITE",
    params: Params,
    body: ref(SandboxWithdrawalEnd),
    example: { outcome: "complete" },
    answer: ref(Withdrawal),
    errors: ["RESOURCE_NOT_FOUND", "WITHDRAWAL_NOT_SETTLEABLE", "SENDING_PAUSED", "PSP_UNAVAILABLE"],
    async handle({ caller: { accountId }, wallet: { walletId }, params, body }) {
      const id = params.id;
      if (body.amount !== undefined && body.outcome !== "reverse") throw invalid("amount", "is for reverse only");
      const read = async (): Promise<ShownRow> => {
        const row = await findWithdrawal(ctx.db, { accountId, walletId }, id);
        if (row === null) throw notFound("withdrawal", params.id);
        return row;
      };
      const row = await read();
      const psp = (await ctx.psps.find(row.institutionId))?.psp;
      const { payouts, sandbox } = psp ?? {};
      if (!payouts || !sandbox) throw notFound("sandbox withdrawal", params.id);
      const at = { payouts, sandbox };
      if (body.outcome === "reverse") await reverse(ctx, at, row, body, read);
      else await end(ctx, at, row, body.outcome, body.reason, read);
      return toWithdrawal(await read());
    },
  });
}

const UNBOOKED = "The simulator has done it, but the gateway has not booked it yet.";

/** Completes or fails a withdrawal under way; one that has ended in that way already counts too. */
async function end(
  ctx: Context,
  { payouts, sandbox }: AtSimulator,
  row: ShownRow,
  outcome: "complete" | "fail",
  reason: string | undefined,
  read: () => Promise<ShownRow>,
): Promise<void> {
  const wanted = outcome === "complete" ? "settled" : "failed";
  if (isOpen(row.status)) {
    let shown = await untilAtPsp(ctx, payouts, row, read);
    if (shown.status === "processing") {
      const done = await sandbox.settlePayout({ id: row.pspId, outcome, reason });
      if (done.kind !== "accepted" && done.kind !== "rejected") throw simulatorUnavailable(done);
      // Refused: it has just ended by itself.
      if (done.kind === "rejected") shown = await untilAtPsp(ctx, payouts, row, read, true);
    }
    if (shown.status !== "processing" && shown.status !== wanted) throw notSettleable(shown.status);
    await untilBooked(ctx, row.accountId, row.withdrawalId, UNBOOKED, async () => !isOpen((await read()).status));
  }
  const { status } = await read();
  if ((status === "failed") !== (wanted === "failed")) throw notSettleable(status);
}

/** Gives back a completed withdrawal; one under way is completed first. */
async function reverse(
  ctx: Context,
  at: AtSimulator,
  row: ShownRow,
  { amount, reason }: End,
  read: () => Promise<ShownRow>,
): Promise<void> {
  await end(ctx, at, row, "complete", undefined, read);
  const before = await read();
  const left = before.netAmount - before.returnedAmount;
  const back = amount === undefined ? left : fromBrl(amount)!;
  if (left === 0) throw notSettleable(before.status);
  if (back > left) throw invalid("amount", `is more than what is left of it, ${toBrl(left)}`);
  const done = await at.sandbox.settlePayout({ id: row.pspId, outcome: "reverse", amount: back, reason });
  if (done.kind === "rejected") throw notSettleable((await read()).status);
  if (done.kind !== "accepted") throw simulatorUnavailable(done);
  const booked = async () => (await read()).returnedAmount >= before.returnedAmount + back;
  await untilBooked(ctx, row.accountId, row.withdrawalId, UNBOOKED, booked);
}

/** Waits until the PSP shows it; `ended`: until it has ended there. */
async function untilAtPsp(
  ctx: Context,
  payouts: Payouts,
  row: ShownRow,
  read: () => Promise<ShownRow>,
  ended = false,
): Promise<PspPayout> {
  if (row.pendingReason === "paused") await refuseStopped(ctx.db, row);
  let shown: PspPayout | null = null;
  await untilBooked(
    ctx,
    row.accountId,
    row.withdrawalId,
    "The simulator does not have the withdrawal yet.",
    async () => {
      const found = await payouts.findPayout(row.pspId, referenceOf(await read()));
      shown = found.kind === "found" ? found.value : null;
      return shown !== null && (!ended || shown.status !== "processing");
    },
  ).catch((error: unknown) => {
    // Nothing of it was sent (an approval, a limit), or it has not ended there.
    throw error instanceof ApiError ? notSettleable(row.status, row.pendingReason) : error;
  });
  return shown!;
}

const notSettleable = (status: string, pendingReason: PendingReason | null = null): ApiError =>
  new ApiError("WITHDRAWAL_NOT_SETTLEABLE", undefined, { status, ...(pendingReason && { pendingReason }) });
