import { closeSync, existsSync, openSync, readSync, truncateSync } from "node:fs";

const CHUNK_BYTES = 1 << 20;

/**
 * Hands over each whole line of a file and cuts off what a killed writer left behind the last line end.
 * Returns the number of lines; 0 when there is no file.
 */
export function readLines(path: string, eachLine: (line: string, lineNumber: number) => void): number {
  if (!existsSync(path)) return 0;
  const fd = openSync(path, "r");
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  let lines = 0;
  let goodBytes = 0;
  for (;;) {
    const count = readSync(fd, chunk, 0, CHUNK_BYTES, null);
    if (count === 0) break;
    const data = Buffer.concat([rest, chunk.subarray(0, count)]);
    let start = 0;
    for (let end = data.indexOf(10, start); end !== -1; end = data.indexOf(10, start)) {
      lines++;
      eachLine(data.toString("utf8", start, end), lines);
      goodBytes += end + 1 - start;
      start = end + 1;
    }
    rest = Buffer.from(data.subarray(start));
  }
  closeSync(fd);
  if (rest.length > 0) truncateSync(path, goodBytes);
  return lines;
}

/** The last whole line of a file, read from its end; undefined when there is none. Cuts a torn tail off as well. */
export function readLastLine(path: string, fileBytes: number): string | undefined {
  if (fileBytes === 0) return undefined;
  const fd = openSync(path, "r");
  const length = Math.min(fileBytes, CHUNK_BYTES);
  const tail = Buffer.alloc(length);
  readSync(fd, tail, 0, length, fileBytes - length);
  closeSync(fd);
  const end = tail.lastIndexOf(10);
  const tornBytes = length - (end + 1);
  if (tornBytes > 0) truncateSync(path, fileBytes - tornBytes);
  if (end === -1) return undefined;
  return tail.toString("utf8", tail.lastIndexOf(10, end - 1) + 1, end);
}
