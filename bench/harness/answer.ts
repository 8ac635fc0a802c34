import type { ChildProcess } from "node:child_process";

/** The next message of a child; fails when it ends before, so that nobody waits for it for ever. */
export function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error(`the process ${child.pid} ended before it answered`));
    child.once("exit", gone);
    child.once("message", (message) => {
      child.off("exit", gone);
      resolve(message as T);
    });
  });
}
