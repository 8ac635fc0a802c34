/**
 * A bank that dies, as whoever is on call sees it: two processes of the API and a worker, hardly any traffic, a real Prometheus
 * with the delivered rules. Each way of dying twice in a row: the second outage of a process is where the first one's memory
 * may blind it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import pino from "pino";
import { type RunningSimulator, startSimulator } from "../../src/sandbox/simulator.ts";
import { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import type { TestGateway } from "../harness/gateway.ts";
import { hasPrometheus, type Prometheus } from "../harness/prometheus.ts";
import { startTcpProxy, type TcpProxy } from "../harness/tcp-proxy.ts";
import { startWatchedWorld, type WatchedWorld } from "../harness/watched-world.ts";

const skip = hasPrometheus() ? false : "there is no prometheus here";
/** A charge this often at each process of the API: too few for five failures within ten seconds. */
const CHARGE_EVERY = 4_000;
/** Until the page comes. A hanging bank costs three calls of 8 seconds each, and the pauses between them. */
const PAGE_WITHIN = 90_000;
const WELL_WITHIN = 60_000;

describe("A dead bank is a page, once, each time it dies", { skip }, () => {
  let world: WatchedWorld;
  let gateway: TestGateway;
  let bank: RunningSimulator;
  let control: Client;
  let proxy: TcpProxy;
  let bankPort: number | null;
  let prometheus: Prometheus;
  let traffic: NodeJS.Timeout;
  let isBusy = true;
  let bankId: string;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-outages-"));

  before(async () => {
    world = await startWatchedWorld();
    ({ gateway, prometheus } = world);
    const log = pino({ level: "silent" });
    bank = await startSimulator({ host: "127.0.0.1", port: 0, dataDir: folder, log });
    const { url } = bank;
    bankPort = Number(new URL(url).port);
    proxy = await startTcpProxy(() => bankPort);
    const { clientId, clientSecret, pixKey, controlToken } = bank.credentials;
    control = new Client(`${url}/control`).withToken(controlToken);
    const at = `http://127.0.0.1:${proxy.port}`;
    const config = { baseUrl: `${at}/v2`, tokenUrl: `${at}/oauth/token`, controlUrl: `${url}/control`, controlToken };
    const made = await gateway.operator.post<{ id: string }>("/institutions", {
      ...{ name: "Mortal", provider: "simulator", environment: "sandbox", priority: 1 },
      config: { ...config, clientId, clientSecret, pixKey },
    });
    assert.equal(made.status, 201, made.text);
    bankId = made.body.id;
    const link = `/accounts/${gateway.sandbox.accountId}/institutions/${bankId}`;
    assert.equal((await gateway.operator.send("PUT", link, '{"enabled":true}')).status, 200);

    traffic = setInterval(() => {
      const sale = { amount: 10, description: "a sale" };
      if (isBusy) for (const merchant of world.merchants) void merchant.post("/pix", sale).catch(() => {});
    }, CHARGE_EVERY);
  });
  after(async () => {
    clearInterval(traffic);
    await world?.stop();
    await bank?.stop();
    await proxy?.close();
    await gateway?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => world.login());

  /** What each process shows of the bank. */
  const up = async () =>
    (await prometheus.query('pixgate_institution_up{name="Mortal"}')).result
      .map(({ value }) => Number(value[1]))
      .sort();
  const pages = async () =>
    (await prometheus.firing())
      .filter(({ labels }) => labels.alertname === "InstitutionDown")
      .map(({ labels }) => labels.name);
  const isWell = async () => (await up()).join() === "1,1,1" && (await pages()).length === 0;
  const health = async () =>
    (await gateway.operator.get<{ id: string; health: string }>(`/institutions/${bankId}`)).body.health;

  const fault = (kind: string) => async () => {
    const faults = { seed: 1, rules: [{ route: "*", kind, probability: 1 }] };
    assert.equal((await control.patch("/behaviour", { faults })).status, 200);
  };
  const mended = async () => assert.ok((await control.send("DELETE", "/behaviour", undefined)).status < 300);
  const livePort = () => Number(new URL(bank.url).port);
  const closed = async () => {
    bankPort = null;
    proxy.cut();
  };
  const opened = async () => {
    bankPort = livePort();
  };
  const ways = [
    ["refuses every connection", true, closed, opened],
    ["refuses every connection, on a night without a charge", false, closed, opened],
    ["takes every call and never answers", true, fault("timeoutBefore"), mended],
    ["answers every call with an error of its own", true, fault("error5xxBefore"), mended],
  ] as const;
  for (const [what, busy, dies, lives] of ways) {
    test(`one that ${what}`, { timeout: 600_000 }, async (t) => {
      isBusy = busy;
      await eventually("every process to hold it for well", isWell, WELL_WITHIN);
      for (const time of ["the first time", "the second time"]) {
        let began = Date.now();
        await dies();
        await eventually(`the page, ${time}`, async () => (await pages()).length > 0, PAGE_WITHIN);
        t.diagnostic(`${time}: a page after ${Math.round((Date.now() - began) / 1000)} s`);
        assert.deepEqual(await pages(), ["Mortal"], "one page, whatever the number of processes");
        assert.deepEqual(await up(), [0, 0, 0]);
        assert.equal(await health(), "down");
        began = Date.now();
        await lives();
        await eventually(`the page to end, ${time}`, isWell, WELL_WITHIN);
        t.diagnostic(`${time}: well again after ${Math.round((Date.now() - began) / 1000)} s`);
        const ages = await prometheus.query('time() - pixgate_institution_last_success_seconds{name="Mortal"}');
        assert.equal(ages.result.length, 3);
        for (const { value } of ages.result) assert.ok(Number(value[1]) < 30, value[1]);
      }
    });
  }
});
