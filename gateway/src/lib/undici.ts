import { createRequire } from "node:module";
import type * as undici from "undici";

/**
 * The parts of undici that the gateway uses. Its index also loads fetch, WebSocket, caches and mocks: 80 files more, which
 * are 0.1 s of a start's CPU and 3 MB of the heap.
 */
const load = createRequire(import.meta.url);

export const Pool = load("undici/lib/dispatcher/pool.js") as typeof undici.Pool;
export const buildConnector = load("undici/lib/core/connect.js") as typeof undici.buildConnector;
export type Pool = undici.Pool;
