import type { Applier } from "../../src/booking/apply.ts";
import type { Context } from "../../src/context.ts";
import type { Db } from "../../src/db/pool.ts";
import type { Institution } from "../../src/institutions/registry.ts";

/** A window of a list, as it is asked for. */
export type Window = { readonly from: Date; readonly to: Date; readonly page: number };

/** Every Pix is booked already: nothing of a list is applied. */
export const ALL_BOOKED = {
  houseId: crypto.randomUUID(),
  findReceipt: () => Promise.resolve({ merchant: { accountId: crypto.randomUUID() } }),
} as unknown as Applier;

/** What a listing needs at a moment, with one institution whose list a test writes. */
export const contextAt = (db: Db, now: number, institutionId: string, listPix: (window: Window) => unknown): Context =>
  ({
    ...{ db, clock: { now: () => now, date: () => new Date(now) }, ids: { uuid: () => crypto.randomUUID() } },
    log: { ...console, warn: () => {} },
    psps: { all: () => Promise.resolve([{ institutionId, status: "active", psp: { listPix } }]) },
  }) as unknown as Context;

type Poll = (ctx: Context, applier: Applier, institution: Institution) => Promise<boolean>;
/** Polls the institution of such a context once. */
export const pollOnly = async (poll: Poll, ctx: Context, applier = ALL_BOOKED): Promise<boolean> =>
  poll(ctx, applier, (await ctx.psps.all())[0]!);
