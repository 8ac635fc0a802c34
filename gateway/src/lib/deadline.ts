/** Time is counted in pieces of this length, milliseconds. */
const PIECE = 500;
/** From this delay of a piece on, milliseconds, the process has stood still. */
export const STALL = 500;

/**
 * Calls `end` when this process has run for `ms`, unless the returned function is called before.
 *
 * Time in which it stood still does not count: a turn of the event loop that lasted seconds, a machine that was paused. Timers
 * run before anything that came meanwhile is read. With a plain timer every call under way would seem to be without an
 * answer, and the other side would count as down, although its answer is there.
 */
export function setDeadline(ms: number, end: () => void): () => void {
  let left = ms;
  let isExtended = false;
  let timer: NodeJS.Timeout;
  function wait(): void {
    const piece = Math.min(left, PIECE);
    const began = performance.now();
    timer = setTimeout(() => {
      const passed = performance.now() - began;
      const isStalled = passed >= piece + STALL;
      left -= isStalled ? piece : passed;
      // After a stall one piece more, once, in which what has come is read: a process that stalls all the time has deadlines too.
      if (isStalled && left < PIECE && !isExtended) [left, isExtended] = [PIECE, true];
      if (left < 1) end();
      else wait();
    }, piece);
  }
  wait();
  return () => clearTimeout(timer);
}
