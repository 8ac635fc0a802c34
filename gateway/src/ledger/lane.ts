import { uuids } from "../db/arrays.ts";
import { createBatcher } from "../db/batch.ts";
import type { Db, Tx } from "../db/pool.ts";
import { inShards, laneOf } from "../db/shards.ts";
import { sql } from "../db/sql.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Tracing } from "../telemetry/tracing.ts";
import { type Books, type Decision, OpenBooks } from "./books.ts";
import type { LedgerName } from "./chart.ts";
import type { Evidence } from "./evidence.ts";
import { openLedgerAccounts, writeBalances, writeEvidence, writePostings } from "./post.ts";
import type { RowKey, Table } from "./table.ts";
import { type FoundRows, Wanted } from "./wanted.ts";

/** What `decide` may use beside the books: the time of the batch, and ids for new rows. */
export type Deciding = { readonly now: Date; newId(): string };

/** Collects the rows and ledger accounts that a command reads. */
export type Want = {
  row(table: Table<unknown>, key: RowKey): void;
  ledger(accountId: string, name: LedgerName): void;
};

/**
 * A kind of money command. `decide` is pure: it reads the books and returns a result and effects. When the effect is there
 * already it must return "already done", because a command whose COMMIT was lost runs again.
 */
export type CommandKind<C extends { readonly accountId: string }, R> = {
  readonly name: string;
  /** Wants the rows that the command names. */
  wants(command: C, want: Want): void;
  /** Wants further rows, whose keys are in the rows that `wants` has read (a charge names its wallet). */
  follows?(command: C, books: Books, want: Want): void;
  /**
   * Reads together with `wants` what `follows` will most likely want, by keys that SQL takes from the commands' rows: a few
   * commands then need no second round trip. What it does not find is loaded afterwards.
   */
  ahead?(commands: readonly C[], tx: Tx, found: FoundRows): Promise<void>;
  decide(command: C, books: Books, deciding: Deciding): Decision<R>;
  /** Why the institution's money is booked as moved. Left out: this kind never moves money at an institution. */
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
/** Commands of a batch that are decided before their effects are sent. */
const PART = 64;
/**
 * Most commands of a batch that reads ahead. Reading ahead saves a round trip and reads some rows twice; in a larger batch
 * many commands share that round trip.
 */
const AHEAD = 16;

/**
 * The lanes of this process. Every command that moves money, or changes what decides about money, runs through one.
 *
 * A command is in one of four states:
 * - **Waiting**: `run` put it into the queue of its tenant's lane, and nothing is read yet. It leaves when the lane
 *   begins a batch: at once if the lane is idle, else when the previous batch has committed. A full queue refuses it.
 * - **Running**: it shares one transaction with up to 499 others, of any tenants. First the transaction locks the rows of
 *   these tenants in `accounts`, in the order of their ids: from here to the commit no other process can change their
 *   books. Then it reads what the commands want, decides them one by one in memory, each seeing the effects of those before
 *   it, and writes the effects 64 commands at a time, so that PostgreSQL writes while the next ones are decided. The effects
 *   of 64 commands are one statement (db/joined.ts), and the last one leaves with the commit.
 * - **Committed**: `run` resolves with the result. Not before: an answer must never be ahead of the books.
 * - **Failed**: the transaction was rolled back. After a lost connection the batch runs again, and since its COMMIT may
 *   have succeeded, every command recognises its own effect. After any other error the halves of the batch run alone, until
 *   only the command that fails is refused.
 *
 * The tenants' locks make the result correct across processes; sharing a transaction makes it fast. Nothing here calls an
 * institution.
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
      attributesOf: ({ kind }) => ({ "pixgate.command": kind.name }),
      ...(meters && { onRun: (items: number, ms: number) => meters.ran(i, items, ms) }),
      // After the division each command may succeed, and then nothing else would report this error.
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

/** Runs a step of a command and adds the command's kind to its error, since a batch has many kinds. */
function withKindInError<T>({ name }: Item["kind"], step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Reads ahead for each kind of command that can. */
async function readAhead(tx: Tx, items: readonly Item[], found: FoundRows): Promise<void> {
  if (items.length > AHEAD) return;
  const kinds = Map.groupBy(items, ({ kind }) => kind);
  await Promise.all(
    Array.from(kinds, ([kind, same]) =>
      kind.ahead?.(
        same.map(({ command }) => command),
        tx,
        found,
      ),
    ),
  );
}

/** One batch: lock the tenants, read, decide each command in order of arrival, write all effects. */
async function runBatch(tx: Tx, items: readonly Item[], now: () => Date, newId: () => string): Promise<unknown[]> {
  const tenants = [...new Set(items.map((item) => item.command.accountId))].sort();
  // Sent together, executed in order. Each statement sees what was committed when it began, so the reads see everything
  // that the lock waited for.
  const locked = tx.query(sql`
    select account_id from accounts where account_id = any(${uuids(tenants)}::uuid[])
    order by account_id for no key update`);

  const first = new Wanted();
  const ahead = new Wanted(first);
  const second = new Wanted(ahead);
  const books = new OpenBooks(second);
  for (const { kind, command } of items) withKindInError(kind, () => kind.wants(command, first));
  const [{ rowCount }] = await Promise.all([locked, first.load(tx, books), readAhead(tx, items, ahead.found(books))]);
  if (rowCount !== tenants.length) throw new Error("a money command names an account that does not exist");
  for (const { kind, command } of items) withKindInError(kind, () => kind.follows?.(command, books, second));
  await second.load(tx, books);

  // Read under the lock, so that each tenant's lines get rising times in every process: statements are read by time.
  const deciding: Deciding = { now: now(), newId };
  const results: unknown[] = [];
  // In parts, so that PostgreSQL writes one part while the next is decided. The last part leaves with the commit.
  for (let i = 0; i < items.length; i += PART) {
    for (const { kind, command } of items.slice(i, i + PART)) {
      const { result } = withKindInError(kind, () => {
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
    const changes = books.takeWrites();
    const postings = books.takePostings();
    tx.write([
      ...changes.flatMap(({ table, inserts, updates }) => [
        ...(inserts.length > 0 ? (table.insert?.(inserts) ?? []) : []),
        ...updates.flatMap(({ groups, rows }) => table.update!(groups, rows)),
      ]),
      ...writePostings(postings, deciding.now),
      ...writeEvidence(postings, deciding.now),
      ...(i + PART < items.length ? [] : writeBalances(books)),
    ]);
    for (const { table, inserts } of changes) if (inserts.length > 0) await table.insertInSteps?.(tx, inserts);
  }
  return results;
}
