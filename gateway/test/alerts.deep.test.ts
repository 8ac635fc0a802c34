/**
 * Alerts fire by real faults: a real Prometheus reads a running gateway with the rules that are delivered, whose thresholds and
 * windows stay and whose `for` is a second; then it runs every query of the dashboard.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "../src/db/sql.ts";
import { makeCertificates } from "./harness/certificates.ts";
import { Client } from "./harness/client.ts";
import { eventually } from "./harness/eventually.ts";
import { startGateway, type TestGateway } from "./harness/gateway.ts";

const FOLDER = fileURLToPath(new URL("../../deploy/observability/", import.meta.url));
const program = process.env.PROMETHEUS ?? "prometheus";
const certificates = makeCertificates();
const missing = spawnSync(program, ["--version"]).status === 0 ? certificates === null && "openssl" : "prometheus";
const skip = missing ? `there is no ${missing} here` : false;
const WAIT = 60_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("A real Prometheus that reads a real gateway", { skip }, () => {
  let gateway: TestGateway;
  let prometheus: ChildProcess;
  let url: string;
  const folder = mkdtempSync(join(tmpdir(), "pixgate-prometheus-"));
  before(async () => {
    gateway = await startGateway();
    const [port, dead] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    const rules = readFileSync(join(FOLDER, "alerts.yaml"), "utf8").replaceAll(/for: \w+/g, "for: 1s");
    writeFileSync(join(folder, "alerts.yaml"), rules);
    const targets = [new URL(gateway.running.url).host, `127.0.0.1:${dead}`];
    const config = readFileSync(join(FOLDER, "prometheus.yaml"), "utf8")
      .replaceAll("15s", "1s")
      .replace(/targets: .*/, `targets: ${JSON.stringify(targets)}`);
    writeFileSync(join(folder, "prometheus.yaml"), config);
    const settings = [`--config.file=${folder}/prometheus.yaml`, `--storage.tsdb.path=${folder}/data`];
    prometheus = spawn(program, [...settings, `--web.listen-address=127.0.0.1:${port}`], { stdio: "ignore" });
    const ready = () =>
      fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually("Prometheus to be ready", ready, WAIT);
  });
  after(async () => {
    prometheus?.kill();
    certificates?.remove();
    rmSync(folder, { recursive: true, force: true });
    await gateway?.stop().catch((error: unknown) => assert.match((error as Error).message, /errors were logged/));
    // The auditor logs each finding, and each account that it freezes, as an error; nothing else may be one.
    const errors = gateway?.logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50) ?? [];
    for (const line of errors) assert.match(line, /the books are broken|withdrawals of an account are frozen/);
  });

  type Alert = { state: string; value: string; labels: { alertname: string } };
  const alerts = async (): Promise<Alert[]> => {
    const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as { data: { alerts: Alert[] } };
    return data.alerts.filter(({ state }) => state === "firing");
  };
  const firing = async (): Promise<string[]> => (await alerts()).map(({ labels }) => labels.alertname);
  const fires = (alert: string) => eventually(`${alert} to fire`, async () => (await firing()).includes(alert), WAIT);

  test("fires ProcessDown where no process answers, and nothing else of a gateway without a fault", async () => {
    await fires("ProcessDown");
    assert.deepEqual([...new Set(await firing())], ["ProcessDown"]);
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
    assert.equal((await gateway.operator.get(`/reconciliation/${day}?refresh=true`)).status, 200);
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
    const compare = () => gateway.operator.get<{ institutions: Compared[] }>(`/reconciliation/${day}?refresh=true`);
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
    const isFor = ({ labels, value }: Alert) => labels.alertname === "BankBalanceDiffers" && Number(value) === after;
    await eventually("BankBalanceDiffers to fire", async () => (await alerts()).some(isFor), WAIT);
  });

  test("runs every query of the dashboard: none is invalid, none empty", async () => {
    type Panel = { title: string; targets: { expr: string }[] };
    const { panels } = JSON.parse(readFileSync(join(FOLDER, "dashboard.json"), "utf8")) as { panels: Panel[] };
    await gateway.merchant.post("/webhook-endpoints", { url: "http://127.0.0.1:9/hook" });
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 50, description: "a sale" });
    await gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`);
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        await eventually(
          `${title}: ${expr}`,
          async () => {
            const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`);
            const { status, data } = (await answer.json()) as { status: string; data: { result: unknown[] } };
            assert.equal(status, "success", expr);
            return data.result.length > 0;
          },
          WAIT,
        );
      }
    }
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
});
