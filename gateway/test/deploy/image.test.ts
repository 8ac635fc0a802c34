/** Dockerfile and compose.yaml, read as data: what they promise operators, without a Docker to run them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { GATEWAY_ROLE } from "../../src/db/rights.ts";
import { productionProblems } from "../../src/program/installation/production.ts";
import { readConfig } from "../../src/settings/config.ts";

const root = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

type Service = {
  user?: string;
  read_only: boolean;
  cap_drop: string[];
  security_opt: string[];
  image?: string;
  environment: Record<string, string>;
  ports?: string[];
  volumes: string[];
  network_mode?: string;
  ulimits: { core: number };
  pids_limit: number;
  logging: { options: Record<string, string> };
  entrypoint?: string[];
};
type Name = "api-a" | "api-b" | "worker" | "migrate" | "postgres" | "backup" | "restore" | "verify-restored";
type Compose = { services: Record<Name, Service>; configs: { owner: { content: string } } };

const dockerfile = read("Dockerfile")
  .replace(/\\\n/g, " ")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

test("both images take the same of Debian: neither file can include the other's stage", () => {
  const stageOf = (path: string) => /^FROM \$\{NODE\} AS runtime$.*?(?=^FROM )/ms.exec(read(path))?.[0];
  const stage = stageOf("Dockerfile");
  assert.match(stage ?? "", /ldd/);
  assert.equal(stageOf("deploy/package/Dockerfile"), stage);
});

test("the image copies only what is there and what .dockerignore lets through, and runs as nobody's root", () => {
  const letThrough = read(".dockerignore")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));
  const copied = dockerfile
    .filter((line) => /^COPY (?!--from)/.test(line))
    .flatMap((line) => line.split(/\s+/).slice(1, -1));
  assert.ok(copied.length >= 6);
  for (const path of copied) {
    assert.ok(existsSync(new URL(path, root)), `${path} is there`);
    assert.ok(letThrough.includes(path), `${path} is let through`);
  }
  const last = dockerfile.slice(dockerfile.findLastIndex((line) => line.startsWith("FROM")));
  // No shell and no package manager: only what the stages before it hand over.
  assert.equal(last[0], "FROM scratch");
  assert.deepEqual(
    last.filter((line) => line.startsWith("RUN")),
    [],
  );
  assert.ok(last.includes("USER 1000:1000"));
  assert.ok(last.some((line) => line.startsWith("HEALTHCHECK")));
  const env = last.find((line) => line.startsWith("ENV"))!;
  assert.match(env, /PIXGATE_ENV=production/);
  // The port is named, so a container that only works answers the health check too.
  const named = Object.fromEntries(
    env
      .split(/\s+/)
      .slice(1)
      .map((pair) => pair.split("=")),
  );
  assert.equal(readConfig({ ...named, PIXGATE_ROLE: "worker" }).workerPort, 8080);
  // The package's own command, with the flags that `npm start` gives it.
  const bin = Object.values((JSON.parse(read("gateway/package.json")) as { bin: Record<string, string> }).bin)[0];
  const { start } = (JSON.parse(read("package.json")) as { scripts: { start: string } }).scripts;
  const entry = last.find((line) => line.startsWith("ENTRYPOINT"))!.slice("ENTRYPOINT".length);
  assert.deepEqual(["exec", ...(JSON.parse(entry) as string[]), "serve"], start.split(" "));
  assert.ok(start.endsWith(` gateway/${bin} serve`));
});

test("systemd keeps no core of the gateway, which would hold the master key, and takes from it what it does not need", () => {
  const unit = read("deploy/systemd/pixgate@.service");
  assert.match(unit, /^LimitCORE=0$/m);
  // Each was tried under systemd: `systemd-analyze security` says 1.1.
  for (const line of [
    ...[
      "NoNewPrivileges=yes",
      "ProtectSystem=strict",
      "ProtectProc=invisible",
      "PrivateDevices=yes",
      "PrivateUsers=yes",
    ],
    ...["CapabilityBoundingSet=", "SystemCallFilter=@system-service", "SystemCallFilter=~@privileged @resources"],
    ...["SystemCallErrorNumber=EPERM", "RestrictNamespaces=yes"],
  ])
    assert.ok(unit.split("\n").includes(line), line);
});

test("deploy/pin-images.sh writes the digests that compose.yaml takes, and changes nothing where there is none", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-pin-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [env, digest] = [join(folder, ".env"), `sha256:${"0a".repeat(32)}`];
  // The registry's answer, as docker prints it.
  const pin = (answer: string) => {
    writeFileSync(
      join(folder, "docker"),
      `#!/bin/sh\n[ "$1 $2 $3" = "buildx imagetools inspect" ] && echo "${answer}"\n`,
      {
        mode: 0o755,
      },
    );
    const script = fileURLToPath(new URL("deploy/pin-images.sh", root));
    return spawnSync("sh", [script, env], { env: { PATH: `${folder}:${process.env.PATH}` }, encoding: "utf8" });
  };
  const before = "PIXGATE_SECRET_KEY=kept\nPIXGATE_NODE_IMAGE=node:old\n";
  writeFileSync(env, before);
  const refused = pin("no such image");
  assert.deepEqual([refused.status, readFileSync(env, "utf8")], [1, before]);
  assert.match(refused.stderr, /^pin-images: the registry reports no digest of postgres:18-bookworm/);
  for (const ran of [pin(digest), pin(digest)]) assert.equal(ran.status, 0, ran.stderr);
  const pinned = `PIXGATE_POSTGRES_IMAGE=postgres:18-bookworm@${digest}\nPIXGATE_NODE_IMAGE=node:24-bookworm-slim@${digest}\n`;
  assert.equal(readFileSync(env, "utf8"), `PIXGATE_SECRET_KEY=kept\n${pinned}`);
  assert.equal(statSync(env).mode & 0o077, 0);
  const text = read("compose.yaml");
  for (const line of pinned.trim().split("\n")) {
    const [name, image] = line.split("=") as [string, string];
    assert.ok(text.includes(`\${${name}:-${image.split("@")[0]}}`), `compose.yaml takes ${name}`);
  }
  assert.match(text, /TRACES: \$\{PIXGATE_IMAGE_TRACES:-\}/);
  assert.ok(
    dockerfile.some((line) =>
      /^RUN npm ci --workspace gateway \$\{TRACES:\+--workspace @pixgate\/traces\} /.test(line),
    ),
  );
});

test("the composed gateway is what production takes, and no container has more rights than it needs", () => {
  const { services, configs } = parse(read("compose.yaml"), { merge: true }) as Compose;
  const { postgres } = services;
  const given: Record<string, string> = {
    PIXGATE_SECRET_KEY: randomBytes(32).toString("base64"),
    PIXGATE_DATABASE_PASSWORD: "of the owner",
    PIXGATE_SUPERUSER_PASSWORD: "of the superuser",
    PIXGATE_PROXY_SECRET: randomBytes(32).toString("hex"),
    PIXGATE_GATEWAY_PASSWORD: randomBytes(32).toString("hex"),
    PIXGATE_PUBLIC_URL: "https://pix.example.com",
  };
  for (const name of ["api-a", "api-b", "worker", "backup"] as const) {
    const env = Object.fromEntries(
      Object.entries(services[name].environment).map(([key, value]) => [
        key,
        value.replace(/\$\{(\w+)(?::[?-][^}]*)?\}/g, (_, variable: string) => given[variable] ?? ""),
      ]),
    );
    if (name !== "backup") assert.deepEqual(productionProblems(readConfig(env)), [], name);
    if (name !== "backup") assert.equal(readConfig(env).proxySecret, given.PIXGATE_PROXY_SECRET);
    if (name !== "backup") assert.equal(env.PIXGATE_ROLE, name === "worker" ? "worker" : "api");
    // The owner's password is nowhere near the gateway.
    assert.equal(JSON.stringify(env).includes("of the owner"), false);
    assert.match(env.DATABASE_URL!, new RegExp(`user=${GATEWAY_ROLE}&password=${given.PIXGATE_GATEWAY_PASSWORD}`));
  }
  for (const [name, service] of Object.entries(services)) {
    assert.deepEqual([service.read_only, service.cap_drop], [true, ["ALL"]], name);
    assert.ok(service.security_opt.includes("no-new-privileges:true"), name);
    assert.deepEqual([service.ulimits, service.pids_limit], [{ core: 0 }, 256], name);
    assert.ok(service.logging.options["max-size"] && service.logging.options["max-file"], `${name}'s log is rotated`);
  }
  // Only PostgreSQL's own container has the superuser's password, for its first start.
  const superuser = postgres.environment.POSTGRES_USER!;
  for (const [name, { environment, image }] of Object.entries(services)) {
    const text = JSON.stringify(environment ?? {});
    assert.equal(text.includes("PIXGATE_SUPERUSER_PASSWORD"), name === "postgres", name);
    assert.equal(text.includes(`user=${superuser}&`) || environment?.PGUSER === superuser, false, name);
    if (image!.includes("postgres:")) assert.match(image!, /^\$\{PIXGATE_POSTGRES_IMAGE:-/, name);
  }
  assert.match(configs.owner.content, /create role pixgate login createdb createrole password/);
  assert.doesNotMatch(configs.owner.content, /superuser/);
  // Nobody comes in but by the proxy of the machine, each process by a port of its own, and to PostgreSQL nobody but by the socket.
  const ports = [...services["api-a"].ports!, ...services["api-b"].ports!];
  assert.ok(ports.every((port) => port.startsWith("127.0.0.1:")));
  assert.equal(new Set(ports).size, 2);
  assert.equal(services.worker.ports, undefined);
  assert.deepEqual([postgres.ports, postgres.network_mode, postgres.user], [undefined, "none", "postgres"]);
});
