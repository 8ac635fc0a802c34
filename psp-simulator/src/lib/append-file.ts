import { close, openSync, write } from "node:fs";

/** A file that only grows, with one ordered writer; lines that arrive while a write is under way go together. */
export type AppendFile = {
  append: (line: string) => void;
  /** Calls back once every line appended so far has been handed to the kernel: at once when nothing is waiting. */
  whenWritten: (then: () => void) => void;
  close: () => Promise<void>;
};

/**
 * Opens the file for appending. write(2) without fsync: the page cache outlives a killed process, and a simulator
 * need not outlive the machine. A failed write is fatal, since answers would promise what is not there.
 */
export function openAppendFile(path: string, onFailure: (error: Error) => void): AppendFile {
  const fd = openSync(path, "a", 0o600);
  let waitingText = "";
  let appended = 0;
  let written = 0;
  let busy = false;
  let closed = false;
  let waiters: { target: number; then: () => void }[] = [];

  function append(line: string): void {
    // Work that ends while the process goes down is forgotten, as by a kill: nobody was answered about it.
    if (closed) return;
    waitingText += `${line}\n`;
    appended++;
    if (busy) return;
    busy = true;
    // The requests parsed in this turn of the event loop share one write.
    setImmediate(flush);
  }

  function flush(): void {
    const bytes = Buffer.from(waitingText, "utf8");
    const target = appended;
    waitingText = "";
    writeAll(bytes, 0, () => {
      written = target;
      const due = waiters;
      waiters = [];
      for (const waiter of due) {
        if (waiter.target <= written) waiter.then();
        else waiters.push(waiter);
      }
      if (waitingText === "") busy = false;
      else setImmediate(flush);
    });
  }

  function writeAll(bytes: Buffer, offset: number, then: () => void): void {
    write(fd, bytes, offset, bytes.length - offset, null, (error, count) => {
      if (error) onFailure(error);
      else if (offset + count < bytes.length) writeAll(bytes, offset + count, then);
      else then();
    });
  }

  function whenWritten(then: () => void): void {
    if (written === appended) then();
    else waiters.push({ target: appended, then });
  }

  return {
    append,
    whenWritten,
    close: () => {
      closed = true;
      return new Promise((done) => whenWritten(() => close(fd, () => done())));
    },
  };
}
