/**
 * Alerts fire by real faults: a real Prometheus reads a running gateway with the rules that are delivered, whose thresholds and
 * windows stay and whose `for` is a second; then it runs every query of the dashboard.
 */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { sql } from "../src/db/sql.ts";
import { makeCertificates } from "./harness/certificates.ts";
import { Client } from "./harness/client.ts";
import { eventually } from "./harness/eventually.ts";
import { freePort } from "./harness/free-port.ts";
import { startGateway, type TestGateway } from "./harness/gateway.ts";
import { type GatewayProcess, startProcess } from "./harness/process.ts";
import { hasPrometheus, OBSERVABILITY, type Prometheus, startPrometheus } from "./harness/prometheus.ts";

const certificates = makeCertificates();
const missing = hasPrometheus() ? certificates === null && "openssl" : "prometheus";
const skip = missing ? `there is no ${missing} here` : false;
const WAIT = 60_000;
/** Of webhooks: as many as a wallet may have. */
const ENDPOINTS = 20;
const AT_ONCE = 25;

describe("A real Prometheus that reads a real gateway", { skip }, () => {
  let gateway: TestGateway;
  let prometheus: Prometheus;
  /** Where another process of the API answers, once it is started. */
  let apiPort: number;
  let api: GatewayProcess | null = null;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-prometheus-"));
  before(async () => {
    gateway = await startGateway();
    apiPort = await freePort();
    const targets = [new URL(gateway.running.url).host, `127.0.0.1:${await freePort()}`, `127.0.0.1:${apiPort}`];
    prometheus = await startPrometheus(targets);
  });
  after(async () => {
    await api?.stop();
    prometheus?.stop();
    certificates?.remove();
    rmSync(folder, { recursive: true, force: true });
    await gateway?.stop().catch((error: unknown) => assert.match((error as Error).message, /errors were logged/));
    // The auditor logs each finding, and each account that it freezes, as an error; nothing else may be one.
    for (const error of gateway?.takeErrors() ?? [])
      assert.match(error, /the books are broken|withdrawals of an account are frozen/);
  });

  const firing = async () => (await prometheus.firing()).map(({ labels }) => labels.alertname!);
  const fires = (alert: string) => prometheus.fires(alert);

  test("fires ProcessDown where no process answers, and nothing else of a gateway without a fault", async () => {
    await fires("ProcessDown");
    assert.deepEqual([...new Set(await firing())], ["ProcessDown"]);
  });

  test("fires CommitsSlow where something locks the accounts for seconds", async () => {
    const { accountId } = gateway.sandbox;
    const isSlow = async () => {
      const moved = await gateway.owner.transaction(async (tx) => {
        await tx.query(sql`lock table accounts in exclusive mode`);
        const body = { amount: 1, balance: "available", reason: "while it is locked" };
        const adjusted = gateway.operator.post(`/accounts/${accountId}/adjustments`, body);
        await tx.query(sql`select pg_sleep(6)`);
        return [adjusted];
      });
      assert.equal((await moved[0]!).status, 201);
      return (await firing()).includes("CommitsSlow");
    };
    await eventually("CommitsSlow to fire", isSlow, 3 * WAIT);
  });

  test("fires MoneyUnmatched for a Pix without a charge", async () => {
    const receipt = { amountCentavos: 999, txid: `foreign${"2".repeat(21)}` };
    assert.equal((await gateway.simulator.post("/pix", receipt)).status, 200);
    await fires("MoneyUnmatched");
  });

  test("fires CertificateEnds, DayDisagrees and InstitutionDown for a bank that is away", async () => {
    const dead = `http://127.0.0.1:${await freePort()}`;
    const config = {
      ...{ baseUrl: `${dead}/v2`, tokenUrl: `${dead}/oauth/token`, controlUrl: dead, controlToken: "none" },
      ...{ clientId: "none", clientSecret: "none", pixKey: "away@pixgate.test" },
      certificate: certificates!.read("client.pem").toString(),
      privateKey: certificates!.read("client.key").toString(),
    };
    const body = { name: "Away", provider: "simulator", environment: "sandbox", priority: 100, config };
    const made = await gateway.operator.post("/institutions", body);
    assert.equal(made.status, 201, made.text);
    await fires("CertificateEnds");
    const day = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
    assert.equal((await gateway.operator.post(`/reconciliation/${day}`)).status, 200);
    await fires("DayDisagrees");
    await eventually("InstitutionDown to fire", async () => (await firing()).includes("InstitutionDown"), 180_000);
  });

  test("fires ErrorsAnswered for an account whose only bank is away", async () => {
    const { items } = (await gateway.operator.get<{ items: { id: string; name: string }[] }>("/institutions")).body;
    const away = items.find(({ name }) => name === "Away")!;
    const account = (await gateway.operator.post<{ id: string }>("/accounts", { name: "Alone" })).body.id;
    for (const { id } of items) {
      const link = `/accounts/${account}/institutions/${id}`;
      const linked = await gateway.operator.send("PUT", link, JSON.stringify({ enabled: id === away.id }));
      assert.equal(linked.status, 200, linked.text);
    }
    const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${account}/credentials`,
      { name: "shop", permissions: ["PIX:WRITE"] },
    );
    assert.equal(made.status, 201, made.text);
    const { clientId, clientSecret } = made.body;
    const merchant = await new Client(gateway.sandbox.baseUrl).login(clientId, clientSecret);
    const fired = async () => {
      assert.equal((await merchant.post("/pix", { amount: 50, description: "a sale" })).status, 500);
      return (await firing()).includes("ErrorsAnswered");
    };
    await eventually("ErrorsAnswered to fire", fired, WAIT);
  });

  test("fires BankBalanceDiffers for money at a bank that nobody recorded", async () => {
    const day = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
    const compare = () => gateway.operator.post<{ institutions: Compared[] }>(`/reconciliation/${day}`);
    type Compared = { name: string; balance: { difference: number | null } };
    const differs = async () => {
      const { status, body } = await compare();
      assert.equal(status, 200);
      return body.institutions.find(({ name }) => name !== "Away")!.balance.difference;
    };
    const before = (await differs())!;
    const { openingBalanceCentavos: opening } = (
      await gateway.simulator.get<{ openingBalanceCentavos: number }>("/behaviour")
    ).body;
    await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: opening + 12_345 });
    const after = Math.round(before * 100 + 12_345) / 100;
    assert.equal(await differs(), after);
    // What the bank held before is not in the books either: the alert is this fault's when it has this value.
    const fired = async () =>
      (await prometheus.firing()).some(
        ({ labels, value }) => labels.alertname === "BankBalanceDiffers" && Number(value) === after,
      );
    await eventually("BankBalanceDiffers to fire", fired, WAIT);
  });

  test("fires WebhooksWait for 10,020 webhooks whose receivers are away", async () => {
    for (let i = 0; i < ENDPOINTS; i += 1) {
      const url = `http://127.0.0.1:9/${i}`;
      assert.equal((await gateway.merchant.post("/webhook-endpoints", { url })).status, 201);
    }
    const sell = async () => {
      const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 5, description: "a sale" });
      assert.equal(charge.status, 201, charge.text);
      assert.equal((await gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`)).status, 200);
    };
    for (let sold = 0; sold < 10_020 / ENDPOINTS; sold += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, sell));
    await fires("WebhooksWait");
  });

  test("runs every query of the dashboard: none is invalid, none empty", async () => {
    type Panel = { title: string; targets: { expr: string }[] };
    const { panels } = JSON.parse(readFileSync(join(OBSERVABILITY, "dashboard.json"), "utf8")) as { panels: Panel[] };
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 50, description: "a sale" });
    await gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`);
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        await eventually(
          `${title}: ${expr}`,
          async () => {
            const { status, result } = await prometheus.query(expr);
            assert.equal(status, "success", expr);
            return result.length > 0;
          },
          WAIT,
        );
      }
    }
  });

  test("fires nothing for a withdrawal that has just begun to hang", async () => {
    const money = { amount: 100, balance: "available", reason: "to withdraw" };
    assert.equal(
      (await gateway.operator.post(`/accounts/${gateway.sandbox.accountId}/adjustments`, money)).status,
      201,
    );
    const day = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
    assert.equal((await gateway.operator.post(`/reconciliation/${day}`)).status, 200);
    assert.equal((await gateway.operator.post("/ledger/audits", { mode: "fresh" })).status, 201);
    const payout = await gateway.merchant.post<{ id: string }>("/withdrawals", {
      ...{ pixKey: "manual@pixgate.test", pixKeyType: "email", amount: 10 },
      ...{ holderName: "Maria Silva", holderDocument: "12345678909", holderDocumentType: "cpf" },
    });
    assert.equal(payout.status, 201, payout.text);
    await eventually(
      "its age to be read",
      async () => (await prometheus.query("max(pixgate_payout_oldest_pending_seconds) > 0")).result.length > 0,
      WAIT,
    );
    assert.equal((await firing()).includes("PayoutsWait"), false);
  });

  test("fires BooksBroken for a balance that comes from nowhere", async () => {
    const { rows } = await gateway.owner.query<{ no: number }>(sql`
      update ledger_accounts set balance = balance + 1
      where account_id = ${gateway.sandbox.accountId} and no = (
        select min(no) from ledger_accounts where account_id = ${gateway.sandbox.accountId})
      returning no`);
    assert.equal(rows.length, 1);
    const audited = await gateway.operator.post<{ ok: boolean }>("/ledger/audits", { mode: "full" });
    assert.equal(audited.status, 201);
    assert.equal(audited.body.ok, false, audited.text);
    await fires("BooksBroken");
  });

  /** Starts the process of the API, and waits until Prometheus has read it for the given number of seconds. */
  async function restartApi(seconds: number, env: Record<string, string> = {}): Promise<GatewayProcess> {
    await api?.stop();
    const started = await startProcess(
      {
        DATABASE_URL: gateway.databaseUrl,
        PIXGATE_DATA_DIR: join(folder, "api"),
        PIXGATE_SECRET_KEY: readFileSync(join(gateway.dataDir, "secret.key"), "utf8").trim(),
        PIXGATE_PORT: String(apiPort),
        PIXGATE_SIMULATOR_PORT: "off",
        ...env,
      },
      ["--role", "api"],
    );
    api = started;
    const isRead = async () =>
      (await prometheus.query(`process_uptime_seconds{instance="127.0.0.1:${apiPort}"} > ${seconds}`)).result.length >
      0;
    await eventually("Prometheus to read the process", isRead, WAIT);
    return started;
  }

  test("fires CallsRefused where more calls wait than may", async () => {
    const most = 4;
    const started = await restartApi(20, { PIXGATE_CALLS_WAITING: String(most) });
    const merchant = await started.client(gateway.sandbox);
    const hook = (i: number) => merchant.post("/webhook-endpoints", { url: `http://127.0.0.1:9/more/${i}` });
    const isRefused = async () => {
      const calls = await gateway.owner.transaction(async (tx) => {
        await tx.query(sql`lock table webhook_endpoints in access exclusive mode`);
        const all = Array.from({ length: 2 * most }, (_, i) => hook(i));
        assert.equal((await Promise.race(all)).status, 503);
        return all;
      });
      for (const { status } of await Promise.all(calls)) assert.ok(status >= 400, String(status));
      return (await firing()).includes("CallsRefused");
    };
    await eventually("CallsRefused to fire", isRefused, WAIT);
  });

  test("fires ClockWrong for a process two hours ahead, ProcessRestarts for the third start; a day and a half after the worker has stopped: NobodyAudits, PayoutsWait, NotificationsWait, ReconciliationOld, BankBalanceOld", async () => {
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 50, description: "a sale" });
    const sold = await gateway.merchant.get<{ txid: string }>(`/transactions/${charge.body.id}`);
    // The bank notifies, and does not answer what it is queried then.
    const rules = ["getCob", "listCob", "getPix", "listPix"].map((route) => ({
      ...{ route, kind: "error5xxBefore", probability: 1 },
    }));
    assert.equal((await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules } })).status, 200);
    assert.equal((await gateway.simulator.post("/pix", { amountCentavos: 50_00, txid: sold.body.txid })).status, 200);
    const pending = async () =>
      (await gateway.owner.query(sql`select from inbox where status = 'pending'`)).rows.length > 0;
    await eventually("a notification that is not applied", pending);
    // The first one is due ten minutes after the start, and is compared a minute later.
    const isCompared = async () => {
      await gateway.owner.query(sql`update balance_watches set next_at = ${new Date(0)}`);
      return (await gateway.owner.query(sql`select from balance_checks`)).rows.length > 0;
    };
    await eventually("a balance that was compared", isCompared);
    await gateway.running.stop();
    // The test before has started it once.
    if (api === null) await restartApi(20);
    await restartApi(20, { PIXGATE_CLOCK_OFFSET: "7200" });
    await fires("ClockWrong");
    assert.equal((await firing()).includes("ProcessRestarts"), false);
    await restartApi(1, { PIXGATE_CLOCK_OFFSET: String(40 * 3_600), PIXGATE_CLOCK_CHECK: "off" });
    await fires("ProcessRestarts");
    for (const alert of [
      ...["NobodyAudits", "PayoutsWait", "NotificationsWait", "ReconciliationOld", "BankBalanceOld"],
    ])
      await fires(alert);
  });
});
