import { uuids } from "../db/arrays.ts";
import { createBatcher } from "../db/batch.ts";
import type { Db, Tx } from "../db/pool.ts";
import { inShards, laneOf } from "../db/shards.ts";
import { sql } from "../db/sql.ts";
import { type Metrics, SECONDS } from "../telemetry/metrics.ts";
import type { Tracing } from "../telemetry/tracing.ts";
import { type Books, type Decision, OpenBooks } from "./books.ts";
import type { LedgerName } from "./chart.ts";
import type { Evidence } from "./evidence.ts";
import { openLedgerAccounts, writeBalances, writeEvidence, writePostings } from "./post.ts";
import type { RowKey, Table } from "./table.ts";
import { Wanted } from "./wanted.ts";

/** What deciding may use beside the books: the batch's instant, and ids for new rows. */
export type Deciding = { readonly now: Date; newId(): string };

/** Collects what a command must see before it can be decided. */
export type Want = {
  row(table: Table<unknown>, key: RowKey): void;
  ledger(accountId: string, name: LedgerName): void;
};

/**
 * A kind of money command. `decide` is pure: it reads the books and answers with a result and effects. It must answer
 * "already done" when the effect is there, since a command whose COMMIT got lost comes again.
 */
export type CommandKind<C extends { readonly accountId: string }, R> = {
  readonly name: string;
  /** Rows that the command names. */
  wants(command: C, want: Want): void;
  /** Rows that are known only from the first ones (the wallet of a charge). */
  follows?(command: C, books: Books, want: Want): void;
  decide(command: C, books: Books, deciding: Deciding): Decision<R>;
  /** What is booked at institutions is booked from this. Left out: the command books nothing there. */
  evidence?(command: C, books: Books, decision: Decision<unknown>): Evidence;
};

export type Lanes = {
  /** Runs a command in its tenant's lane; resolves when its effects are committed. */
  run<C extends { readonly accountId: string }, R>(kind: CommandKind<C, R>, command: C): Promise<R>;
  /** Resolves when no command waits or runs. */
  idle(): Promise<void>;
};

type Item = { readonly kind: CommandKind<{ accountId: string }, unknown>; readonly command: { accountId: string } };

/** Figures measured in docs/decisions/0003-lanes.md. */
const LANES = 2;
const MAX_BATCH = 500;
const MAX_QUEUE = 20_000;
/** Commands that are decided before their effects leave. */
const PART = 64;

/**
 * The lanes of this process. All commands that move money or change what decides about money go through one: commands
 * gather while the previous commit is in flight and then share one transaction, whichever tenants they belong to.
 * Row locks on the tenants make it right across processes, batching makes it fast.
 */
export function createLanes(options: {
  db: Db;
  now: () => Date;
  newId: () => string;
  lanes?: number;
  maxBatch?: number;
  concurrency?: number;
  metrics?: Metrics;
  tracing?: Tracing;
  log?: { error(fields: object, message: string): void };
}): Lanes {
  const { db, now, newId, lanes: count = LANES, maxBatch = MAX_BATCH, concurrency = 1, log } = options;
  const meters = options.metrics && createMeters(options.metrics, (): number[] => lanes.map((lane) => lane.waiting()));
  const lanes = Array.from({ length: count }, (_, i) =>
    createBatcher<Item, unknown>({
      name: `lane ${i}`,
      maxBatch,
      concurrency,
      maxQueue: MAX_QUEUE,
      tracing: options.tracing,
      ...inShards(db.shards, ({ command }) => command.accountId),
      says: ({ kind }) => ({ "pixgate.command": kind.name }),
      ...(meters && { onRun: (items: number, ms: number) => meters.ran(i, items, ms) }),
      // Each command alone may succeed: then nobody else says that there was an error.
      onDivided: (err, commands) =>
        log?.error({ err, commands }, "a batch of money commands failed; its halves are run"),
      run: (items) =>
        db.transaction((tx) => runBatch(tx, items, now, newId), {
          prepared: true,
          within: items.map(({ command }) => command),
        }),
    }),
  );
  return {
    run: <C extends { readonly accountId: string }, R>(kind: CommandKind<C, R>, command: C) => {
      meters?.commands.add([kind.name]);
      return lanes[laneOf(db.shards, command.accountId, count)]!.submit({
        kind: kind as unknown as Item["kind"],
        command,
      }) as Promise<R>;
    },
    async idle() {
      await Promise.all(lanes.map((lane) => lane.idle()));
    },
  };
}

function createMeters(metrics: Metrics, waiting: () => readonly number[]) {
  const sizes = metrics.histogram({
    name: "pixgate_lane_batch_commands",
    help: "Money commands that shared a transaction.",
    labels: ["lane"],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  });
  const times = metrics.histogram({
    name: "pixgate_lane_batch_seconds",
    help: "Time of a batch from its first query to its commit, seconds.",
    labels: ["lane"],
    buckets: SECONDS,
  });
  metrics.gauge({
    name: "pixgate_lane_queue_length",
    help: "Money commands that wait for a batch.",
    labels: ["lane"],
    read: () => waiting().map((length, lane) => [[lane], length] as const),
  });
  return {
    commands: metrics.counter({
      name: "pixgate_lane_commands_total",
      help: "Money commands submitted.",
      labels: ["command"],
    }),
    ran(lane: number, items: number, ms: number) {
      sizes.observe([lane], items);
      times.observe([lane], ms / 1000);
    },
  };
}

/** Does a step of a command, and names its kind in the error that it throws: many kinds share a batch. */
function naming<T>({ name }: Item["kind"], step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** One batch: lock the tenants, read, decide each command in order of arrival, write all effects. */
async function runBatch(tx: Tx, items: readonly Item[], now: () => Date, newId: () => string): Promise<unknown[]> {
  const tenants = [...new Set(items.map((item) => item.command.accountId))].sort();
  // Sent together, worked off in order: each statement sees what is committed when it begins, so the reads see what the
  // lock waited for.
  const locked = tx.query(sql`
    select account_id from accounts where account_id = any(${uuids(tenants)}::uuid[])
    order by account_id for no key update`);

  const first = new Wanted();
  const second = new Wanted(first);
  const books = new OpenBooks(second);
  for (const { kind, command } of items) naming(kind, () => kind.wants(command, first));
  const [{ rowCount }] = await Promise.all([locked, first.load(tx, books)]);
  if (rowCount !== tenants.length) throw new Error("a money command names an account that does not exist");
  for (const { kind, command } of items) naming(kind, () => kind.follows?.(command, books, second));
  await second.load(tx, books);

  // Taken under the lock, so that a tenant's lines are booked at rising times, whichever process books them: statements are
  // read by time.
  const deciding: Deciding = { now: now(), newId };
  const results: unknown[] = [];
  const written: Promise<unknown>[] = [];
  const write = (sent: Promise<unknown>): void => {
    // Awaited below; until then a failure must not count as unhandled.
    sent.catch(() => {});
    written.push(sent);
  };
  // In parts, so that PostgreSQL writes one while the next is decided.
  for (let i = 0; i < items.length; i += PART) {
    for (const { kind, command } of items.slice(i, i + PART)) {
      const { result } = naming(kind, () => {
        const decision = kind.decide(command, books, deciding);
        books.apply(
          decision,
          kind.name,
          decision.transfers?.length ? kind.evidence?.(command, books, decision) : undefined,
        );
        return decision;
      });
      results.push(result);
    }
    await openLedgerAccounts(tx, books.takeFresh());
    for (const { table, inserts, updates } of books.takeWrites()) {
      if (inserts.length > 0) {
        const inserted = table.insert!(tx, inserts);
        // Nothing of the transaction may come between its steps, and none may be sent once the transaction has failed.
        if (table.insertsInSteps) await inserted;
        else write(inserted);
      }
      for (const { groups, rows } of updates) write(table.update!(tx, groups, rows));
    }
    const postings = books.takePostings();
    write(writePostings(tx, postings, deciding.now));
    write(writeEvidence(tx, postings, deciding.now));
  }
  write(writeBalances(tx, books));
  await Promise.all(written);
  return results;
}
