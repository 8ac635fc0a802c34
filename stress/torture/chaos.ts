import { pause } from "../../gateway/test/harness/eventually.ts";
import type { Receiver } from "../../gateway/test/harness/receiver.ts";
import type { TcpProxy } from "../../gateway/test/harness/tcp-proxy.ts";
import { pick, type Random } from "../harness/random.ts";
import { ANNOYANCES, type Annoyance, nextStrike, type Strike } from "./plan.ts";
import type { Program } from "./program.ts";
import type { Server } from "./server.ts";

type Victims = {
  readonly programs: Readonly<Record<"gateway a" | "gateway b" | "worker", Program>>;
  readonly server: Server;
  /** The wire between the programs and PostgreSQL. */
  readonly wire: TcpProxy;
  readonly receiver: Receiver;
};

/** Answers that callers must get before the next strike, and the longest wait for them, milliseconds. */
const BETWEEN = 12;
const PATIENCE = 60_000;

/** Kills programs and breaks the wire until stopped. Strikes and annoyances alternate. */
export async function wreak(
  victims: Victims,
  random: Random,
  options: {
    readonly over: () => boolean;
    /** Answers that callers have got so far. */
    readonly answers: () => number;
    readonly everyMs: number;
    readonly freezeMs: number;
    readonly programs: number;
  },
): Promise<Record<Annoyance, number>> {
  const done = Object.fromEntries(ANNOYANCES.map((one) => [one, 0])) as Record<Annoyance, number>;
  let struckAt = 0;
  // Otherwise, on a slow machine, no program would run for long enough to answer.
  const somethingDone = async () => {
    const until = performance.now() + PATIENCE;
    while (options.answers() < struckAt + BETWEEN && performance.now() < until && !options.over()) await pause(50);
    struckAt = options.answers();
  };
  while (!options.over()) {
    await pause(options.everyMs * (0.4 + 1.2 * random()));
    await somethingDone();
    await strike(victims, nextStrike(random, options.programs), random);
    if (options.over()) break;
    await pause(options.everyMs * (0.2 + 0.6 * random()));
    const annoyance = pick(random, ANNOYANCES);
    done[annoyance] += 1;
    annoy(victims, annoyance, random, options.freezeMs);
  }
  return done;
}

async function strike({ programs, server }: Victims, what: Strike, random: Random): Promise<void> {
  const kill = (...names: (keyof typeof programs)[]) => {
    // A program that is starting is mostly spared: some work must get done.
    for (const name of names) if (programs[name].isReady() || random() < 0.15) programs[name].kill();
  };
  switch (what) {
    case "worker":
    case "gateway a":
    case "gateway b":
      kill(what);
      return;
    case "worker and backend":
      kill("worker");
      await server.killBackend(random);
      return;
    case "worker and gateway b":
      kill("worker", "gateway b");
      return;
    case "all programs":
      kill("gateway a", "gateway b", "worker");
      return;
    case "backend":
      await server.killBackend(random);
      return;
    case "postmaster":
      return server.killPostmaster(random);
    case "everything":
      kill("gateway a", "gateway b", "worker");
      return server.killPostmaster(random);
  }
}

function annoy({ wire, receiver }: Victims, what: Annoyance, random: Random, freezeMs: number): void {
  switch (what) {
    case "cut":
      wire.cut();
      return;
    case "client hears the end":
      wire.halfClose("client");
      return;
    case "server hears the end":
      wire.halfClose("server");
      return;
    case "frozen":
      wire.freeze(freezeMs * (0.5 + random()));
      return;
    case "slow":
      wire.delayMs = 5 + Math.floor(random() * 60);
      setTimeout(() => {
        wire.delayMs = 0;
      }, 1_500);
      return;
    case "receiver fails":
      receiver.status = 503;
      setTimeout(() => {
        receiver.status = 200;
      }, 700);
      return;
  }
}
