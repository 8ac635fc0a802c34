import type { Readable } from "node:stream";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { levelOf } from "../db/pool.ts";
import type { Session, Sessions } from "../http/session.ts";
import { BATCH, readEvents, readInstallation, readMissed, type WalletEvent, type WatchedWallet } from "./changes.ts";
import { createChargeWatch } from "./new-charges.ts";
import { beat, createWatchers, nudge, type Watcher, type Watchers } from "./watchers.ts";

/** Between two reads, and between two signs of life, milliseconds. */
const READ_EVERY = 1_000;
const BEAT_EVERY = 15_000;
/** A commit may come so much later than the time that its events have: they are looked for again for so long. */
const LATE = 5_000;

/** Reports changes to pages. One reader serves all streams of the process: at most four statements a second, however many are open. */
export type Streams = {
  /**
   * Opens a stream, from the event `lastId` on where it is given.
   *
   * @throws ApiError 429 when too many are open.
   */
  open(session: Session, wallet: WatchedWallet | null, lastId: string | null): Promise<Readable>;
  /** Ends every stream. */
  stop(): void;
};

export function createStreams(ctx: Context, sessions: Sessions): Streams {
  const watchers = createWatchers();
  const fresh = createFresh();
  const charges = createChargeWatch();
  let installation: string | null = null;
  let since = new Date(0);
  let beaten = 0;
  let reading: NodeJS.Timeout | null = null;

  async function read(): Promise<void> {
    const now = ctx.clock.now();
    await endForbidden(watchers, sessions, ctx.clock.date());
    const floor = new Date(now - LATE);
    if (since < floor) since = floor;
    const wallets = walletsOf(watchers.all());
    if (wallets.length > 0) {
      const events = await readEvents(ctx.db, wallets, since);
      for (const event of fresh.only(events, now)) {
        for (const one of watchers.all()) if (one.wallet?.walletId === event.walletId) report(watchers, one, event);
      }
      // A full batch: the next one begins behind it.
      if (events.length === BATCH) since = events.at(-1)!.createdAt;
    }
    reportCharges(watchers, await charges.walletsWithNew(ctx.db, wallets, now));
    await reportInstallation();
    if (now - beaten < BEAT_EVERY) return;
    beaten = now;
    for (const one of watchers.all()) beat(one);
  }

  async function reportInstallation(): Promise<void> {
    const operators = watchers.all().filter(({ wallet }) => wallet === null);
    if (operators.length === 0) return;
    const present = await readInstallation(ctx.db);
    if (present === installation) return;
    installation = present;
    for (const one of operators) watchers.send(one, { id: present, name: "message", data: {} });
  }

  /** Reads while somebody listens. */
  function goOn(): void {
    reading ??= setTimeout(async () => {
      await read().catch((error: unknown) => ctx.log[levelOf(error)]({ err: error }, "live streams were not read"));
      reading = null;
      if (watchers.all().length > 0) goOn();
    }, READ_EVERY).unref();
  }

  return {
    async open({ sessionId, personId }, wallet, lastId) {
      const watcher = watchers.add({ sessionId, personId, wallet });
      if (wallet === null) {
        const present = await readInstallation(ctx.db);
        installation ??= present;
        // What changed while the page was not connected.
        const name = lastId !== null && lastId !== present ? "message" : "begin";
        watchers.send(watcher, { id: present, name, data: {} });
      } else {
        resume(ctx, watchers, watcher, await missed(ctx, wallet, lastId));
      }
      goOn();
      return watcher.stream;
    },
    stop() {
      if (reading !== null) clearTimeout(reading);
      for (const one of watchers.all()) watchers.end(one);
    },
  };
}

function report(watchers: Watchers, watcher: Watcher, { eventId, kind, createdAt }: WalletEvent): void {
  const data = { eventId, kind, at: createdAt.toISOString() };
  watchers.send(watcher, { id: `${createdAt.getTime()}.${eventId}`, name: kind, data });
}

/** Reports what a page has missed; null: it reads anew what it shows, and resumes from now, wherever it was before. */
function resume(
  { clock }: Pick<Context, "clock">,
  watchers: Watchers,
  watcher: Watcher,
  events: readonly WalletEvent[] | null,
): void {
  if (events === null) watchers.send(watcher, { id: `${clock.now()}.reload`, name: "reload", data: {} });
  for (const event of events ?? []) report(watchers, watcher, event);
}

/** Says to the pages of these wallets that there are new charges. */
function reportCharges(watchers: Watchers, walletIds: ReadonlySet<string>): void {
  for (const one of watchers.all())
    if (one.wallet !== null && walletIds.has(one.wallet.walletId)) nudge(one, "charges");
}

/** Ends the streams of sessions that have ended, and of accounts in which their person has no role any more. */
async function endForbidden(watchers: Watchers, sessions: Sessions, now: Date): Promise<void> {
  const open = watchers.all();
  if (open.length === 0) return;
  const living = await sessions.living([...new Set(open.map(({ sessionId }) => sessionId))], now);
  for (const one of open) {
    const rights = living.get(one.sessionId);
    const may =
      one.wallet === null ? rights?.installation === true : rights?.accountIds?.has(one.wallet.accountId) !== false;
    if (rights === undefined || !may) watchers.end(one);
  }
}

function walletsOf(watchers: readonly Watcher[]): readonly WatchedWallet[] {
  const wallets = watchers.flatMap(({ wallet }) => (wallet === null ? [] : [[wallet.walletId, wallet] as const]));
  return [...new Map(wallets).values()];
}

/**
 * The events after the one that a page saw last; none at its first connection, when it has just read what it shows. Null when that
 * was too long ago, or too much has happened since: the page reads what it shows anew.
 */
async function missed(
  ctx: Context,
  wallet: WatchedWallet,
  lastId: string | null,
): Promise<readonly WalletEvent[] | null> {
  const [, time, eventId] = /^(\d{1,15})\.(.+)$/.exec(lastId ?? "") ?? [];
  if (time === undefined) return [];
  if (Number(time) < ctx.clock.now() - LIMITS.streamMissed) return null;
  const events = await readMissed(ctx.history, wallet, new Date(Number(time) - LATE), LIMITS.streamMissedEvents);
  const seen = events?.findIndex((event) => event.eventId === eventId);
  // Some may have been committed late, before the one that was seen: they come again rather than never.
  return events?.filter((_, i) => i !== seen) ?? null;
}

/** Which events of overlapping reads are new. */
function createFresh() {
  const seen = new Map<string, number>();
  return {
    only(events: readonly WalletEvent[], now: number): WalletEvent[] {
      for (const [key, at] of seen) if (at < now - 4 * LATE) seen.delete(key);
      return events.filter(({ walletId, eventId, createdAt }) => {
        const key = `${walletId} ${eventId}`;
        if (seen.has(key)) return false;
        seen.set(key, createdAt.getTime());
        return true;
      });
    },
  };
}
