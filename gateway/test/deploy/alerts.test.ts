/** The alerts that are delivered: each has a page, fires where its fault is, and reads metrics that there are. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const FOLDER = join(ROOT, "deploy/observability");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { runbook: string; summary: string };
};
const rules = (parse(read("deploy/observability/alerts.yaml")) as { groups: { rules: Rule[] }[] }).groups[0]!.rules;
type Panel = { title: string; targets: { expr: string }[] };
const { panels } = JSON.parse(read("deploy/observability/dashboard.json")) as { panels: Panel[] };

/** Prometheus's own tool; Debian has it in the package prometheus. */
const promtool = process.env.PROMTOOL ?? "promtool";
const skip =
  spawnSync(promtool, ["--version"]).status === 0
    ? false
    : "there is no promtool here (package prometheus, or PROMTOOL)";

const metricsOf = (expr: string): string[] => [
  ...new Set([...expr.matchAll(/\b(?:pixgate|process|nodejs)_[a-z_]+/g)].map(([name]) => name)),
];

describe("The alerts", () => {
  test("have a page each, which says what it means, what to check, what to do and whom to wake; and none more", () => {
    const pages = readdirSync(join(ROOT, "docs/runbooks")).filter((name) => name !== "README.md");
    assert.deepEqual(pages.sort(), rules.map(({ alert }) => `${alert}.md`).sort());
    for (const { alert, expr, labels, annotations } of rules) {
      assert.equal(annotations.runbook, `docs/runbooks/${alert}.md`);
      const page = read(annotations.runbook);
      for (const title of ["Meaning", "What to check", "What to do", "Whom to wake"]) {
        assert.match(page, new RegExp(`\\n## ${title}\\n\\n\\S`), `${alert}: ${title}`);
      }
      assert.ok(page.includes(`\`${expr}\``), `${alert}: its page has another expression`);
      assert.ok(["page", "ticket"].includes(labels.severity));
    }
  });

  test("and the dashboard read metrics that there are", () => {
    const known = new Set(
      [...read("docs/metrics.md").matchAll(/`((?:pixgate|process|nodejs)_[a-z_]+)`/g)].map(([, name]) => name),
    );
    const exprs = [
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    for (const expr of exprs) {
      for (const metric of metricsOf(expr)) {
        assert.ok(known.has(metric.replace(/_(bucket|sum|count)$/, "")), `${metric} in ${expr}`);
      }
    }
  });

  test("fire where their fault is, and are silent where it is not", { skip }, () => {
    const tests = parse(read("deploy/observability/alerts.test.yaml")) as { tests: { name: string }[] };
    const names = new Set(tests.tests.map(({ name }) => name));
    for (const { alert } of rules) {
      assert.ok(names.has(`${alert} fires`) && names.has(`${alert} is silent`), `${alert} has both tests`);
    }
    const ran = spawnSync(promtool, ["test", "rules", "alerts.test.yaml"], { cwd: FOLDER, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    const config = spawnSync(promtool, ["check", "config", "prometheus.yaml"], { cwd: FOLDER, encoding: "utf8" });
    assert.equal(config.status, 0, config.stdout + config.stderr);
  });

  test("fire once, however many processes see the fault; those of a process once for each", { skip }, () => {
    type Series = { series: string; values: string };
    type Tested = { alert_rule_test: { alertname: string; exp_alerts: object[] }[]; input_series: Series[] };
    const { tests } = parse(read("deploy/observability/alerts.test.yaml")) as { tests: Tested[] };
    const ofProcesses = rules.filter(({ annotations }) =>
      /a process of Pixgate|clock of a process/.test(annotations.summary),
    );
    assert.deepEqual(
      ofProcesses.map(({ alert }) => alert),
      ["ProcessDown", "ClockWrong", "ProcessRestarts"],
    );
    const named = new Set(ofProcesses.map(({ alert }) => alert));
    // What one process shows, a second api and a worker show too.
    const more = ({ series, values }: Series): Series[] =>
      ["", "-b", "-worker"].map((suffix) => {
        const [name, labels = ""] = series.replace("}", "").split("{") as [string, string?];
        const instance = /instance="([^"]*)"/.exec(labels)?.[1] ?? "api";
        const others = labels.split(",").filter((label) => label !== "" && !label.includes("instance="));
        return { series: `${name}{${[...others, `instance="${instance}${suffix}"`].join(",")}}`, values };
      });
    const seenByThree = tests
      .filter(({ alert_rule_test: [asked] }) => asked!.exp_alerts.length > 0 && !named.has(asked!.alertname))
      .map((one) => ({ ...one, input_series: one.input_series.flatMap(more) }));
    assert.ok(seenByThree.length >= rules.length - named.size);
    const folder = mkdtempSync(join(tmpdir(), "pixgate-alerts-"));
    const file = { rule_files: [join(FOLDER, "alerts.yaml")], evaluation_interval: "1m", tests: seenByThree };
    writeFileSync(join(folder, "three.yaml"), JSON.stringify(file));
    const ran = spawnSync(promtool, ["test", "rules", "three.yaml"], { cwd: folder, encoding: "utf8" });
    rmSync(folder, { recursive: true });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  });

  test("of the service levels fire at their pace, end soon after, and read metrics and pages that there are", (t) => {
    const slo = parse(read("deploy/observability/slo.yaml")) as {
      groups: { rules: Partial<Rule & { record: string }>[] }[];
    };
    const [recorded, alerts] = [
      slo.groups[0]!.rules.filter(({ record }) => record !== undefined),
      slo.groups[0]!.rules.filter(({ alert }) => alert !== undefined),
    ];
    const known = read("docs/metrics.md");
    for (const { expr } of recorded)
      for (const metric of metricsOf(expr!))
        assert.ok(known.includes(`\`${metric.replace(/_(bucket|count)$/, "")}\``), metric);
    const names = new Set(recorded.map(({ record }) => record!));
    for (const { alert, expr, annotations } of alerts) {
      const read = [...expr!.matchAll(/pixgate:\w+:\w+/g)].map(([name]) => name);
      assert.ok(read.length === 2 && read.every((name) => names.has(name)), alert);
      assert.ok(
        rules.some((rule) => rule.annotations.runbook === annotations!.runbook),
        alert,
      );
    }
    assert.equal(alerts.length, 4);
    if (skip) return t.skip(skip);
    const ran = spawnSync(promtool, ["test", "rules", "slo.test.yaml"], { cwd: FOLDER, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  });

  test("and every query of the dashboard is one that Prometheus can run", { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), "pixgate-dashboard-"));
    const records = panels.flatMap(({ targets }, i) => targets.map(({ expr }) => ({ record: `panel:${i}`, expr })));
    writeFileSync(join(folder, "rules.yaml"), JSON.stringify({ groups: [{ name: "dashboard", rules: records }] }));
    const ran = spawnSync(promtool, ["check", "rules", "rules.yaml"], { cwd: folder, encoding: "utf8" });
    rmSync(folder, { recursive: true });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  });
});

describe("What the alerts read moves with its fault", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.end());
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${gateway.running.url}/metrics`)).text();
    const lines = text.split("\n").filter((line) => line.startsWith(name) && /[ {]/.test(line[name.length]!));
    return Math.max(Number.NEGATIVE_INFINITY, ...lines.map((line) => Number(line.slice(line.lastIndexOf(" ") + 1))));
  };

  test("MoneyUnmatched, PayoutsWait, WebhooksWait, and each back when it is mended", async () => {
    assert.deepEqual([await metric("pixgate_unmatched_open"), await metric("pixgate_deliveries_pending")], [0, 0]);
    const receipt = { amountCentavos: 999, txid: `foreign${"2".repeat(21)}` };
    assert.equal((await gateway.simulator.post("/pix", receipt)).status, 200);
    await eventually("the unmatched receipt", async () => (await metric("pixgate_unmatched_open")) === 1);
    const { items } = (await gateway.operator.get<{ items: { id: string }[] }>("/unmatched?status=open")).body;
    assert.equal((await gateway.operator.post(`/unmatched/${items[0]!.id}/resolve`, { action: "return" })).status, 200);
    await eventually("none any more", async () => (await metric("pixgate_unmatched_open")) === 0);

    assert.equal((await gateway.merchant.post("/webhook-endpoints", { url: "http://127.0.0.1:9/hook" })).status, 201);
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 50, description: "a sale" });
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`)).status, 200);
    await eventually("the delivery to wait", async () => (await metric("pixgate_deliveries_pending")) > 0);

    const payout = await gateway.merchant.post<{ id: string }>("/withdrawals", {
      ...{ pixKey: "manual@pixgate.test", pixKeyType: "email", amount: 10 },
      ...{ holderName: "Maria Silva", holderDocument: "12345678909", holderDocumentType: "cpf" },
    });
    assert.equal(payout.status, 201, payout.text);
    await eventually("the payout to age", async () => (await metric("pixgate_payout_oldest_pending_seconds")) > 0);
    // The next test ends it there.
    await eventually("the payout at the bank", async () => {
      const { items } = (await gateway.simulator.get<{ items: object[] }>("/payouts")).body;
      return items.length === 1;
    });
  });

  test("PayoutsWait does not count a payout that waits for a person, and counts it from its approval on", async () => {
    const brake = (paused: boolean) =>
      gateway.operator.send("PUT", "/brakes", JSON.stringify({ scope: "all", paused, reason: "a test" }));
    assert.equal((await brake(true)).status, 200);
    const age = () => metric("pixgate_payout_oldest_pending_seconds");
    // The brake holds what has not left; the payout of the test before has left, and is failed by its institution.
    type Payout = { idEnvio: string };
    const { items } = (await gateway.simulator.get<{ items: Payout[] }>("/payouts")).body;
    for (const { idEnvio } of items) {
      assert.equal((await gateway.simulator.post(`/payouts/${idEnvio}/settle`, { outcome: "fail" })).status, 200);
    }
    const payout = await gateway.merchant.post<{ id: string }>("/withdrawals", {
      ...{ pixKey: "manual@pixgate.test", pixKeyType: "email", amount: 10 },
      ...{ holderName: "Maria Silva", holderDocument: "12345678909", holderDocumentType: "cpf" },
    });
    assert.equal(payout.status, 201, payout.text);
    await eventually("no payout to count", async () => (await age()) === 0);
    const shown = await gateway.merchant.get<{ pendingReason: string }>(`/withdrawals/${payout.body.id}`);
    assert.equal(shown.body.pendingReason, "paused");
    assert.equal((await brake(false)).status, 200);
    await eventually("the payout to age", async () => (await age()) > 0);
  });
});
