/** The proxies' files of deploy/proxies, nginx's run as it stands where the machine has one. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { CERT, KEY } from "../harness/certificate.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const SECRET = "change-me-32-visible-characters-or-more";
const hasNginx = spawnSync("nginx", ["-v"]).error === undefined;

test("every proxy's file keeps the operators' API inside, and sends what the gateway believes a proxy by", () => {
  for (const name of ["nginx.conf", "Caddyfile", "traefik.yaml"]) {
    const file = read(`deploy/proxies/${name}`);
    for (const said of ["X-Pixgate-Proxy", SECRET, "Client-Cert", "127.0.0.1:8080", "127.0.0.1:8082", "10.0.0.0/8"])
      assert.ok(file.includes(said), `${name}: ${said}`);
    assert.ok(read("docs/operating.md").includes(`deploy/proxies/${name}`), name);
  }
});

describe("deploy/proxies/nginx.conf", {
  skip: hasNginx ? false : "there is no nginx here (apt-get install nginx)",
}, () => {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-nginx-"));
  let gateway: TestGateway;
  let nginx: ChildProcess;
  let port: number;

  before(async () => {
    gateway = await startGateway({ PIXGATE_TRUSTED_PROXIES: "127.0.0.1", PIXGATE_PROXY_SECRET: SECRET });
    port = await freePort();
    const [running, down] = [new URL(gateway.running.url).port, await freePort()];
    writeFileSync(join(folder, "cert.pem"), CERT);
    writeFileSync(join(folder, "key.pem"), KEY);
    // Of the file only addresses and paths are others. The second process is down.
    const server = read("deploy/proxies/nginx.conf")
      .replace("127.0.0.1:8080", `127.0.0.1:${down}`)
      .replace("127.0.0.1:8082", `127.0.0.1:${running}`)
      .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
      .replace("/etc/ssl/pixgate/pix.example.com.pem", join(folder, "cert.pem"))
      .replace("/etc/ssl/pixgate/pix.example.com.key", join(folder, "key.pem"))
      .replaceAll("allow 127.0.0.1;", "");
    writeFileSync(join(folder, "pixgate.conf"), server);
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1; events {}
      http { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
        uwsgi_temp_path ${folder}; scgi_temp_path ${folder}; include ${folder}/pixgate.conf; }`,
    );
    nginx = spawn("nginx", ["-c", join(folder, "nginx.conf")], { stdio: "ignore" });
    await eventually("nginx to answer", async () => (await call("/v2/account").catch(() => null)) !== null);
  });
  after(async () => {
    if (nginx.kill("SIGTERM")) await once(nginx, "exit");
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(path: string, options: { headers?: Record<string, string>; body?: object } = {}) {
    const { headers = {}, body } = options;
    const sent = request({
      ...{ host: "127.0.0.1", port, path, rejectUnauthorized: false, agent: false },
      method: body === undefined ? "GET" : "POST",
      headers: { host: "pix.example.com", ...headers, ...(body && { "content-type": "application/json" }) },
    });
    sent.end(body && JSON.stringify(body));
    const [answer] = await once(sent, "response");
    return { status: answer.statusCode as number, text: await text(answer) };
  }

  test("never answers 502 while one of two processes is down, not to a POST either", async () => {
    const { clientId, clientSecret } = gateway.sandbox;
    for (let i = 0; i < 30; i += 1) {
      const login = await call("/v2/auth", { body: { client_id: clientId, client_secret: clientSecret } });
      assert.equal(login.status, 200, login.text);
    }
  });

  test("shows the gateway the caller's own address, whatever headers the caller sends", async () => {
    for (const [allowed, code] of [
      ["127.0.0.1", 400],
      ["198.51.100.7", 403],
    ] as const) {
      const { accountId } = gateway.sandbox;
      const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
        `/accounts/${accountId}/credentials`,
        { name: `from ${allowed}`, permissions: ["FULL_ACCESS"], allowedIps: [allowed] },
      );
      const { clientId: client_id, clientSecret: client_secret } = made.body;
      const headers = { "x-forwarded-for": "198.51.100.7", "x-pixgate-proxy": "guessed" };
      const login = await call("/v2/auth", { headers, body: { client_id, client_secret } });
      const { access_token: bearer } = JSON.parse(login.text) as { access_token: string };
      const asked = { headers: { ...headers, authorization: `Bearer ${bearer}` }, body: { nonsense: 1 } };
      const withdrawal = await call("/v2/withdrawals", asked);
      assert.equal(withdrawal.status, code, withdrawal.text);
    }
  });

  test("keeps inside what the page keeps inside, and serves what integrators need", async () => {
    for (const path of ["/metrics", "/healthz", "/readyz", "/"]) assert.equal((await call(path)).status, 404, path);
    assert.equal((await call("/operator/v1/accounts")).status, 403);
    for (const path of ["/docs", "/openapi.json"]) assert.equal((await call(path)).status, 200, path);
    // Larger than nginx keeps in memory, and read whole: where the gateway refuses unread, the connection may end before nginx has sent it.
    const headers = { authorization: `Bearer ${gateway.merchant.token}` };
    const large = await call("/v2/pix", { headers, body: { description: "x".repeat(200_000) } });
    assert.equal(large.status, 400, "the gateway answers, not nginx");
    assert.match(large.text, /VALIDATION_ERROR/);
  });
});
