/** Blocks this process, as one turn of the event loop that lasts so long does. Milliseconds. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
