import { LIMITS } from "../lib/limits.ts";
import { PAGE } from "./pages.ts";

/** What bounds the work of a call, whoever sends it. `docs/threats.md` shows it for every route. */
export const WORK = {
  none: "reads nothing of the database",
  probe: "one statement, for which a connection is kept",
  row: "one object, or a fixed number, by key",
  command: "one object, by key",
  page: `a page of at most ${PAGE.most} rows and ${LIMITS.pageBytes / 1024} KiB`,
  few: "a list whose length has a limit where it is made",
  round: `at most ${LIMITS.roundCalls} reads of a page, each counted as a call of its own, and ${LIMITS.roundAnswerBytes / 1024} KiB in all`,
  state: "a summary that is kept; callers share one read",
  history: `an account's history: ${LIMITS.readsOfAccount} calls at once, on ${LIMITS.dbHistoryConnections} connections of their own`,
  search: `a page of at most ${PAGE.most} rows and ${LIMITS.pageBytes / 1024} KiB; a search of it, an account's history`,
  file: "a file, read no faster than the client takes it",
  whole: `whole tables, on ${LIMITS.dbWholeConnections} connections of their own`,
  outside: "waits for an institution or a receiver, in slots of their own",
  hash: "a hash of a password, in a queue",
  stream: `an open stream: ${LIMITS.streamsOfPerson} of a person, ${LIMITS.streamsOfAccount} of an account`,
  payerStream: `an open stream: ${LIMITS.payerStreamsOfAddress} of an address, ${LIMITS.payerStreams} of a process`,
  job: "starts a job, or joins the one that runs",
} as const;
export type Work = keyof typeof WORK;

/** The properties of a route from which its bound follows. */
type RouteProperties = {
  readonly work?: Work;
  readonly readsHistory?: true | ((query: never) => boolean);
  readonly waitsOutside?: true;
  readonly method: string;
  readonly path: string;
  readonly query?: object;
};

/**
 * The bound of a route's work: as the route states it, or as it follows from the route's properties. Null: the route must
 * state it.
 */
export function workOf({ work, readsHistory, waitsOutside, method, path, query }: RouteProperties): Work | null {
  if (work !== undefined) return work;
  if (readsHistory) return readsHistory === true ? "history" : "search";
  if (waitsOutside) return "outside";
  if (method !== "GET") return "command";
  const { properties = {} } = (query ?? {}) as { readonly properties?: object };
  if ("limit" in properties) return "page";
  return /:\w+$/.test(path) ? "row" : null;
}
