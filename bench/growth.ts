import { randomBytes } from "node:crypto";
import { settleCharge } from "../gateway/src/charges/settle.ts";
import { openDb } from "../gateway/src/db/pool.ts";
import { newSecret } from "../gateway/src/webhooks/deliveries/sign.ts";
import { enqueue } from "../gateway/test/webhooks/enqueue.ts";
import { createEndpoints, delivering } from "./deliver.ts";
import { contextOn } from "./harness/context.ts";
import { LINES, writeHistory } from "./harness/history.ts";
import { inRounds, load } from "./harness/load.ts";
import { type Figure, figure } from "./harness/result.ts";
import { type Sink, startSink } from "./harness/sink.ts";
import type { Benchmark, Stage } from "./harness/stage.ts";
import { createSupply, ids, makePayees } from "./harness/tenants.ts";
import { CONNECTIONS, lanesOn } from "./settle-hot.ts";

const TIMES = 10;
const ENDPOINTS = 20;

/** The same work on a database with ten times the history: settling, and delivering. Reading is in `read`. */
export const growth: Benchmark = {
  name: "growth",
  async run(stage) {
    const { rounds, seconds, scale } = stage.pace;
    const inFlight = stage.pace.inFlight.includes(256) ? 256 : stage.pace.inFlight.at(-1)!;
    const charges = Math.max(100, Math.round((stage.lines * scale) / LINES / 5 / TIMES));
    const deliveries = Math.max(100, Math.round(8_000 * Math.min(1, scale * 4)));
    const sink = await startSink();
    stage.after(async () => sink.stop());
    const subject = (past: number) => createSubject(stage, sink, { past, inFlight, deliveries });
    const [small, large] = [await subject(charges), await subject(charges * TIMES)];
    for (const one of [small, large]) {
      await one.settle(seconds / 3);
      await one.deliver();
    }
    const found = await inRounds(rounds === 1 ? 1 : Math.max(rounds, 5), {
      "settle small": () => small.settle(),
      "settle large": () => large.settle(),
      "deliver small": () => small.deliver(),
      "deliver large": () => large.deliver(),
    });
    const named = (count: number) => `${(count * LINES).toLocaleString("en-US")} ledger lines and ${count.toLocaleString("en-US")} deliveries`;
    const pair = (what: string, name: string): Figure[] => [
      figure(`${what}, with ${named(charges)}`, "/s", found[`${name} small`]!),
      figure(`${what}, with ${named(charges * TIMES)}`, "/s", found[`${name} large`]!, {
        floor: { to: "with a tenth of the history", values: found[`${name} small`]! },
        bar: { of: "ratio", least: 0.9 },
      }),
    ];
    return {
      figures: [...pair(`settlements, ${inFlight} in flight`, "settle"), ...pair(`deliveries to ${ENDPOINTS} endpoints`, "deliver")],
      curves: [],
      problems: [],
    };
  }, // biome-ignore format: figures, one a line
};

/** A database with so many charges of history, half of them of the tenant that is measured. */
async function createSubject(
  stage: Stage,
  sink: Sink,
  { past, inFlight, deliveries }: { past: number; inFlight: number; deliveries: number },
) {
  const url = await stage.database();
  const db = openDb({ url, max: CONNECTIONS, onError: () => {} });
  stage.after(() => db.end());
  const ctx = contextOn(db);
  const [old, payee] = await makePayees(db, { tenants: 2 });
  const made = createEndpoints(
    ctx,
    payee!.accountId,
    sink.url,
    newSecret((n) => randomBytes(n)),
  );
  const endpoints = await Promise.all(Array.from({ length: ENDPOINTS }, (_, i) => made.make(`/good/${i}`)));
  await made.enableOnly(endpoints);
  // Half of the history is of the tenant that is measured, half of another one.
  await writeHistory(url, [
    { payee: old!, charges: Math.ceil(past / 2), endpointId: ids.uuid() },
    { payee: payee!, charges: Math.ceil(past / 2), endpointId: endpoints[0]! },
  ]);
  const lanes = lanesOn(db);
  const supply = createSupply(db, () => payee!);
  return {
    async settle(duration = stage.pace.seconds) {
      await supply.fill(Math.ceil(duration * 20_000) + inFlight);
      const work = () => {
        const next = supply.take();
        return next === undefined ? false : lanes.run(settleCharge, next);
      };
      const { rate } = await load({ inFlight, seconds: duration, work });
      return rate;
    },
    async deliver() {
      await db.query({ text: "delete from deliveries where status = 'pending'", values: [] });
      await sink.reset();
      await enqueue(db, payee!.accountId, endpoints, deliveries);
      return delivering(ctx, sink, async () => {
        const began = performance.now();
        await sink.until(deliveries);
        return deliveries / ((performance.now() - began) / 1_000);
      });
    },
  };
}
