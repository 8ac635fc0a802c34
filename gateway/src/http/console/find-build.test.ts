import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { buildConsole, findBuild } from "./find-build.ts";

test("a file of the console is in memory once, however many ask for it; one that is not there is no answer", async () => {
  await buildConsole((error) => assert.fail(String(error)));
  const build = await findBuild();
  const asset = [...build!.files].find((file) => file.endsWith(".js.br"))!;
  const [first, ...others] = await Promise.all([build!.read(asset), build!.read(asset), build!.read(asset)]);
  assert.ok(first!.length > 0);
  for (const other of others) assert.equal(other, first);
  await assert.rejects(build!.read("assets/none.js"));
  assert.equal(await build!.read(asset), first);
});

test("a build of the same sources leaves the name of the build as it is for everybody who reads it meanwhile", async () => {
  const fail = (error: unknown) => assert.fail(String(error));
  const written = () => statSync(new URL("../../../../console/dist/current", import.meta.url)).mtimeMs;
  await buildConsole(fail);
  const before = written();
  await buildConsole(fail);
  assert.equal(written(), before);
});
