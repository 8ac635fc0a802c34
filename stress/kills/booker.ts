import { randomBytes } from "node:crypto";
import { settleCharge } from "../../gateway/src/charges/settle.ts";
import { openDb } from "../../gateway/src/db/pool.ts";
import { ApiError } from "../../gateway/src/http/errors.ts";
import { createLanes } from "../../gateway/src/ledger/lane.ts";
import { armFailpoints, dieBy, readFailpoints } from "../../gateway/src/lib/failpoint.ts";
import { createIds } from "../../gateway/src/lib/ids.ts";
import type { PspPayout, PspPix } from "../../gateway/src/psp/psp.ts";
import { type AdjustBalance, adjustBalance } from "../../gateway/src/transfers/adjustments/adjust.ts";
import { type SendTransfer, sendTransfer } from "../../gateway/src/transfers/send.ts";
import { claimPayoutIds } from "../../gateway/src/withdrawals/claim-ids.ts";
import { type RequestWithdrawal, requestWithdrawal } from "../../gateway/src/withdrawals/request.ts";
import { resolveWithdrawal } from "../../gateway/src/withdrawals/resolve.ts";

/** An order to move money. Its id stays the same when the order is repeated. */
export type Order = { readonly id: string; readonly accountId: string; readonly amount: number } & (
  | { readonly do: "settle"; readonly institutionId: string; readonly pix: Omit<PspPix, "paidAt"> }
  | { readonly do: "transfer"; readonly command: SendTransfer }
  | { readonly do: "adjust"; readonly command: AdjustBalance }
  | { readonly do: "withdraw"; readonly command: RequestWithdrawal; readonly payout: Omit<PspPayout, "returns"> }
);
/** The orders of one start of the program, and the failpoint at which it dies; without one, its parent kills it. */
export type Life = {
  readonly url: string;
  readonly orders: readonly Order[];
  readonly atOnce: number;
  readonly dies?: string;
};
export type Report = { readonly id: string; readonly outcome: string };

const environment = "sandbox";

/** A program with nothing but lanes: it runs orders on a database, and reports each as soon as it is committed. */
process.once("message", async ({ url, orders, atOnce, dies }: Life) => {
  if (dies !== undefined) armFailpoints(dieBy(readFailpoints(dies)));
  const db = openDb({ url, max: 3, onError: () => {} });
  const ids = createIds({ now: Date.now, random: (n) => randomBytes(n) });
  const clock = { now: Date.now, date: () => new Date() };
  const lanes = createLanes({ db, now: clock.date, newId: () => ids.uuid() });
  const outcomeOf = (result: unknown) => (result instanceof ApiError ? result.code : "done");

  async function execute(order: Order): Promise<string> {
    const { accountId, id } = order;
    switch (order.do) {
      case "settle": {
        const { institutionId } = order;
        const pix: PspPix = { ...order.pix, paidAt: new Date() };
        return (await lanes.run(settleCharge, { accountId, chargeId: id, institutionId, environment, pix })).outcome;
      }
      case "transfer":
        return outcomeOf(await lanes.run(sendTransfer, order.command));
      case "adjust":
        return outcomeOf(await lanes.run(adjustBalance, order.command));
      case "withdraw": {
        const asked = await lanes.run(requestWithdrawal, order.command);
        if (asked instanceof ApiError) return asked.code;
        const reported = { kind: "shown" as const, payout: { ...order.payout, returns: [] } };
        const { institutionId } = order.command;
        const withdrawal = { accountId, withdrawalId: id, institutionId };
        if (!(await claimPayoutIds({ db, clock }, withdrawal, order.payout))) return "contradiction";
        for (;;) {
          const end = { ...withdrawal, environment, reported } as const;
          const resolved = await lanes.run(resolveWithdrawal, end);
          if (resolved.kind !== "known") return resolved.kind;
          if (!resolved.more) return resolved.status;
        }
      }
    }
  }

  const waiting = [...orders];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let order = waiting.shift(); order; order = waiting.shift()) {
        process.send!({ id: order.id, outcome: await execute(order) } satisfies Report);
      }
    }),
  );
  await db.end();
  process.disconnect();
});
