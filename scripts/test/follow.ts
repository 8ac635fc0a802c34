/**
 * Imported by each test process. Node's runner follows every promise and timer of a process, so that a test which is declared
 * somewhere finds its suite, and an error that nobody catches its test. Where a gateway runs in the process that is a tenth of the
 * CPU, and only the first is needed: while a file is loaded. Such an error then fails the file instead of the test.
 */

import { createHook } from "node:async_hooks";

type Hook = ReturnType<typeof createHook>;

/** The runner's, of which it tells nobody. */
const hooks: Hook[] = [];
const prototype = Object.getPrototypeOf(createHook({})) as Hook;
const { enable } = prototype;
prototype.enable = function (this: Hook): Hook {
  if (process.env.NODE_TEST_CONTEXT !== undefined) hooks.push(this);
  return enable.call(this);
};

/** Switches it on, as it is at first. */
export function follow(): void {
  for (const hook of hooks) enable.call(hook);
}

/** Switches it off: every test is declared. */
export function leave(): void {
  for (const hook of hooks) hook.disable();
}
