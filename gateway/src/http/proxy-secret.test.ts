import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify from "fastify";
import { ConfigError } from "../lib/config-error.ts";
import { readConfig } from "../settings/config.ts";
import { clientAddress, clientCertificate } from "./ip.ts";
import { dropUnprovenHops } from "./proxy-secret.ts";

const SECRET = "s".repeat(32);
const trusted = readConfig({ PIXGATE_TRUSTED_PROXIES: "127.0.0.1" }).trustedProxies;

async function seenFrom(secret: string | null, headers: Record<string, string>) {
  const app = Fastify();
  dropUnprovenHops(app, secret);
  app.get("/", async (request) => ({
    address: clientAddress(request, trusted),
    certificate: clientCertificate(request, trusted),
    names: Object.keys(request.headers),
  }));
  const reply = await app.inject({ url: "/", headers: { "x-forwarded-for": "192.0.2.7", ...headers } });
  await app.close();
  return reply.json<{ address: string; names: string[] }>();
}

test("a process of the proxy's machine is believed nothing of other addresses without the proxy's secret", async () => {
  assert.equal((await seenFrom(null, {})).address, "192.0.2.7");
  const proven = await seenFrom(SECRET, { "x-pixgate-proxy": SECRET });
  assert.equal(proven.address, "192.0.2.7");
  assert.equal(proven.names.includes("x-pixgate-proxy"), false, "it is in no log");
  for (const headers of [{}, { "x-pixgate-proxy": "" }, { "x-pixgate-proxy": `${SECRET}s` }]) {
    const { address, names } = await seenFrom(SECRET, { "client-cert": ":AAAA:", ...headers });
    assert.equal(address, "127.0.0.1");
    assert.deepEqual(
      names.filter((name) => ["x-forwarded-for", "client-cert", "x-pixgate-proxy"].includes(name)),
      [],
    );
  }
});

test("a proxy's secret that could be guessed is refused", () => {
  assert.equal(readConfig({ PIXGATE_PROXY_SECRET: SECRET }).proxySecret, SECRET);
  for (const value of ["short", `${SECRET} `, `${SECRET}\n`]) {
    assert.throws(() => readConfig({ PIXGATE_PROXY_SECRET: value }), ConfigError);
  }
});
