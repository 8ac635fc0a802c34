import { eventually, pause } from "../../gateway/test/harness/eventually.ts";
import { pick, type Random } from "../harness/random.ts";
import type { World } from "./world.ts";

/** The faults, by name. */
const STRIKES: Readonly<Record<string, (world: World, random: Random) => Promise<void>>> = {
  async "calls cut"(world) {
    world.calls.cut();
  },
  async "webhooks cut"(world) {
    world.webhooks.cut();
  },
  async "calls frozen"(world, random) {
    world.calls.freeze(300 + random() * 1_500);
  },
  async "gateway killed"(world) {
    world.gateway.kill();
    await eventually("the gateway to be back", () => world.gateway.isReady(), 60_000);
  },
  async "marketplace killed"(world) {
    world.marketplace.kill();
  },
  async "receiver away"(world, random) {
    world.isReceiverThere = false;
    world.webhooks.cut();
    await pause(1_000 + random() * 4_000);
    world.isReceiverThere = true;
  },
  async "events replayed"(world) {
    const merchant = await world.merchant();
    const { body } = await merchant.get<{ items: { id: string }[] }>("/webhook-endpoints");
    for (const { id } of body.items) {
      await merchant.post(`/webhook-endpoints/${id}/replay`, { since: "2026-01-01T00:00:00Z" });
    }
  },
};

/** Number of orders between two strikes. */
const EVERY = 9;

/** Strikes each time some more orders are done, until `over`; returns how often each strike was made. */
export async function wreak(
  world: World,
  random: Random,
  { orders, over }: { orders: () => number; over: () => boolean },
): Promise<Record<string, number>> {
  const struck: Record<string, number> = {};
  const names = Object.keys(STRIKES);
  for (let n = 0; !over(); n += 1) {
    const due = n * EVERY + Math.floor(random() * EVERY);
    await eventually("more orders", () => over() || orders() >= due, 300_000);
    // Each strike once, then random ones.
    const name = n < names.length ? names[n]! : pick(random, names);
    // A gateway that is down cannot answer this call either.
    const fell = await STRIKES[name]!(world, random).then(
      () => true,
      () => false,
    );
    if (fell) struck[name] = (struck[name] ?? 0) + 1;
  }
  return struck;
}
