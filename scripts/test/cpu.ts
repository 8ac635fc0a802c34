/** Seconds of CPU that processes take, as Linux counts them. */

import { readFileSync } from "node:fs";

/** Names the folder into which each test process of a run writes what it took. */
export const CPU_FOLDER = "PIXGATE_TEST_CPU";

/** `started`: programs that the process started and that have ended. */
export type Used = { readonly file: string; readonly own: number; readonly started: number };

/** Clock ticks of a second, of which Linux tells programs. */
const TICKS = 100;

/** Of a process, or of this one; null where the system does not say. */
export function cpuOf(pid: number | "self" = "self"): Omit<Used, "file"> | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // After the program's name, which may contain spaces: state, ten more fields, then user, system, and both of children.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [user = 0, system = 0, ofUser = 0, ofSystem = 0] = fields.slice(11, 15).map(Number);
    return { own: (user + system) / TICKS, started: (ofUser + ofSystem) / TICKS };
  } catch {
    return null;
  }
}
