import type { Db } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import type { Go } from "./command.ts";
import type { Process } from "./process.ts";
import type { Wire } from "./wire.ts";
import type { World } from "./world.ts";

/** A process with its wire to PostgreSQL. */
export type Seat = { readonly process: Process; readonly wire: Wire };

/**
 * A step: a statement of a process runs (`step`), its connection ends before it (`end`), or its answer is lost
 * (`lose`).
 */
export type Choice = { readonly process: number; readonly how: "step" | "end" | "lose" };

/** Chooses which of the ready processes makes the next step, and which step. */
export type Choose = (ready: readonly Seat[]) => Choice;

/**
 * After this time, milliseconds, in which most statements end, the server is queried whether the statement waits for a
 * lock.
 */
const SOON = 2;
/** A schedule that has not moved for this long hangs, milliseconds: PostgreSQL ends a deadlock within one second. */
const HANGS = 60_000;

/** Statements that end a transaction and release its locks. */
const ENDS = /^(?:commit|rollback)/;

/** Wakes those who wait for a change. */
export class Bell {
  #rings = 0;
  #wake: (() => void) | null = null;

  get rings(): number {
    return this.#rings;
  }

  readonly ring = (): void => {
    this.#rings += 1;
    this.#wake?.();
  };

  /** Resolves when the bell has rung more than `rings` times, or after `ms`. */
  heard(rings: number, ms: number): Promise<void> {
    if (this.#rings !== rings) return Promise.resolve();
    return new Promise((resolve) => {
      const heard = () => {
        clearTimeout(timer);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(heard, ms);
      this.#wake = heard;
    });
  }
}

/**
 * Runs the processes, one statement at a time: `choose` picks the process that continues while the others wait. A
 * process whose statement waits for a lock is left waiting. Returns the choices, each with the processes that were
 * ready.
 */
export async function runSchedule(options: {
  readonly seats: readonly Seat[];
  readonly plan: readonly (readonly Go[])[];
  readonly world: World;
  readonly admin: Db;
  readonly bell: Bell;
  readonly choose: Choose;
  readonly onStep: (line: string) => void;
}): Promise<void> {
  const { seats, plan, world, admin, bell, choose, onStep } = options;
  for (const { wire } of seats) wire.gated = true;
  const works = plan.map((goes, i) => seats[i]!.process.work(goes, world).finally(bell.ring));
  const active = seats.slice(0, plan.length);
  const blocked = new Set<Seat>();
  try {
    for (;;) {
      await settled(active, admin, bell, blocked);
      const ready = active.filter(({ wire }) => wire.next !== null);
      if (ready.length === 0) {
        if (active.every(({ process }) => !process.working)) break;
        // No process is ready: PostgreSQL will end a deadlock, or a process pauses before a retry.
        await moved(active, bell);
        continue;
      }
      const { process: number, how } = choose(ready);
      const { wire } = seats[number]!;
      if (!wire.open || how !== "step" || ENDS.test(wire.next!)) blocked.clear();
      onStep(`${number}${how === "step" ? "" : ` ${how}`}: ${wire.next!.replace(/\s+/g, " ").trim().slice(0, 70)}`);
      if (how === "end") await end(wire, admin);
      else wire.step({ loseAnswer: how === "lose" });
    }
    await Promise.all(works);
  } finally {
    for (const { wire } of seats) wire.gated = false;
  }
}

/** Ends a process's connection at the server, as if the process had died: its open transaction is rolled back. */
async function end(wire: Wire, admin: Db): Promise<void> {
  await admin.query(sql`select pg_terminate_backend(${wire.pid}::int, 10000)`);
  wire.cut();
}

/**
 * Resolves when every process has a statement that waits for its turn, waits for a lock, or has finished.
 *
 * @param blocked processes that were seen waiting for a lock since the last transaction ended: they still wait.
 */
async function settled(seats: readonly Seat[], admin: Db, bell: Bell, blocked: Set<Seat>): Promise<void> {
  const began = performance.now();
  for (;;) {
    const { rings } = bell;
    for (const seat of blocked) if (!seat.wire.running) blocked.clear();
    const running = seats.filter((seat) => seat.wire.running && !blocked.has(seat));
    const thinking = seats.filter(({ wire, process }) => process.working && !wire.running && wire.next === null);
    if (running.length === 0 && thinking.length === 0) return;
    await bell.heard(rings, SOON);
    if (bell.rings !== rings) continue;
    if (performance.now() - began > HANGS) throw new Error("a schedule hangs");
    if (running.length === 0 || thinking.length > 0) continue;
    const all = seats.filter(({ wire }) => wire.running);
    const { rows } = await admin.query<{ pid: number }>(sql`
      select pid from unnest(${all.map(({ wire }) => wire.pid)}::int[]) as pid where cardinality(pg_blocking_pids(pid)) > 0`);
    if (bell.rings !== rings || rows.length < all.length) continue;
    for (const seat of all) blocked.add(seat);
  }
}

async function moved(seats: readonly Seat[], bell: Bell): Promise<void> {
  const began = performance.now();
  while (performance.now() - began < HANGS) {
    await bell.heard(bell.rings, 50);
    if (seats.some(({ wire, process }) => wire.next !== null || !process.working)) return;
  }
  throw new Error("a schedule hangs: nobody can go on");
}
