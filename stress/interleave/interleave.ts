import assert from "node:assert/strict";
import { verify } from "../../gateway/src/auditor/verify.ts";
import { type Db, openDb } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import { pick, stream } from "../harness/random.ts";
import { BEGINNING, beginningOf, type Command, type Go, HOUSE, IN_LANE, plan } from "./command.ts";
import { Tenant } from "./model.ts";
import { House } from "./model-deposits.ts";
import { type Execution, Process } from "./process.ts";
import { Bell, type Choice, type Choose, runSchedule, type Seat } from "./schedule.ts";
import { type Answered, OPENING, Wire } from "./wire.ts";
import { compare, compareHouse, openWorld, type World } from "./world.ts";

/** Most connections of a schedule. */
const SEATS = 4;
/** Schedules between two checks of all the books of the database. */
const VERIFY_EVERY = 50;
/** SQLSTATEs that are allowed: a deadlock, a statement in an aborted transaction, a terminated connection. */
const ALLOWED = new Set(["40P01", "25P02", "57P01"]);

type Counts = {
  schedules: number;
  statements: number;
  commits: number;
  commands: number;
  deadlocks: number;
  ended: number;
  lost: number;
};

/** A database on which schedules run one after another, each with its own tenants. */
export class Stage {
  readonly #admin: Db;
  readonly #house: Process;
  readonly #seats: Seat[] = [];
  readonly #bell = new Bell();
  readonly #setUp: Execution[] = [];
  readonly #log: Execution[] = [];
  #findings: string[] = [];
  readonly #seeds = new Map<string, number>();
  /** How often each command got each answer: an answer that never occurs was not tested. */
  readonly answers = new Map<string, number>();
  readonly counts: Counts = { schedules: 0, statements: 0, commits: 0, commands: 0, deadlocks: 0, ended: 0, lost: 0 };

  private constructor(url: string) {
    this.#admin = openDb({ url, max: 1, onError: () => {} });
    this.#house = new Process({ number: SEATS, url, seed: 0, log: this.#setUp });
  }

  /**
   * @param url the owner's.
   * @param options.unlocked removes the lanes' lock of their tenants from the wire, to prove that the test notices.
   */
  static async open(url: string, options: { unlocked?: boolean } = {}): Promise<Stage> {
    const stage = new Stage(url);
    // Shortens PostgreSQL's deadlock time-out, so that a schedule with a deadlock ends soon.
    const name = new URL(url).pathname.slice(1);
    await stage.#admin.query({ text: `alter database ${name} set deadlock_timeout = '20ms'`, values: [] });
    for (let number = 0; number < SEATS; number += 1) {
      const wire: Wire = new Wire({
        port: Number(new URL(url).port),
        unlocked: options.unlocked ?? false,
        changed: stage.#bell.ring,
        onAnswer: (answered) => stage.#answered(number, answered),
      });
      const through = new URL(url);
      through.port = String(await wire.listen());
      const process = new Process({ number, url: through.href, seed: number, log: stage.#log });
      stage.#seats.push({ process, wire });
      await process.open();
    }
    return stage;
  }

  async close(): Promise<void> {
    await Promise.all([this.#admin.end(), this.#house.close(), ...this.#seats.map(({ process }) => process.close())]);
    for (const { wire } of this.#seats) wire.close();
  }

  #answered(number: number, { text, tag, error, open }: Answered): void {
    this.counts.statements += 1;
    const { process } = this.#seats[number]!;
    if (error === "40P01") this.counts.deadlocks += 1;
    if (error !== null && !ALLOWED.has(error)) {
      this.#findings.push(`process ${number}: SQLSTATE ${error} of ${text.trim().slice(0, 70)}`);
    }
    if (/^(?:discard plans; )?begin/.test(text)) process.begun();
    else if (!open && tag !== null && tag !== "ROLLBACK" && !OPENING.test(text)) {
      this.counts.commits += 1;
      process.committed();
    }
  }

  /**
   * Runs a plan; `choose` decides at each statement which process continues. Throws when the result differs from
   * running the commands one after another.
   *
   * @returns what was committed, in that order.
   */
  async run(
    seed: number,
    goes: readonly (readonly Go[])[],
    choose: Choose,
    first: readonly Command[] = [],
  ): Promise<readonly Execution[]> {
    const world = await openWorld(this.#admin, seed);
    for (const tenant of [0, 1, HOUSE]) this.#seeds.set(world.account(tenant), seed);
    const models: Models = [new Tenant(), new Tenant(), new House()];
    this.#setUp.length = 0;
    await this.#house.work([BEGINNING], world);
    this.#house.committed();
    await this.#house.work(
      first.map((command) => [command]),
      world,
    );
    this.#house.committed();
    const alone = first.filter((one) => !IN_LANE.has(one.do));
    for (const command of [...this.#setUp.map((one) => one.command), ...alone]) models[tenantOf(command)]!.run(command);
    this.#log.length = 0;
    this.#findings = [];
    const steps: string[] = [];
    const counted: Choose = (ready) => {
      const choice = choose(ready);
      if (choice.how === "end") this.counts.ended += 1;
      if (choice.how === "lose") this.counts.lost += 1;
      return choice;
    };
    try {
      const onStep = (line: string) => steps.push(line);
      await runSchedule({
        seats: this.#seats, plan: goes, world, admin: this.#admin, bell: this.#bell, choose: counted, onStep,
      }); // biome-ignore format: one row
      await this.#judge(world, models);
    } catch (error) {
      const plans = goes.map((list, i) => `process ${i}: ${JSON.stringify(list)}`);
      const log = this.#log.map(
        ({ process, command, outcome }) => `${process}: ${JSON.stringify(command)} -> ${outcome}`,
      );
      const reported = [`schedule ${seed}`, ...plans, "steps", ...steps, "committed", ...log, String(error)];
      throw new Error(reported.join("\n"), { cause: error });
    }
    this.counts.schedules += 1;
    await this.#park(world);
    if (this.counts.schedules % VERIFY_EVERY === 0) await this.verify();
    return [...this.#log];
  }

  /** Asserts that the commands run one after another, in the order of their commits, give the same result. */
  async #judge(world: World, models: Models): Promise<void> {
    for (const { process } of this.#seats) this.#findings.push(...process.findings.splice(0));
    assert.deepEqual(this.#findings, []);
    const freed = [-1, -1, -1];
    for (const [i, { process, command, outcome, since }] of this.#log.entries()) {
      this.counts.commands += 1;
      const tenant = tenantOf(command);
      // This intent saw the key while it was in use and wrote nothing, so it belongs before the key's release.
      if (command.do === "intend" && outcome === "key_in_use" && freed[tenant]! >= since) continue;
      this.answers.set(`${command.do}: ${outcome}`, (this.answers.get(`${command.do}: ${outcome}`) ?? 0) + 1);
      const expected = models[tenant]!.run(command);
      if (command.do === "reject") freed[tenant] = i;
      // A lost answer cannot be compared.
      if (outcome !== undefined) assert.equal(outcome, expected, `process ${process}: ${JSON.stringify(command)}`);
    }
    for (const tenant of [0, 1] as const) await compare(this.#admin, world, tenant, models[tenant]);
    await compareHouse(this.#admin, world, models[HOUSE]);
  }

  /** Postpones everything that is open, so that a later schedule's loops do not process it. */
  async #park(world: World): Promise<void> {
    // The auditor accepts no schedule that is more than a year away.
    const later = new Date(Date.now() + 300 * 86_400_000);
    for (const tenant of [0, 1, HOUSE]) {
      const accountId = world.account(tenant);
      await this.#admin.query(sql`
        update balance_blocks set defence_next_at = ${later} where account_id = ${accountId} and defence_next_at is not null`);
      await this.#admin.query(sql`
        update withdrawals set next_at = ${later} where account_id = ${accountId} and next_at is not null`);
      await this.#admin.query(sql`
        update pix_returns set next_at = ${later} where account_id = ${accountId} and next_at is not null`);
    }
  }

  /** Asks the invariants of all books; a violation names its schedule. */
  async verify(): Promise<void> {
    const { violations } = await this.#admin.transaction((tx) => verify(tx));
    const reported = violations.map((one) => ({ schedule: this.#seeds.get(one.accountId), ...one }));
    assert.deepEqual(reported, []);
  }
}

type Models = readonly [Tenant, Tenant, House];
const tenantOf = (command: Command): number => ("tenant" in command ? command.tenant : 0);

/** The choices of a seed, which also decides how often it switches to another process and whether connections end. */
function chooser(seed: number): Choose {
  const random = stream(seed, "choices");
  const leaves = pick(random, [0.15, 0.5, 1]);
  let crashes = random() < 0.4 ? 1 + Math.floor(random() * 2) : 0;
  let last = -1;
  return (ready) => {
    const same = ready.find(({ process }) => process.number === last);
    const seat = same && random() >= leaves ? same : pick(random, ready);
    last = seat.process.number;
    const { wire } = seat;
    const crash = crashes > 0 && random() < (wire.next === "commit" ? 0.4 : 0.04);
    if (!crash || !wire.open) return { process: last, how: "step" };
    crashes -= 1;
    return { process: last, how: wire.next === "commit" && random() < 0.6 ? "lose" : "end" };
  };
}

const NO_CHOICE =
  /^(?:(?:discard plans; )?begin|select (?:charge_id from charges|psp_id, net_amount|wallet_id, e2e_id) )/;

/** Runs a seed's schedule. */
export const runSeed = (stage: Stage, seed: number): Promise<readonly Execution[]> =>
  stage.run(seed, plan(seed), chooser(seed), beginningOf(seed));

/** How often, in each order, a process that could continue is interrupted. */
const INTERRUPTIONS = 2;

/**
 * Runs the commands of two processes in every order of their statements with at most two interruptions. Each run
 * repeats the choices of the run before, up to the last one with an alternative left, and takes that alternative. A
 * BEGIN and a route's look-ups are no choices: a BEGIN reads and locks nothing, and what routes look up never changes.
 *
 * @param next makes the number of the next run.
 * @param first commands that run before.
 */
export async function everyOrder(
  stage: Stage,
  goes: readonly Go[],
  next: () => number,
  first: readonly Command[] = [],
): Promise<number> {
  let path: { taken: number; of: number }[] = [];
  for (let runs = 1; ; runs += 1) {
    let depth = 0;
    let last: Seat | undefined;
    let interrupted = 0;
    const follow: Choose = (ready): Choice => {
      const idle = ready.find(({ wire }) => NO_CHOICE.test(wire.next!.trim()));
      if (idle) return { process: idle.process.number, how: "step" };
      const goesOn = ready.find((seat) => seat === last);
      const others = ready.filter((seat) => seat !== last);
      const open = goesOn ? [goesOn, ...(interrupted < INTERRUPTIONS ? others : [])] : others;
      let taken = 0;
      if (open.length > 1) {
        path[depth] ??= { taken: 0, of: open.length };
        taken = path[depth]!.taken;
        depth += 1;
      }
      const seat = open[taken]!;
      if (goesOn && seat !== goesOn) interrupted += 1;
      last = seat;
      return { process: seat.process.number, how: "step" };
    };
    await stage.run(
      next(),
      goes.map((go) => [go]),
      follow,
      first,
    );
    path = path.slice(0, depth);
    while (path.length > 0 && path.at(-1)!.taken + 1 >= path.at(-1)!.of) path.pop();
    const turn = path.at(-1);
    if (!turn) return runs;
    turn.taken += 1;
  }
}

/**
 * Runs the commands once for each place at which their connection can end: before each statement of a transaction, and
 * after its COMMIT with the answer lost. Returns the number of places.
 */
export async function everyEnd(
  stage: Stage,
  go: Go,
  next: () => number,
  first: readonly Command[] = [],
): Promise<number> {
  for (let place = 0; ; place += 1) {
    let passed = 0;
    const choose: Choose = ([seat]): Choice => {
      const { wire, process } = seat!;
      const ways: Choice["how"][] = wire.open ? (wire.next === "commit" ? ["end", "lose"] : ["end"]) : [];
      const how = ways[place - passed] ?? "step";
      // After the connection has ended, the process retries: the retry runs undisturbed.
      passed = how === "step" ? passed + ways.length : Number.POSITIVE_INFINITY;
      return { process: process.number, how };
    };
    await stage.run(next(), [[go]], choose, first);
    if (passed !== Number.POSITIVE_INFINITY) return place;
  }
}
