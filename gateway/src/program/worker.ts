import { auditDue } from "../auditor/audit.ts";
import type { Applier } from "../booking/apply.ts";
import { closeEndedCharges, closeOthers } from "../booking/report-many.ts";
import { executeDue } from "../cases/execute-due.ts";
import { createDefender } from "../claims/blocks/send-defence.ts";
import { watchOverdue } from "../claims/blocks/watch-overdue.ts";
import { createReturner } from "../claims/returns/send.ts";
import { closeDue } from "../close/close.ts";
import type { Context } from "../context.ts";
import type { Runner } from "../db/due-rows/runner.ts";
import { levelOf } from "../db/pool.ts";
import { createCertificateWatch } from "../institutions/certificates.ts";
import type { Institution } from "../institutions/registry.ts";
import { watchTokens } from "../operator-tokens/watch.ts";
import { createResumer } from "../outgoing/resume.ts";
import { createMailer } from "../people/notices/mail.ts";
import { createMedReturnAwaiter } from "../polls/await-med-returns.ts";
import { createChargePoller } from "../polls/charges.ts";
import { createPolls } from "../polls/each-institution.ts";
import { pollInfractions } from "../polls/infractions.ts";
import { pollReceived } from "../polls/received.ts";
import { pollReturns } from "../polls/returns.ts";
import { removeStrays } from "../polls/strays.ts";
import { reconcileDaily } from "../reconciliation/daily.ts";
import { closeBooked } from "../reconciliation/findings.ts";
import { watchIdentity } from "../reconciliation/restore/watch.ts";
import { watchBalances } from "../reconciliation/watch-balances.ts";
import { createEventPurge, purgeKeys, purgeOld } from "../retention/purge.ts";
import { watchDebts } from "../treasury/watch-debts.ts";
import { joinReceipts } from "../unmatched/join.ts";
import { createAssigner } from "../unmatched/settle-assigned.ts";
import { giveUpDeleted } from "../webhooks/deliveries/give-up.ts";
import { expireApprovals } from "../withdrawals/approve.ts";
import { createSender } from "../withdrawals/send.ts";
import { CASE_ACTIONS } from "./case-actions.ts";

/** A loop: its name (also that of its wake-up), its pause when there is nothing to do, and one batch of work. */
type Loop = {
  readonly name: string;
  /**
   * Milliseconds. A commit of this process wakes the loop at once; the pause limits how long work of other processes waits.
   */
  readonly pauseMs: number;
  /** Does one batch; true when there may be more. */
  once(): Promise<boolean>;
  /** Resolves when nothing that the batches began is under way. Left out: everything ends with its batch. */
  idle?(): Promise<void>;
  /** Runs even while this process's clock is wrong. */
  readonly always?: boolean;
};

/** What the loops share with the rest of the process. */
type LoopParts = {
  readonly houseId: string;
  readonly applier: Applier;
  readonly confirmer: Runner;
  readonly deliverer: Runner;
};

/** The loops of a worker. Each may be killed at any moment and run again. */
export function loops(ctx: Context, { houseId, applier, confirmer, deliverer }: LoopParts): Loop[] {
  /** A running process may find itself on another database: a replica took over, or an address leads elsewhere. */
  const beforeSending = () => watchIdentity(ctx, houseId);
  const polling = (name: string, pauseMs: number, poll: (institution: Institution) => Promise<boolean>): Loop =>
    running(name, pauseMs, createPolls(ctx, name, poll));
  return [
    running("inbox", 500, confirmer),
    running("deliver", 500, deliverer),
    running("charges", 1_000, createChargePoller(ctx, applier)),
    { name: "resume", pauseMs: 2_000, once: createResumer(ctx) },
    running("returns", 1_000, createReturner(ctx), beforeSending),
    running("withdrawals", 1_000, createSender(ctx), beforeSending),
    running("defences", 2_000, createDefender(ctx)),
    running("med returns", 5_000, createMedReturnAwaiter(ctx, applier)),
    polling("infractions", 2_000, (one) => pollInfractions(ctx, houseId, applier, one)),
    running("assignments", 2_000, createAssigner(ctx)),
    polling("received", 2_000, (one) => pollReceived(ctx, applier, one)),
    polling("returned", 60_000, (one) => pollReturns(ctx, applier, one)),
    { name: "join receipts", pauseMs: 10_000, once: () => joinReceipts(ctx, houseId) },
    { name: "strays", pauseMs: 5_000, once: async () => (await removeStrays(ctx, applier)) > 0 },
    { name: "deleted endpoints", pauseMs: 30_000, once: () => giveUpDeleted(ctx) },
    { name: "certificates", pauseMs: 60_000, once: createCertificateWatch(ctx, houseId) },
    { name: "operator tokens", pauseMs: 60_000, once: () => watchTokens(ctx, houseId) },
    { name: "reconcile", pauseMs: 60_000, once: () => reconcileDaily(ctx, applier, houseId) },
    {
      name: "differences",
      pauseMs: 10_000,
      async once() {
        for (const close of [closeBooked, closeEndedCharges, closeOthers]) await close(ctx, houseId);
        return false;
      },
    },
    { name: "close", pauseMs: 60_000, once: () => closeDue(ctx, houseId) },
    { name: "balances", pauseMs: 5_000, once: () => watchBalances(ctx, houseId) },
    { name: "approvals", pauseMs: 600_000, once: () => expireApprovals(ctx) },
    { name: "overdue blocks", pauseMs: 600_000, once: () => watchOverdue(ctx) },
    { name: "debts", pauseMs: 600_000, once: () => watchDebts(ctx) },
    { name: "audit", pauseMs: 30_000, once: () => auditDue(ctx) },
    { name: "cases", pauseMs: 10_000, once: async () => (await executeDue(ctx, CASE_ACTIONS)) > 0 },
    { name: "mail", pauseMs: 5_000, once: createMailer(ctx) },
    { name: "purge", pauseMs: 60_000, once: () => purgeKeys(ctx) },
    { name: "purge old", pauseMs: 600_000, once: () => purgeOld(ctx, houseId) },
    { name: "purge events", pauseMs: 600_000, once: createEventPurge(ctx) },
  ];
}

/** The loop of a runner, whose rows may still be under way when the batch that began them has ended. */
const running = (name: string, pauseMs: number, runner: Runner, before?: () => Promise<unknown>): Loop => ({
  name,
  pauseMs,
  async once() {
    await before?.();
    return (await runner.runDue()) > 0;
  },
  idle: () => runner.idle(),
});

/**
 * Runs loops until asked to stop; the promise resolves when everything that they began has ended. While the clock is wrong
 * they pause, because it decides what is due or over.
 */
export function startLoops(
  ctx: Pick<Context, "hints" | "log" | "clockCheck">,
  list: readonly Loop[],
): { stop(): Promise<void> } {
  let stopping = false;
  const wakers: (() => void)[] = [];

  async function run(loop: Loop): Promise<void> {
    // A wake-up during a batch counts for the next one.
    let woken = false;
    let wake = () => {
      woken = true;
    };
    const off = ctx.hints.onWake(loop.name, () => wake());
    wakers.push(() => wake());
    while (!stopping) {
      woken = false;
      let more = false;
      try {
        if (loop.always || ctx.clockCheck.isRight()) more = await loop.once();
      } catch (error) {
        ctx.log[levelOf(error)]({ err: error, loop: loop.name }, "a loop failed; it goes on after a pause");
      }
      if (more || woken || stopping) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => wake(), loop.pauseMs);
        wake = () => {
          clearTimeout(timer);
          wake = () => {
            woken = true;
          };
          resolve();
        };
      });
    }
    off();
  }

  const started = list.map(run);
  return {
    async stop() {
      stopping = true;
      for (const wake of wakers) wake();
      await Promise.all(started);
      await Promise.all(list.map((loop) => loop.idle?.()));
    },
  };
}
