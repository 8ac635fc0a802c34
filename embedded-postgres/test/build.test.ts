import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { findPostmaster } from "../src/postmaster.ts";
import { eventually, homeOf, NAME, newParent } from "./home.ts";

const here = fileURLToPath(new URL("../", import.meta.url));

test("the built package runs from node_modules of a project of its own", async (t) => {
  const project = newParent();
  t.after(() => rmSync(project, { recursive: true, force: true }));
  const modules = join(project, "node_modules");
  const built = join(modules, "@pixgate/embedded-postgres");
  mkdirSync(join(modules, "@pixgate"), { recursive: true });
  execFileSync(process.execPath, [join(here, "build.ts"), built]);
  assert.deepEqual(
    readdirSync(built)
      .filter((name) => !/\.(js|d\.ts)$/.test(name))
      .sort(),
    ["LICENSE", "README.md", "package.json"],
  );
  // Its dependencies, as npm would install them beside it.
  for (const name of ["pg", "@embedded-postgres"])
    symlinkSync(join(here, "../node_modules", name), join(modules, name));

  const home = homeOf(t);
  const program = `
    import { startEmbeddedPostgres } from "@pixgate/embedded-postgres";
    const { url } = await startEmbeddedPostgres({ name: ${JSON.stringify(NAME)}, dataDir: ${JSON.stringify(home.root)} });
    process.stdout.write(url);`;
  writeFileSync(join(project, "main.mjs"), program);
  const url = execFileSync(process.execPath, [join(project, "main.mjs")], { encoding: "utf8" });
  const running = await eventually("the server runs", () => findPostmaster(home));
  assert.equal(new URL(url).port, String(running.port));
});
