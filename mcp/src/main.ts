/** What the command line needs of this package: the only file that it imports. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type HttpOptions, type RunningHttp, serveHttp } from "./http.ts";
import { type ServerOptions, serverFactory, unknownWrites, writingOperations } from "./server.ts";

export { type ServerOptions, unknownWrites, writingOperations };

/** Serves a client that started this process, until it closes standard input. */
export function runStdio(options: ServerOptions): void {
  serveStdio(serverFactory(options));
}

/** Serves clients over HTTP until it is closed. */
export const runHttp = (options: ServerOptions, http: HttpOptions): Promise<RunningHttp> =>
  serveHttp(serverFactory(options), http);
