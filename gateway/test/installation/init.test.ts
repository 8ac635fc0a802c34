/** `pixgate init`: what it writes is an installation with keys of its own, and never over what is there. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const BIN = join(root, "gateway/bin/pixgate.mjs");
const COMPOSE = ["compose", "--public-url", "https://pix.example.com"];
const HELM = ["helm", "--public-url", "https://pix.example.com/", "--database-url"];
const OWNER = "postgresql://pixgate:a%2Fb@db.internal:5433/pixgate?sslmode=verify-full";

describe("pixgate init", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "pixgate-init-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const init = (name: string, args: readonly string[]) =>
    spawnSync(process.execPath, [BIN, "init", ...args, "--folder", join(folder, name)], {
      env: { PATH: process.env.PATH },
      encoding: "utf8",
    });
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const settings = (name: string): Record<string, string> =>
    Object.fromEntries(
      read(name)
        .trim()
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
  const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;

  test("compose: every setting that compose.yaml asks for, made anew each time, for its owner's eyes alone", () => {
    const done = init("a", COMPOSE);
    assert.deepEqual([done.status, done.stderr], [0, ""]);
    assert.deepEqual(readdirSync(join(folder, "a")).sort(), [".dockerignore", ".env", "Dockerfile", "compose.yaml"]);
    const env = settings("a/.env");
    assert.equal(modeOf("a/.env"), 0o600);
    const needed = [...read("a/compose.yaml").matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name!);
    assert.ok(needed.length >= 4);
    assert.deepEqual(
      [...new Set(needed), "PIXGATE_GATEWAY_PASSWORD"].filter((name) => (env[name] ?? "") === ""),
      [],
    );
    assert.equal(env.PIXGATE_PUBLIC_URL, "https://pix.example.com");
    assert.equal(Buffer.from(env.PIXGATE_SECRET_KEY!, "base64").length, 32);
    assert.equal(init("b", COMPOSE).status, 0);
    const again = settings("b/.env");
    for (const name of Object.keys(env).filter((name) => /KEY|PASSWORD|SECRET/.test(name)))
      assert.notEqual(again[name], env[name], name);
    assert.ok(!done.stdout.includes(env.PIXGATE_SECRET_KEY!));
  });

  test("compose: the image is this version's npm package, run as the repository's image runs", () => {
    const { version } = JSON.parse(readFileSync(join(root, "gateway/package.json"), "utf8")) as { version: string };
    assert.match(read("a/Dockerfile"), new RegExp(`pixgate@${version.replaceAll(".", "\\.")} `));
    assert.equal(settings("a/.env").PIXGATE_VERSION, version);
    const runs = (text: string) =>
      text
        .split("\n")
        .filter((line) =>
          /^(ENTRYPOINT|CMD|USER|EXPOSE|STOPSIGNAL|VOLUME|HEALTHCHECK|ENV| {4}PIXGATE_|RUN mkdir)/.test(line),
        )
        .map((line) => line.replace("node_modules/pixgate/", ""))
        .sort();
    assert.deepEqual(runs(read("a/Dockerfile")), runs(readFileSync(join(root, "Dockerfile"), "utf8")));
  });

  test("helm: the chart, its values, and the two secrets that it names, which know each other's password", () => {
    const done = init("c", [...HELM, OWNER]);
    assert.deepEqual([done.status, done.stderr], [0, ""]);
    const values = parse(read("c/values.yaml")) as { publicUrl: string; ingress: { host: string } };
    assert.deepEqual([values.publicUrl, values.ingress.host], ["https://pix.example.com", "pix.example.com"]);
    const known = parse(read("c/chart/values.yaml")) as object;
    assert.deepEqual(
      Object.keys(values).filter((name) => !(name in known)),
      [],
    );
    const [gateway, owner] = [settings("c/pixgate.env"), settings("c/pixgate-migrate.env")];
    assert.deepEqual([modeOf("c/pixgate.env"), modeOf("c/pixgate-migrate.env")], [0o600, 0o600]);
    assert.equal(owner.DATABASE_URL, OWNER);
    const works = new URL(gateway.DATABASE_URL!);
    assert.deepEqual([works.username, works.password], ["pixgate_gateway", owner.PIXGATE_GATEWAY_PASSWORD]);
    assert.equal(works.href.replace(/\/\/.*@/, "//"), OWNER.replace(/\/\/.*@/, "//"));
    assert.equal(gateway.PIXGATE_SECRET_KEY!.length, 44);
  });

  test("writes nothing over a file, and nothing beside it", () => {
    const kept = read("a/.env");
    const refused = init("a", COMPOSE);
    assert.equal(refused.status, 1);
    assert.match(
      refused.stderr,
      /^pixgate: compose\.yaml, Dockerfile, .dockerignore, \.env exists? already: nothing was written\n$/,
    );
    assert.equal(read("a/.env"), kept);
    rmSync(join(folder, "b/.env"));
    writeFileSync(join(folder, "b/compose.yaml"), "mine\n");
    assert.equal(init("b", COMPOSE).status, 1);
    assert.deepEqual([read("b/compose.yaml"), readdirSync(join(folder, "b")).includes(".env")], ["mine\n", false]);
  });

  test("refuses an address that is none, in one line, and writes nothing", () => {
    const wrong: readonly (readonly string[])[] = [
      ["compose", "--public-url", "http://pix.example.com"],
      ["compose", "--public-url", "https://pix.example.com/pix"],
      ["compose", "--public-url", "pix.example.com"],
      ["compose"],
      ["swarm", "--public-url", "https://pix.example.com"],
      ["helm", "--public-url", "https://pix.example.com"],
      [...HELM, "mysql://pixgate:x@db/pixgate"],
      [...HELM, "postgresql:///pixgate?host=/var/run/postgresql"],
    ];
    for (const args of wrong) {
      const { status, stdout, stderr } = init("d", args);
      assert.equal(status === 0, false, args.join(" "));
      assert.equal(stdout, "");
      assert.doesNotMatch(stderr, /\n\s+at /);
    }
    assert.ok(!readdirSync(folder).includes("d"));
  });
});
