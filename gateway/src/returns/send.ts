import type { Context } from "../context.ts";
import { instants, sql, uuids } from "../db/sql.ts";
import type { Psp } from "../psp/psp.ts";
import { type FinishReturn, finishOf, finishReturn } from "./finish.ts";

/** Returns claimed at once, and calls to PSPs under way at once. */
const IN_FLIGHT = 32;
/** A claimed return is due again after this time, should the process die. Longer than its calls take together. */
const CLAIM = 60_000;
/** Pauses before the PSP is asked again: a second, doubling to ten minutes. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 600_000;
/** A refusal is believed after this time of refusals only, when an earlier request may still have been on its way. */
const REFUSED_FOR = 60_000;
/** Refusals that say nothing of the return: we are not let in, or the PSP does not show the Pix (yet). */
const BESIDE_THE_POINT: ReadonlySet<number> = new Set([401, 403, 404]);
const REFUSED_BESIDE_THE_POINT = 86_400_000;
/** What the payer reads. */
const DESCRIPTION = "Devolução automática: o pagamento não pôde ser aceito";

type Due = {
  readonly account_id: string;
  readonly return_id: string;
  readonly e2e_id: string;
  readonly psp_id: string;
  readonly institution_id: string;
  readonly amount: number;
  readonly attempts: number;
  readonly refused_at: Date | null;
  /** False: no request has left, so what the PSP says is about this one. */
  readonly may_have_left: boolean;
};

/**
 * Sends automatic returns and asks about them until they are over. A return is claimed by moving `next_at`; every call
 * bears its stored id, and after an unclear outcome the PSP is asked before the same request is repeated.
 */
export type Returner = {
  /** Begins what is due, as far as there is room; gives how many returns it began. */
  returnDue(): Promise<number>;
  idle(): Promise<void>;
};

export function createReturner(ctx: Context): Returner {
  const inFlight = new Set<Promise<void>>();
  return {
    async returnDue() {
      const room = IN_FLIGHT - inFlight.size;
      if (room <= 0) return 0;
      const dues = await claim(ctx, room);
      for (const due of dues) {
        const going = carry(ctx, due)
          .catch((error: unknown) => {
            // Unmarked, it is due again when the claim ends.
            ctx.log.error({ err: error, returnId: due.return_id }, "a return could not be carried on");
          })
          .finally(() => {
            inFlight.delete(going);
            ctx.hints.wake("returns");
          });
        inFlight.add(going);
      }
      return dues.length;
    },
    async idle() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}

/** Claimed is `sending`: should this process die now, a request may have left. */
async function claim(ctx: Context, limit: number): Promise<Due[]> {
  const now = ctx.clock.date();
  const found = await ctx.db.query<{ account_id: string; return_id: string; next_at: Date }>(sql`
    select account_id, return_id, next_at from pix_returns
    where next_at <= ${now} order by next_at limit ${limit}`);
  if (found.rows.length === 0) return [];
  const rows = found.rows.sort((a, b) => (a.account_id + a.return_id < b.account_id + b.return_id ? -1 : 1));
  const claimed = await ctx.db.query<Due>(sql`
    with mine as (
      select r.account_id, r.return_id, r.status
      from unnest(${uuids(rows.map((r) => r.account_id))}::uuid[], ${uuids(rows.map((r) => r.return_id))}::uuid[],
        ${instants(rows.map((r) => r.next_at))}::timestamptz[]) as u (account_id, return_id, next_at)
      join pix_returns r on r.account_id = u.account_id and r.return_id = u.return_id and r.next_at = u.next_at
      where r.account_id = any(${uuids([...new Set(rows.map((r) => r.account_id))])}::uuid[])
      for no key update of r skip locked
    )
    update pix_returns r set status = 'sending', next_at = ${new Date(now.getTime() + CLAIM)}, attempts = r.attempts + 1
    from mine where r.account_id = mine.account_id and r.return_id = mine.return_id
    returning r.account_id, r.return_id, r.e2e_id, r.psp_id, r.institution_id, r.amount, r.attempts, r.refused_at,
      mine.status <> 'pending' as may_have_left`);
  return claimed.rows;
}

async function carry(ctx: Context, due: Due): Promise<void> {
  const { account_id: accountId, e2e_id: e2eId, psp_id: pspId, amount } = due;
  const institution = await ctx.psps.find(due.institution_id);
  if (institution === null) return again(ctx, due, due.refused_at);
  const told = await advance(institution.psp, due);
  const log = { returnId: due.return_id, institutionId: due.institution_id };
  if (told.kind === "accepted") {
    const command = finishOf(accountId, e2eId, told.value);
    if (command === null) return again(ctx, due, null);
    return finish(ctx, due, command);
  }
  if (told.kind !== "rejected") {
    ctx.log.warn({ ...log, outcome: told.kind, reason: told.reason }, "a return has no known outcome yet");
    // What did not leave takes nothing away from earlier refusals.
    return again(ctx, due, told.kind === "unsent" ? due.refused_at : null);
  }
  const refusedAt = due.refused_at ?? ctx.clock.date();
  const reason = `${told.httpStatus} ${told.code}: ${told.message}`;
  ctx.log.warn({ ...log, httpStatus: told.httpStatus, code: told.code }, "the PSP refused a return");
  if (ctx.clock.now() - refusedAt.getTime() < beliefAfter(due, told.httpStatus)) return again(ctx, due, refusedAt);
  await finish(ctx, due, { accountId, e2eId, pspId, amount, end: { kind: "failed", reason } });
}

/** How the return stands: asks first when a request may have left, and repeats the request when it is not there. */
async function advance(psp: Psp, due: Due): ReturnType<Psp["returnPix"]> {
  const { e2e_id: e2eId, psp_id: id, amount } = due;
  if (due.may_have_left) {
    const found = await psp.findReturn({ e2eId, id });
    if (found.kind === "found") return { kind: "accepted", value: found.value };
    if (found.kind === "unknown") return found;
  }
  return psp.returnPix({ e2eId, id, amount, description: DESCRIPTION });
}

function beliefAfter(due: Due, httpStatus: number): number {
  if (BESIDE_THE_POINT.has(httpStatus)) return REFUSED_BESIDE_THE_POINT;
  return due.may_have_left ? REFUSED_FOR : 0;
}

async function finish(ctx: Context, due: Due, command: FinishReturn): Promise<void> {
  const finished = await ctx.lanes.run(finishReturn, command);
  const log = { returnId: due.return_id, institutionId: due.institution_id };
  if (finished === null) {
    ctx.log.error({ ...log, amount: command.amount }, "the PSP shows our return with another amount");
    return again(ctx, due, null);
  }
  if (finished.status === "failed" && !finished.already) ctx.log.warn(log, "a return failed; its money waits");
}

/** Status writes outside the lanes say which status they expect: a return that is over stays over. */
async function again(ctx: Context, due: Due, refusedAt: Date | null): Promise<void> {
  const pause = Math.min(FIRST_PAUSE * 2 ** (due.attempts - 1), LONGEST_PAUSE);
  await ctx.db.query(sql`
    update pix_returns set next_at = ${new Date(ctx.clock.now() + pause)}, refused_at = ${refusedAt}
    where account_id = ${due.account_id} and return_id = ${due.return_id} and status = 'sending'`);
}
