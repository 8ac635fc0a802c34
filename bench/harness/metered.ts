import { openDb } from "../../gateway/src/db/pool.ts";
import { openMeter } from "./cost.ts";
import type { Stage } from "./stage.ts";
import { countTrips } from "./trips.ts";

/** A pool on a database, and the counters of what it costs; closed when the stage ends. */
export async function openMetered(stage: Stage, url: string, connections: number) {
  const db = openDb({ url, max: connections, onError: () => {} });
  stage.after(() => db.end());
  const meter = await openMeter(url);
  stage.after(() => meter.close());
  return { db, by: { meter, trips: countTrips() } };
}
