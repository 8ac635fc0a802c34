/** `pixgate init`: what it writes is an installation with keys of its own, and never over what is there. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parse } from "yaml";
import { initInstallation } from "../../src/program/installation/init.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const BIN = join(root, "gateway/bin/pixgate.mjs");
const COMPOSE = ["compose", "--public-url", "https://pix.example.com"];
const HELM = ["helm", "--public-url", "https://pix.example.com/", "--database-url"];
const PUBLIC = "https://pix.example.com";
const OWNER = "postgresql://pixgate:a%2Fb@db.internal:5433/pixgate?sslmode=verify-full";

describe("pixgate init", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "pixgate-init-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const init = (name: string, args: readonly string[], bin = BIN) =>
    spawnSync(process.execPath, [bin, "init", ...args, "--folder", join(folder, name)], {
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
    assert.match(read("a/Dockerfile"), new RegExp(`pixgate@${version.replaceAll(".", "\\.")}$`, "m"));
    assert.equal(settings("a/.env").PIXGATE_VERSION, version);
    // Settings of the repository's image alone.
    assert.doesNotMatch(read("a/compose.yaml"), /TRACES|pin-images|[Rr]epository/);
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

  test("helm: the image that the values name is built from the Dockerfile beside them, and the ingress has its Secret", () => {
    const { stdout } = init("named", [...HELM, OWNER]);
    assert.equal(read("named/Dockerfile"), read("a/Dockerfile"));
    assert.equal(read("named/.dockerignore"), "*\n");
    const { image } = parse(read("named/values.yaml")) as { image: { repository: string; tag: string } };
    assert.ok(stdout.includes(`docker build --tag ${image.repository}:${image.tag} .\n`), stdout);
    assert.ok(stdout.includes(`docker push ${image.repository}:${image.tag}\n`), stdout);
    // A name without a host would be pulled from Docker's own registry.
    assert.match(image.repository, /^registry\.example\.com\//);
    const { ingress } = parse(read("named/chart/values.yaml")) as { ingress: { tlsSecret: string } };
    assert.ok(stdout.includes(`kubectl create secret tls ${ingress.tlsSecret} `), stdout);
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

  test("writes nothing where a link leads nowhere, or where a file is in the way of a folder", () => {
    const isRefused = (name: string, kind: "compose" | "helm", why: RegExp) => {
      const kept = readdirSync(folder, { recursive: true }).sort();
      assert.throws(
        () => initInstallation({ kind, publicUrl: PUBLIC, databaseUrl: OWNER, folder: join(folder, name) }),
        ({ name, message }: Error) =>
          name === "ConfigError" && why.test(message) && /^.+: nothing was written$/.test(message),
      );
      assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), kept);
    };
    for (const name of ["e", "f", "g"]) mkdirSync(join(folder, name));
    symlinkSync("/nowhere/else", join(folder, "e/.env"));
    isRefused("e", "compose", /\.env exists already/);
    writeFileSync(join(folder, "f/chart"), "");
    isRefused("f", "helm", /f\/chart/);
    symlinkSync("/nowhere/else", join(folder, "g/chart"));
    isRefused("g", "helm", /g\/chart/);
    isRefused("f/chart", "compose", /f\/chart/);
    isRefused("f/chart/below", "compose", /f\/chart\/below/);
  });

  test("from the repository's image, which has none of these files: says so, and writes nothing", async (t) => {
    const image = mkdtempSync(join(tmpdir(), "pixgate-image-"));
    t.after(() => rmSync(image, { recursive: true, force: true }));
    const copied = readFileSync(join(root, "Dockerfile"), "utf8")
      .split(/^FROM /m)
      .at(-1)!;
    for (const [, names] of copied.matchAll(/^COPY (?!--from)(.+) \S+$/gm))
      for (const name of names!.split(" ")) {
        mkdirSync(dirname(join(image, name)), { recursive: true });
        cpSync(join(root, name), join(image, name), { recursive: true });
      }
    symlinkSync(join(root, "node_modules"), join(image, "node_modules"));
    const itsInit: { initInstallation: typeof initInstallation } = await import(
      pathToFileURL(join(image, "gateway/src/program/installation/init.ts")).href
    );
    for (const kind of ["compose", "helm"] as const)
      assert.throws(
        () => itsInit.initInstallation({ kind, publicUrl: PUBLIC, databaseUrl: OWNER, folder: join(folder, "h") }),
        {
          name: "ConfigError",
          message: /^this installation has no [\w./]+, .*npx pixgate init: nothing was written$/,
        },
      );
    assert.ok(!readdirSync(folder).includes("h"));
  });

  test("refuses an address that is none, in one line, and writes nothing", () => {
    const wrong: readonly (readonly string[])[] = [
      ["compose"],
      ["swarm", "--public-url", PUBLIC],
      ["helm", "--public-url", PUBLIC],
      // Where the query would win over the address, so that the gateway worked as the owner of its tables.
      [...HELM, `${OWNER}&user=pixgate&password=owner`],
    ];
    for (const args of wrong) {
      const { status, stdout, stderr } = init("d", args);
      assert.equal(status === 0, false, args.join(" "));
      assert.equal(stdout, "");
      assert.doesNotMatch(stderr, /\n\s+at |=owner/);
    }
    const isRefused = (publicUrl: string, databaseUrl: string) =>
      assert.throws(
        () => initInstallation({ kind: "helm", publicUrl, databaseUrl, folder: join(folder, "d") }),
        ({ name, message }: Error) => name === "ConfigError" && !/\n|=owner|:owner/.test(message),
        `${publicUrl} ${databaseUrl}`,
      );
    for (const url of ["http://pix.example.com", "https://pix.example.com/pix", "pix.example.com"])
      isRefused(url, OWNER);
    for (const host of ["a$b.example.com", "a,b.example.com", "a;b.example.com", "{a}.example.com", "[::1]"])
      isRefused(`https://${host}`, OWNER);
    for (const address of [
      "mysql://pixgate:x@db/pixgate",
      "postgresql:///pixgate?host=/var/run/postgresql",
      "postgresql://db.internal/pixgate?user=pixgate&password=owner",
      "postgresql://db.internal/pixgate",
      "postgresql://:owner@db.internal/pixgate",
      "postgresql://pixgate_gateway:owner@db.internal/pixgate",
    ])
      isRefused(PUBLIC, address);
    for (const query of [
      "user=x",
      "password=owner",
      "host=x",
      "port=1",
      "dbname=x",
      "options=-c%20role%3Dx",
      "%75ser=x",
    ])
      isRefused(PUBLIC, `${OWNER}&${query}`);
    assert.ok(!readdirSync(folder).includes("d"));
  });
});
