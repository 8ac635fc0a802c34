import type { Db } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import type { Go } from "./command.ts";
import type { Process } from "./process.ts";
import type { Wire } from "./wire.ts";
import type { World } from "./world.ts";

/** A process and its wire. */
export type Seat = { readonly process: Process; readonly wire: Wire };

/** What happens at a step: a statement of a process goes on, or its connection ends before it, or its answer is lost. */
export type Choice = { readonly process: number; readonly how: "step" | "end" | "lose" };

/** Which of the processes that could go on does, and how. */
export type Choose = (ready: readonly Seat[]) => Choice;

/** Time that a statement usually needs; after it the server is asked whether it waits for a lock, milliseconds. */
const SOON = 2;
/** A schedule that has not moved for this long hangs, milliseconds: PostgreSQL ends a deadlock within one second. */
const HANGS = 60_000;

/** Statements that end a transaction, and with it what others wait for. */
const ENDS = /^(?:commit|rollback)/;

/** Wakes whoever waits for something to change. */
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

  /** Resolves when it has rung since `rings`, or after a while. */
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
 * Lets the processes work, one statement at a time: whoever `choose` says goes on, the others stand still. One whose
 * statement waits for a lock is left waiting. Gives what was chosen, and what it was chosen from.
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
        // Nobody can go on: PostgreSQL finds the deadlock, or a process pauses before it tries again.
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

/** Ends a process's connection at the server, as if the process had died: what was open is rolled back. */
async function end(wire: Wire, admin: Db): Promise<void> {
  await admin.query(sql`select pg_terminate_backend(${wire.pid}::int, 10000)`);
  wire.cut();
}

/**
 * Resolves when every process has a statement that waits for its turn, waits for a lock, or has no more to do.
 *
 * @param blocked those that were seen to wait for a lock since a transaction last ended: they still do.
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
