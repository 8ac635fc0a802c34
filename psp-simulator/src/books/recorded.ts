import type { Context } from "../context.ts";

/** Calls back once everything recorded so far, in journal and log, would survive the death of this process. */
export function whenRecorded(ctx: Context, then: () => void): void {
  ctx.books.file.whenWritten(() => ctx.log.file.whenWritten(then));
}
