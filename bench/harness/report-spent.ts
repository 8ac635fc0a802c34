/**
 * Loaded into a gateway (`--import`) before its own code: reports over IPC what it has spent, and makes its connections to
 * PostgreSQL report what they have counted, which they do by themselves every 10 s only.
 */
import { countTrips } from "./trips.ts";

const counted = countTrips();
process.on("message", async () => {
  const { user, system } = process.cpuUsage();
  const spent = { cpu: (user + system) / 1_000, rss: process.memoryUsage.rss() / 2 ** 20, ...counted.read() };
  await counted.report();
  process.send?.(spent);
});
// The gateway ends when it has nothing to do, not when nobody asks any more.
process.channel?.unref();
