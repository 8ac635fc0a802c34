import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { armFailpoints, dieBy, failpoint, readFailpoints } from "./failpoint.ts";

describe("A plan of failpoints", () => {
  const deaths = (plan: string, passes: readonly string[]) => {
    const died: number[] = [];
    let at = 0;
    const pass = dieBy(readFailpoints(plan), () => died.push(at));
    for (const [i, name] of passes.entries()) {
      at = i;
      pass(name);
    }
    return died;
  };

  test("dies at the pass it names, of the route it names", () => {
    const passes = [
      "psp.after:putCob",
      "psp.after:putPayout",
      "commit.after",
      "psp.after:putPayout",
      "psp.after:putCob",
    ];
    assert.deepEqual(deaths("psp.after:putPayout@2", passes), [3]);
    assert.deepEqual(deaths("psp.after@2", passes), [3, 4], "each route counts its own");
    assert.deepEqual(deaths("commit.after@2", passes), []);
  });

  test("dies with the chance it names, at the same passes for the same seed", () => {
    const passes = Array<string>(10_000).fill("commit.before");
    const died = deaths("seed=7,*~0.01", passes);
    assert.ok(died.length > 60 && died.length < 140, String(died.length));
    assert.deepEqual(deaths("seed=7,commit.before~0.01", passes), died);
    assert.notDeepEqual(deaths("seed=8,*~0.01", passes), died);
    // What else is passed meanwhile changes nothing.
    const mixed = passes.flatMap((name) => [name, "answer.before"]);
    assert.deepEqual(
      deaths("seed=7,commit.before~0.01", mixed),
      died.map((at) => at * 2),
    );
  });

  test("is refused where it names none", () => {
    for (const wrong of ["", "nowhere@1", "psp.after", "psp.after@0", "commit.after~2", "*@1,", "psp.after:@1"]) {
      assert.throws(() => readFailpoints(wrong), TypeError, wrong);
    }
  });
});

test("an unarmed failpoint does nothing, an armed one is heard", () => {
  const heard: string[] = [];
  failpoint("commit.after");
  armFailpoints((name) => heard.push(name));
  failpoint("psp.after", "putCob");
  armFailpoints(null);
  failpoint("commit.after");
  assert.deepEqual(heard, ["psp.after:putCob"]);
});
