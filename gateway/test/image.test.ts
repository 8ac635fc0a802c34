/** Dockerfile and compose.yaml, read as data: what they promise operators, without a Docker to run them. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { readConfig } from "../src/config.ts";
import { GATEWAY_ROLE } from "../src/db/rights.ts";
import { productionProblems } from "../src/production.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

type Service = {
  user?: string;
  read_only: boolean;
  cap_drop: string[];
  security_opt: string[];
  environment: Record<string, string>;
  ports?: string[];
  volumes: string[];
  network_mode?: string;
};
type Compose = { services: Record<"gateway" | "migrate" | "postgres", Service> };

const dockerfile = read("Dockerfile")
  .replace(/\\\n/g, " ")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

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

test("the composed gateway is what production takes, and both containers have no more rights than they need", () => {
  const { gateway, migrate, postgres } = (parse(read("compose.yaml")) as Compose).services;
  const given: Record<string, string> = {
    PIXGATE_SECRET_KEY: randomBytes(32).toString("base64"),
    PIXGATE_DATABASE_PASSWORD: "of the owner",
    PIXGATE_GATEWAY_PASSWORD: randomBytes(32).toString("hex"),
    PIXGATE_PUBLIC_URL: "https://pix.example.com",
  };
  const env = Object.fromEntries(
    Object.entries(gateway.environment).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+)(?::[?-][^}]*)?\}/g, (_, variable: string) => given[variable] ?? ""),
    ]),
  );
  assert.deepEqual(productionProblems(readConfig(env)), []);
  // The owner's password is nowhere near the gateway.
  assert.equal(JSON.stringify(env).includes("of the owner"), false);
  assert.match(env.DATABASE_URL!, new RegExp(`user=${GATEWAY_ROLE}&password=${given.PIXGATE_GATEWAY_PASSWORD}`));
  for (const service of [gateway, migrate, postgres]) {
    assert.deepEqual([service.read_only, service.cap_drop], [true, ["ALL"]]);
    assert.ok(service.security_opt.includes("no-new-privileges:true"));
  }
  // Nobody comes in but by the proxy of the machine, and to PostgreSQL nobody but by the socket.
  assert.ok(gateway.ports!.every((port) => port.startsWith("127.0.0.1:")));
  assert.deepEqual([postgres.ports, postgres.network_mode, postgres.user], [undefined, "none", "postgres"]);
});
