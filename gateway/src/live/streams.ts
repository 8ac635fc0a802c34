import type { Readable } from "node:stream";
import type { Context } from "../context.ts";
import { levelOf } from "../db/pool.ts";
import type { Session, Sessions } from "../http/session.ts";
import { LIMITS } from "../lib/limits.ts";
import {
  BATCH,
  LATE,
  readEvents,
  readInstallation,
  readMissed,
  type WalletEvent,
  type WatchedWallet,
} from "./changes.ts";
import { createMoneyWatch } from "./moved-money.ts";
import { createChargeWatch, hasNew } from "./new-charges.ts";
import { type Change, createWatchers, reportChange, sendBeat, type Watcher, type Watchers } from "./watchers.ts";

/** Interval of reads, and of signs of life, milliseconds. */
const READ_EVERY = 1_000;
const BEAT_EVERY = 15_000;

/**
 * Reports changes to the console's pages. One reader serves all streams of the process: at most five statements a second,
 * however many streams are open.
 *
 * A page's stream is in one of these states:
 * - **Opening**: `open` counts it against the limits of its person, account and process, or refuses it with 429.
 * - **Resuming**: the page reconnects with the id of the last event that it saw. Events since then are sent again. If
 *   that was too long ago, or too much has happened, `reload` makes the page read everything anew.
 * - **Live**: each second one read finds the new events of all watched wallets. Reads overlap by five seconds, since an
 *   event may be committed late, and events that were reported already are skipped. An event may reach a page twice, never
 *   not at all.
 * - **Ended**: by the page, by `stop`, by the end of its session, by the loss of its person's role, or because the page
 *   reads too slowly. The browser reconnects by itself, which resumes it.
 *
 * Without streams nothing is read.
 */
export type Streams = {
  /**
   * Opens a stream, continuing after the event `lastId` if it is given, or else with what came after `since`.
   *
   * @throws ApiError 429 when too many are open.
   */
  open(session: Session, wallet: WatchedWallet | null, lastId: string | null, since?: Date): Promise<Readable>;
  /** Ends every stream. */
  stop(): void;
};

export function createStreams(ctx: Context, sessions: Sessions): Streams {
  const watchers = createWatchers();
  const fresh = createFresh();
  const charges = createChargeWatch();
  const money = createMoneyWatch();
  let installation: string | null = null;
  let since = new Date(0);
  let beatAt = 0;
  let reading: NodeJS.Timeout | null = null;

  async function read(): Promise<void> {
    const now = ctx.clock.now();
    await endForbidden(watchers, sessions, ctx.clock.date());
    const floor = new Date(now - LATE);
    if (since < floor) since = floor;
    const wallets = walletsOf(watchers.all());
    reportChanged(watchers, "money", await money.walletsWithNew(ctx.db, wallets));
    if (wallets.length > 0) {
      const events = await readEvents(ctx.db, wallets, since);
      reportEvents(watchers, fresh.only(events, now));
      // The batch was full, so the next one begins after it.
      if (events.length === BATCH) since = events.at(-1)!.createdAt;
    }
    reportChanged(watchers, "charges", await charges.walletsWithNew(ctx.db, wallets, now));
    await reportInstallation();
    if (now - beatAt < BEAT_EVERY) return;
    beatAt = now;
    for (const watcher of watchers.all()) sendBeat(watcher);
  }

  async function reportInstallation(): Promise<void> {
    const operators = watchers.all().filter(({ wallet }) => wallet === null);
    if (operators.length === 0) return;
    const present = await readInstallation(ctx.db);
    if (present === installation) return;
    installation = present;
    for (const watcher of operators) watchers.send(watcher, { id: present, name: "message", data: {} });
  }

  /** Schedules the next read as long as a stream is open. */
  function scheduleRead(): void {
    reading ??= setTimeout(async () => {
      await read().catch((error: unknown) => ctx.log[levelOf(error)]({ err: error }, "live streams were not read"));
      reading = null;
      if (watchers.all().length > 0) scheduleRead();
    }, READ_EVERY).unref();
  }

  return {
    async open({ sessionId, personId }, wallet, lastId, began) {
      const watcher = watchers.add({ sessionId, personId, wallet });
      if (wallet === null) {
        const present = await readInstallation(ctx.db);
        installation ??= present;
        // Report whether something changed while the page was not connected, or since its session was read.
        const name = lastId !== null && lastId !== present ? "message" : "begin";
        watchers.send(watcher, { id: present, name, data: {} });
      } else {
        await sendMissed(ctx, watchers, watcher, { wallet, lastId, began, money });
      }
      scheduleRead();
      return watcher.stream;
    },
    stop() {
      if (reading !== null) clearTimeout(reading);
      for (const watcher of watchers.all()) watchers.end(watcher);
    },
  };
}

function report(watchers: Watchers, watcher: Watcher, { eventId, kind, createdAt }: WalletEvent): void {
  const data = { eventId, kind, at: createdAt.toISOString() };
  watchers.send(watcher, { id: `${createdAt.getTime()}.${eventId}`, name: kind, data });
}

/** Sends what came after the last event that a page saw, or since it began to read. */
async function sendMissed(
  ctx: Context,
  watchers: Watchers,
  watcher: Watcher,
  from: {
    readonly wallet: WatchedWallet;
    readonly lastId: string | null;
    readonly began: Date | undefined;
    readonly money: ReturnType<typeof createMoneyWatch>;
  },
): Promise<void> {
  const { wallet, lastId, began, money } = from;
  const seen = lastId ?? (began ? `${began.getTime()}.since` : null);
  resume(ctx, watchers, watcher, await missedEvents(ctx, wallet, seen));
  // A charge that was made meanwhile has no event, and other pages may have been told of it already.
  if (began && lastId === null && (await hasNew(ctx.db, wallet, began))) reportChange(watcher, "charges");
  const moved = await money.begin(ctx.db, wallet, lastId === null ? began : undefined);
  if (moved) reportChange(watcher, "money");
}

/** Sends what a page has missed; null: the page must read everything anew, and resumes from now. */
function resume(
  { clock }: Pick<Context, "clock">,
  watchers: Watchers,
  watcher: Watcher,
  events: readonly WalletEvent[] | null,
): void {
  if (events === null) watchers.send(watcher, { id: `${clock.now()}.reload`, name: "reload", data: {} });
  for (const event of events ?? []) report(watchers, watcher, event);
}

/** Reports each event to the pages of its wallet. */
function reportEvents(watchers: Watchers, events: readonly WalletEvent[]): void {
  for (const event of events) {
    for (const watcher of watchers.all())
      if (watcher.wallet?.walletId === event.walletId) report(watchers, watcher, event);
  }
}

/** Reports to the pages of these wallets what has changed there. */
function reportChanged(watchers: Watchers, name: Change, walletIds: ReadonlySet<string>): void {
  for (const watcher of watchers.all())
    if (watcher.wallet !== null && walletIds.has(watcher.wallet.walletId)) reportChange(watcher, name);
}

/** Ends the streams of sessions that have ended, and of accounts in which their person has no role any more. */
async function endForbidden(watchers: Watchers, sessions: Sessions, now: Date): Promise<void> {
  const open = watchers.all();
  if (open.length === 0) return;
  const watching = await sessions.readWatching([...new Set(open.map(({ sessionId }) => sessionId))], now);
  for (const watcher of open) {
    const rights = watching.get(watcher.sessionId);
    const may =
      watcher.wallet === null
        ? rights?.installation === true
        : rights?.accountIds?.has(watcher.wallet.accountId) !== false;
    if (rights === undefined || !may) watchers.end(watcher);
  }
}

function walletsOf(watchers: readonly Watcher[]): readonly WatchedWallet[] {
  const wallets = watchers.flatMap(({ wallet }) => (wallet === null ? [] : [[wallet.walletId, wallet] as const]));
  return [...new Map(wallets).values()];
}

/**
 * The events after the last one that a page saw; none at its first connection, when it has just read everything. Null when
 * that was too long ago, or too much has happened: the page must read everything anew.
 */
async function missedEvents(
  ctx: Context,
  wallet: WatchedWallet,
  lastId: string | null,
): Promise<readonly WalletEvent[] | null> {
  const [, time, eventId] = /^(\d{1,15})\.(.+)$/.exec(lastId ?? "") ?? [];
  if (time === undefined) return [];
  if (Number(time) < ctx.clock.now() - LIMITS.streamMissed) return null;
  const events = await readMissed(ctx.history, wallet, new Date(Number(time) - LATE), LIMITS.streamMissedEvents);
  const lastSeen = events?.findIndex((event) => event.eventId === eventId);
  // Events before the last seen one may have been committed late, so they are sent again rather than lost.
  return events?.filter((_, i) => i !== lastSeen) ?? null;
}

/** Filters the events of overlapping reads to the new ones. */
function createFresh() {
  const reported = new Map<string, number>();
  return {
    only(events: readonly WalletEvent[], now: number): WalletEvent[] {
      for (const [key, at] of reported) if (at < now - 4 * LATE) reported.delete(key);
      return events.filter(({ walletId, eventId, createdAt }) => {
        const key = `${walletId} ${eventId}`;
        if (reported.has(key)) return false;
        reported.set(key, createdAt.getTime());
        return true;
      });
    },
  };
}
