import { EXIT } from "./error.ts";

/** A line for whoever runs the command. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Ends the process silently when the reader of its output has stopped reading, such as `head`. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(process.exitCode ?? EXIT.readerGone);
  });
}
