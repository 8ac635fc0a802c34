/** Loaded into a gateway (`--import`) before its own code: tells over IPC what it has spent. Changes nothing. */
import { countTrips } from "./trips.ts";

const trips = countTrips();
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: (user + system) / 1_000, rss: process.memoryUsage.rss() / 2 ** 20, ...trips() });
});
// The gateway ends when it has nothing to do, not when nobody asks any more.
process.channel?.unref();
