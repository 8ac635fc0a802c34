import { pino } from "pino";
import { createHints } from "../../gateway/src/context.ts";
import { type Db, isTransient, openDb } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import type { OperatorContext } from "../../gateway/src/http/roles.ts";
import { createLanes, type Lanes } from "../../gateway/src/ledger/lane.ts";
import { createIds } from "../../gateway/src/lib/ids.ts";
import { createMetrics } from "../../gateway/src/telemetry/metrics.ts";
import { NO_TRACING } from "../../gateway/src/telemetry/tracing.ts";
import { stream } from "../harness/random.ts";
import type { Call, Item } from "./call.ts";
import { callOf } from "./calls.ts";
import { changeOf } from "./changes.ts";
import { type Command, type Go, IN_LANE } from "./command.ts";
import type { Outcome } from "./model.ts";
import { outcomeOf } from "./outcome.ts";
import { NOW, type World } from "./world.ts";

/** A committed command with its outcome. */
export type Execution = {
  readonly process: number;
  readonly command: Command;
  outcome: Outcome | undefined;
  /** How many commands were committed when it began. */
  readonly since: number;
};

/** Ids are made in order, as by one clock: of several claims on a Pix the one that was made first is served first. */
let ticks = 0;
const later = () => {
  ticks += 1;
  return NOW + ticks;
};

/**
 * The parts of a gateway process that move money, as they run in production, on one database connection: its lane, the
 * writer of its charges, its loops and the operator's changes. It keeps the outcomes of each transaction until the wire
 * reports the commit.
 */
export class Process {
  readonly number: number;
  readonly #ctx: OperatorContext;
  readonly #db: Db;
  readonly #lanes: Lanes;
  readonly #log: Execution[];
  /** Outcomes of the open transaction. */
  #decided: Execution[] = [];
  /** The command that runs outside the lane. */
  #alone: Execution | null = null;
  /** Errors that must not occur. */
  readonly findings: string[] = [];
  working = false;

  constructor(options: { number: number; url: string; seed: number; log: Execution[] }) {
    const { number, url, seed } = options;
    this.number = number;
    this.#log = options.log;
    this.#db = openDb({ url, max: 1, onError: () => {} });
    const random = stream(seed, `ids ${number}`);
    const bytes = (count: number) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256));
    const ids = createIds({ now: later, random: bytes });
    const clock = { now: () => NOW, date: () => new Date(NOW) };
    this.#lanes = createLanes({ db: this.#db, now: clock.date, newId: ids.uuid, lanes: 1 });
    this.#ctx = {
      db: this.#db,
      lanes: this.#lanes,
      ids,
      clock,
      random: bytes,
      hints: createHints(),
      // No institution can be reached: the loops claim due rows and postpone them.
      psps: { find: () => Promise.resolve(null), all: () => Promise.resolve([]) },
      keys: { sealing: Buffer.alloc(32, 1) },
      log: pino({ level: "silent" }),
      metrics: createMetrics(),
      tracing: NO_TRACING,
      operator: { name: "operator", role: "admin" },
    } as unknown as OperatorContext;
  }

  /** Opens the connection. */
  async open(): Promise<void> {
    await this.#db.query(sql`select 1`);
  }

  close(): Promise<void> {
    return this.#db.end();
  }

  /** The wire calls this when a transaction has begun. */
  begun(): void {
    this.#decided = [];
  }

  committed(): void {
    this.#log.push(...this.#decided);
    this.#decided = [];
    if (this.#alone && !this.#log.includes(this.#alone)) this.#log.push(this.#alone);
  }

  async work(goes: readonly Go[], world: World): Promise<void> {
    this.working = true;
    for (const go of goes) {
      // The look-ups of all commands run first, so that the commands then share a transaction.
      const calls = await Promise.all(go.map((one) => (IN_LANE.has(one.do) ? this.#lookUp(one, world) : undefined)));
      const does = (one: Command, i: number) => {
        const call = calls[i];
        return call === undefined ? this.#outside(one, world) : this.#inLane(one, call);
      };
      await Promise.all(go.map(does));
    }
    this.working = false;
  }

  async #lookUp(command: Command, world: World): Promise<Call | null> {
    try {
      return await callOf(this.#db, command, world);
    } catch (error) {
      this.#failed(command, error);
      return null;
    }
  }

  async #inLane(command: Command, first: Call | null): Promise<void> {
    try {
      let call = first;
      while (call !== null) {
        const result: unknown = await this.#lanes.run(this.#watched(call), call.item.command);
        call = (await call.next?.(result)) ?? null;
      }
    } catch (error) {
      this.#failed(command, error);
    }
  }

  #watched({ item: { kind }, command }: Call): Item["kind"] {
    return {
      ...kind,
      decide: (asked, books, deciding) => {
        const decision = kind.decide(asked, books, deciding);
        const answer = outcomeOf(command, decision.result);
        this.#decided.push({ process: this.number, command, outcome: answer, since: this.#log.length });
        return decision;
      },
    };
  }

  async #outside(command: Command, world: World): Promise<void> {
    try {
      const change = await changeOf(this.#ctx, command, world);
      const execution: Execution = { process: this.number, command, outcome: undefined, since: this.#log.length };
      if (command.do !== "loops") this.#alone = execution;
      if (change !== null) execution.outcome = await change();
    } catch (error) {
      this.#failed(command, error);
    }
    this.#alone = null;
  }

  /** The error of an ended connection is expected; every other error is a finding. */
  #failed(command: Command, error: unknown): void {
    if (!isTransient(error)) this.findings.push(`${command.do}: ${(error as Error).message}`);
  }
}
