/** SIGTERM to whatever an operator starts: the gateway has ended when that process has. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freshDatabase } from "../harness/database.ts";
import { eventually } from "../harness/eventually.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const UNIT = readFileSync(join(ROOT, "deploy/systemd/pixgate@.service"), "utf8");

let database: Awaited<ReturnType<typeof freshDatabase>>;
let folder: string;
let env: Record<string, string>;

before(async () => {
  database = await freshDatabase();
  folder = mkdtempSync(join(tmpdir(), "pixgate-stop-"));
  env = {
    PATH: [join(ROOT, "node_modules/.bin"), dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder,
    DATABASE_URL: database.gatewayUrl,
    PIXGATE_SECRET_KEY: randomBytes(32).toString("base64"),
    PIXGATE_SIMULATOR_PORT: "off",
    PIXGATE_PORT: "0",
  };
});
after(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

/** The process that logs: the gateway. */
const gatewayPid = (log: string): number => Number(/"pid":(\d+)/.exec(log)?.[1]);
const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Starts a gateway, sends SIGTERM to that process alone, and expects that nothing of it is left. */
async function stopsAtSigterm(child: ChildProcess): Promise<{ pid: number; log: string }> {
  let [out, log] = ["", ""];
  child.stdout!.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr!.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  try {
    const ready = eventually("the gateway to be ready", () => /Pixgate is ready|worker is running/.test(out), 60_000);
    await Promise.race([ready, exited.then((code) => assert.fail(`it ended with ${code}: ${log}`))]);
    const began = performance.now();
    child.kill("SIGTERM");
    assert.equal(await exited, 0, log);
    assert.ok(performance.now() - began < 11_000, "within ten seconds");
    const pid = gatewayPid(log);
    assert.ok(pid > 0, log);
    assert.equal(lives(pid), false, "the gateway lives on without a parent");
    // The end of its output may be read after its end.
    await eventually("its last line", () => /"msg":"stopped"/.test(log));
    return { pid, log };
  } finally {
    const pid = gatewayPid(log);
    if (pid > 0 && lives(pid)) process.kill(pid, "SIGKILL");
    child.kill("SIGKILL");
  }
}

describe("SIGTERM ends the gateway", () => {
  for (const role of ["api", "worker"]) {
    test(`of npm start -- --role ${role}`, async () => {
      const npm = spawn("npm", ["start", "--", "--role", role], {
        cwd: ROOT,
        env: { ...env, PIXGATE_DATA_DIR: join(folder, `npm-${role}`) },
        stdio: ["ignore", "pipe", "pipe"],
      });
      await stopsAtSigterm(npm);
    });
  }

  for (const role of ["api", "worker"]) {
    test(`of the unit pixgate@${role} of systemd, which starts it without npm`, async () => {
      const line = /^ExecStart=(.+)$/m.exec(UNIT)![1]!.replaceAll("/opt/pixgate/", ROOT);
      const [program, ...args] = line.split(" ");
      const settings = /^Environment=(.+)$/m
        .exec(UNIT)![1]!
        .replaceAll("%i", role)
        .split(" ")
        .map((pair) => pair.split("="));
      const child = spawn(program!, args, {
        cwd: ROOT,
        // Of production, everything but TLS, which the test has none of.
        env: {
          ...Object.fromEntries(settings),
          ...env,
          PIXGATE_PUBLIC_URL: "https://pix.example.com",
          PIXGATE_DATA_DIR: join(folder, role),
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const { pid } = await stopsAtSigterm(child);
      assert.equal(pid, child.pid, "the process that systemd knows is the gateway");
    });
  }

  test("also where an older Node started it and handed over to the one of the packages", async () => {
    const [bin, flags] = [join(ROOT, "gateway/bin/pixgate.mjs"), ["--max-semi-space-size=8"]];
    // The launcher reads the version of its own process; the one that it starts must not read it too.
    const older = join(folder, "older.mjs");
    const hide = "process.execArgv.splice(process.execArgv.indexOf('--import'), 2);";
    writeFileSync(older, `Object.defineProperty(process.versions, 'node', { value: '20.19.0' });\n${hide}\n`);
    const child = spawn(process.execPath, [...flags, "--import", older, bin, "serve", "--role", "worker"], {
      cwd: ROOT,
      env: { ...env, PIXGATE_DATA_DIR: join(folder, "older") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    await stopsAtSigterm(child);
  });
});

test("systemd accepts the unit", {
  skip: spawnSync("systemd-analyze", ["--version"]).error ? "there is no systemd-analyze here" : false,
}, () => {
  const file = join(folder, "pixgate@api.service");
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, UNIT.replaceAll("/opt/pixgate", ROOT.replace(/\/$/, "")).replace("User=pixgate", "User=daemon"));
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
  const ours = stderr.split("\n").filter((line) => line.includes("pixgate@api.service"));
  assert.deepEqual([status, ours], [0, []], stderr);
});
