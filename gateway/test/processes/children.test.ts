/** Processes that the gateway starts: what they know, and that nobody's request starts one. */
import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freshDatabase } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";
import { type GatewayProcess, startProcess } from "../harness/process.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const KEY = Buffer.alloc(32, "k").toString("base64");
const OTHERS = "a secret of another program";
/** In place of the console's build: says that it was started and with which environment, and builds nothing. */
const BUILD = `
import { appendFileSync } from "node:fs";
appendFileSync(new URL("started", import.meta.url), JSON.stringify(process.env) + "\\n");
process.exit(1);
`;
const ALLOWED = ["PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_ALL", "NODE_COMPILE_CACHE"];

/** A copy of the programs with a console that is not built. */
let copy: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let gateway: GatewayProcess;
/** A busy machine starts three programs one after the other. */
const START_MS = 240_000;
before(async () => {
  copy = mkdtempSync(join(tmpdir(), "pixgate-children-"));
  for (const path of [
    "package.json",
    "gateway/package.json",
    "gateway/src",
    "psp-simulator",
    "sdk/src",
    "sdk/package.json",
    "openapi",
  ]) {
    cpSync(join(ROOT, path), join(copy, path), {
      recursive: true,
      filter: (source) => !source.endsWith("node_modules"),
    });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  mkdirSync(join(copy, "console"));
  writeFileSync(join(copy, "console/build.ts"), BUILD);
  database = await freshDatabase();
  const env = { PIXGATE_DATA_DIR: join(copy, "data"), PIXGATE_SECRET_KEY: KEY, OTHERS_SECRET: OTHERS };
  gateway = await startProcess(
    { ...env, DATABASE_URL: database.gatewayUrl },
    [],
    START_MS,
    join(copy, "gateway/src/main.ts"),
  );
});
after(async () => {
  await gateway?.stop();
  await database?.drop();
  rmSync(copy, { recursive: true, force: true });
});

/** Builds of the console that were started, each with its environment. */
const builds = (): NodeJS.ProcessEnv[] =>
  existsSync(join(copy, "console/started"))
    ? readFileSync(join(copy, "console/started"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as NodeJS.ProcessEnv)
    : [];

/** The processes below one, with their command lines and the raw bytes of their environments. One that ends meanwhile is none. */
function below(pid: number): { command: string; environ: string }[] {
  return readdirSync("/proc").flatMap((name) => {
    const of = (file: string) => readFileSync(`/proc/${name}/${file}`, "utf8");
    try {
      if (!/^\d+$/.test(name) || of("stat").split(") ")[1]!.split(" ")[1] !== String(pid)) return [];
      return [{ command: of("cmdline"), environ: of("environ") }, ...below(Number(name))];
    } catch {
      return [];
    }
  });
}

test("the simulator and the build of the console get no secret, and only what they need", async (t) => {
  if (!existsSync("/proc/self/environ")) return t.skip("there is no /proc here");
  await eventually("the build that a sandbox starts", () => builds().length === 1);
  const own = readFileSync(`/proc/${gateway.child.pid}/environ`, "utf8");
  assert.ok(own.includes(KEY) && own.includes(OTHERS), "the gateway has them");
  const children = below(gateway.child.pid!);
  const simulator = children.find(({ command }) => command.includes("psp-simulator"))!;
  assert.ok(simulator, children.map(({ command }) => command).join());
  for (const { command, environ } of children) {
    for (const secret of [KEY, OTHERS, database.gatewayUrl, "PIXGATE_SECRET_KEY", "DATABASE_URL"]) {
      assert.ok(!environ.includes(secret), `${command} has ${secret}`);
    }
  }
  const names = simulator.environ
    .split("\0")
    .filter((one) => one !== "")
    .map((one) => one.split("=")[0]!);
  assert.ok(names.includes("PATH"));
  assert.deepEqual(
    names.filter((name) => !ALLOWED.includes(name)),
    [],
  );
  assert.deepEqual(
    Object.keys(builds()[0]!).filter((name) => !ALLOWED.includes(name)),
    [],
  );
});

test("a request for the console that is not built starts nothing, and says how it is built", async () => {
  await eventually("the build that a sandbox starts", () => builds().length === 1);
  for (const path of ["/console", "/console/", "/console/assets/x.js", "/console/charges"]) {
    const reply = await fetch(gateway.url + path);
    const { message } = (await reply.json()) as { message: string };
    assert.deepEqual([reply.status, message.split("\n").length], [404, 1], path);
    assert.match(message, /node console\/build\.ts/);
  }
  assert.equal(builds().length, 1);
});

test("a build whose name is not written yet is not served, and is as soon as it is", async () => {
  const dist = join(copy, "console/dist");
  mkdirSync(join(dist, "0123456789abcdef"), { recursive: true });
  writeFileSync(join(dist, "0123456789abcdef/index.html"), "<title>Console</title>");
  const read = async () => {
    const reply = await fetch(`${gateway.url}/console/`);
    return [reply.status, (await reply.text()).includes("<title>Console</title>")];
  };
  writeFileSync(join(dist, "current"), "");
  assert.deepEqual(await read(), [404, false]);
  writeFileSync(join(dist, "current"), "0123456789abcdef");
  assert.deepEqual(await read(), [200, true]);
});
