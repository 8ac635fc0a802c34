import { settleCharge } from "../gateway/src/charges/settle.ts";
import type { SettleCharge } from "../gateway/src/charges/settlement.ts";
import { type Db, openDb } from "../gateway/src/db/pool.ts";
import { createLanes, type Lanes } from "../gateway/src/ledger/lane.ts";
import { createOneEach } from "./floors/one-each.ts";
import { type Recorded, record, writeRecorded } from "./floors/one-statement.ts";
import { openPgledger } from "./floors/pgledger.ts";
import { brokenBooks } from "./harness/books.ts";
import { curve, inRounds, type Load, load } from "./harness/load.ts";
import { costFigures, type Each, measured } from "./harness/measured.ts";
import { openMetered } from "./harness/metered.ts";
import { type Bar, type Figure, figure } from "./harness/result.ts";
import type { Benchmark, Stage } from "./harness/stage.ts";
import { createSupply, ids, makeCharges, makePayees } from "./harness/tenants.ts";

export const CONNECTIONS = 16;
/** Settlements of one multi-row statement: a full batch of the lane. */
const BATCH = 500;
/** Statements of one round. */
const STATEMENTS = 30;
const EACH = "one transaction each";
const STATEMENT = "one multi-row statement";
const pgledgerAt = (n: number): string => `pgledger's postings alone, ${n} in flight`;
const BARS: Readonly<Record<string, Bar>> = {
  [EACH]: { of: "ratio", least: 20 },
  [STATEMENT]: { of: "ratio", least: 0.6 },
};

export const lanesOn = (db: Db, more: Partial<Parameters<typeof createLanes>[0]> = {}): Lanes =>
  createLanes({ db, now: () => new Date(), newId: () => ids.uuid(), ...more });

/** Payments into one wallet with a fee and two split legs, through the lane; all rows. */
export const settleHot: Benchmark = {
  name: "settle-hot",
  async run(stage) {
    const { seconds, rounds, inFlight } = stage.pace;
    const { url, recorded } = await recordFloor(stage);
    const { db, by } = await openMetered(stage, url, CONNECTIONS);
    const oneEach = createOneEach(url, CONNECTIONS);
    stage.after(() => oneEach.end());

    /** A subject with a tenant of its own, and charges for at most so many settlements a second. */
    const subject = async (most: number, settle: (command: SettleCharge) => Promise<unknown>) => {
      const [payee] = await makePayees(db, { tenants: 1, split: true });
      const supply = createSupply(db, () => payee!);
      const run = async (n: number, duration = seconds) => {
        await supply.fill(Math.ceil(duration * most) + n);
        await db.query({ text: "analyze charges", values: [] });
        const work = () => {
          const next = supply.take();
          return next === undefined ? false : settle(next);
        };
        return measured(by, () => load({ inFlight: n, seconds: duration, work }));
      };
      // Code, connections and the tenant's ledger accounts are warm before anything is measured.
      await run(16, seconds / 3);
      return run;
    };
    const usual = await subject(3_000, (command) => oneEach.settle(command));
    const single = lanesOn(db, { lanes: 1, maxBatch: 1, concurrency: CONNECTIONS });
    const ownCode = await subject(5_000, (command) => single.run(settleCharge, command));
    const lanes = lanesOn(db);
    const hot = await subject(20_000, (command) => lanes.run(settleCharge, command));

    const most = inFlight.at(-1)!;
    const peer = await openPeer(stage);
    const peerAt = peer === null ? [] : [...new Set([1, most])];

    const share = Math.floor(recorded.length / rounds);
    const bare = await inRounds(rounds, {
      [STATEMENT]: async () => ({ rate: await writeRecorded(url, recorded.splice(0, share)) }),
      [EACH]: () => usual(16),
      "the lane's own code, one transaction each": () => ownCode(16),
      ...Object.fromEntries(peerAt.map((n) => [pgledgerAt(n), () => peer!(n)])),
      ...Object.fromEntries(inFlight.map((n) => [`lane, ${n} in flight`, () => hot(n)])),
    } as Record<string, () => Promise<{ rate: number }>>);
    const rates = (name: string) => bare[name]!.map(({ rate }) => rate);
    const lanesAt = (n: number) => bare[`lane, ${n} in flight`] as (Load & { each: Each })[];
    const against = (to: string) => ({ floor: { to, values: rates(to) }, ...(BARS[to] && { bar: BARS[to] }) });
    const figures: Figure[] = [
      figure(`floor: ${EACH}, 16 in flight`, "/s", rates(EACH)),
      figure("floor: the lane's own code, one transaction each, 16 in flight", "/s", rates("the lane's own code, one transaction each")),
      figure(`floor: ${STATEMENT} (${BATCH} settlements)`, "/s", rates(STATEMENT)),
      ...inFlight.map((n) => figure(`lane, ${n} in flight`, "/s", rates(`lane, ${n} in flight`), n === most ? { bar: { of: "value", least: 10_000 } } : {})),
      figure(`lane, ${most} in flight, against ${EACH}`, "/s", rates(`lane, ${most} in flight`), against(EACH)),
      figure(`lane, ${most} in flight, against ${STATEMENT}`, "/s", rates(`lane, ${most} in flight`), against(STATEMENT)),
      ...peerAt.flatMap((n) => [
        figure(pgledgerAt(n), "/s", rates(pgledgerAt(n))),
        figure(`lane, ${n} in flight, against ${pgledgerAt(n)}`, "/s", rates(`lane, ${n} in flight`), against(pgledgerAt(n))),
      ]),
      ...costFigures("one at a time", lanesAt(1).map(({ each }) => each)),
      ...costFigures(`${most} in flight`, lanesAt(most).map(({ each }) => each)),
    ];
    return {
      figures,
      curves: [curve("one wallet, fee and two legs", inFlight.map((n) => [n, lanesAt(n)]))],
      problems: await brokenBooks(db),
    };
  }, // biome-ignore format: figures, one a line
};

/** A load on pgledger, warm as the others are; null where no checkout of it is given. */
async function openPeer({
  pgledger,
  pace: { seconds },
  ...stage
}: Stage): Promise<((n: number) => Promise<Load>) | null> {
  if (pgledger === null) return null;
  const work = await openPgledger(stage, pgledger, CONNECTIONS);
  await load({ inFlight: CONNECTIONS, seconds: seconds / 3, work });
  return (n) => load({ inFlight: n, seconds, work });
}

/** Makes the database, and the statements that write what the lane would write for one of its tenants. */
async function recordFloor(stage: Stage): Promise<{ url: string; recorded: Recorded[] }> {
  const url = await stage.database();
  const db = openDb({ url, max: 2, onError: () => {} });
  const [payee] = await makePayees(db, { tenants: 1, split: true });
  const [first] = await makeCharges(db, [payee!]);
  await lanesOn(db).run(settleCharge, first!);
  const statements = Math.max(1, Math.round(STATEMENTS * Math.min(1, stage.pace.seconds / 2))) * stage.pace.rounds;
  const settlements = await makeCharges(
    db,
    Array.from({ length: statements * BATCH }, () => payee!),
  );
  await db.end();
  const copy = await stage.database(url);
  const recorded = await record({ url: copy, settlements, batch: BATCH, lanes: lanesOn });
  await stage.drop(copy);
  return { url, recorded };
}
