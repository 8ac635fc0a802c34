/** The command `pixgate`. The gateway is loaded only by the commands that need it: it takes a second. */
import { run } from "./cli/run.ts";

await run(process.argv.slice(2), async () => (await import("./program/commands.ts")).machine);
