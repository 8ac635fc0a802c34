import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { BANK } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

describe("metrics", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    gateway = await startGateway();
    receiver = await startReceiver();
  });
  after(async () => {
    await gateway.stop();
    await receiver.close();
  });

  async function scrape(): Promise<Map<string, number>> {
    const response = await fetch(`${gateway.running.url}/metrics`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    const lines = (await response.text()).trimEnd().split("\n");
    return new Map(
      lines
        .filter((line) => !line.startsWith("#"))
        .map((line) => {
          const at = line.lastIndexOf(" ");
          return [line.slice(0, at), Number(line.slice(at + 1))];
        }),
    );
  }

  test("are the text format of Prometheus: every series is described, every histogram is whole", async () => {
    await gateway.merchant.get("/account");
    const text = await (await fetch(`${gateway.running.url}/metrics`)).text();
    assert.ok(text.endsWith("\n"));
    let current = "";
    const seen = new Set<string>();
    const types = new Map<string, string>();
    for (const line of text.trimEnd().split("\n")) {
      const described = /^# (HELP|TYPE) ([a-z0-9_]+) (.+)$/.exec(line);
      if (described) {
        current = described[2]!;
        if (described[1] === "TYPE") {
          assert.match(described[3]!, /^(counter|gauge|histogram)$/);
          assert.ok(!seen.has(current), `${current} comes twice`);
          seen.add(current);
          types.set(current, described[3]!);
        }
        continue;
      }
      const sample = /^([a-z0-9_]+)(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? (-?\d+(\.\d+)?(e[+-]?\d+)?)$/.exec(line);
      assert.ok(sample, line);
      assert.ok(sample[1] === current || sample[1]!.replace(/_(bucket|sum|count)$/, "") === current, line);
    }
    // The page names every metric that there is, with its type, and none that there is not.
    const page = readFileSync(new URL("../../../docs/metrics.md", import.meta.url), "utf8");
    const rows = [...page.matchAll(/^\| (`[^|]+`) \| (\w+) \|([^|]*)\| ([^|]{3,}) \|$/gm)];
    const reported = rows.flatMap(([, names, type]) =>
      [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => `${type} ${name}`),
    );
    assert.deepEqual(reported.sort(), [...seen].map((name) => `${types.get(name)} ${name}`).sort());
    for (const [line, , , labels] of rows) {
      const series = new RegExp(`^${/`(\w+)`/.exec(line)![1]}(?:_bucket|_count)?\\{([^}]*)\\}`, "m").exec(text)?.[1];
      if (series === undefined) continue;
      const named = [...series.matchAll(/(\w+)="/g)].map(([, label]) => label).filter((label) => label !== "le");
      assert.deepEqual(
        [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label),
        named,
        line,
      );
    }
  });

  test("count a charge on its whole way: HTTP, PSP, lane, delivery", async () => {
    await gateway.merchant.post("/webhook-endpoints", { url: receiver.url });
    const institution = (await gateway.running.ctx.psps.all())[0]!.institutionId;
    const before = await scrape();
    const grown = (after: Map<string, number>, series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0);
    const charge = await gateway.merchant.post<{ id: string }>("/pix", { amount: 5, description: "counted" });
    await gateway.merchant.post(`/sandbox/pix/${charge.body.id}/pay`);
    await gateway.merchant.get(`/transactions/${charge.body.id}`);
    await gateway.merchant.get("/transactions/no-such-thing");
    const delivered = 'pixgate_deliveries_total{outcome="delivered"}';
    // A notification of the bank may come after the payment was booked: the sandbox waits for the row, not for it.
    const after = await eventually("the delivery to be counted, and every notification applied", async () => {
      const now = await scrape();
      return grown(now, delivered) === 1 && now.get("pixgate_inbox_pending") === 0 && now;
    });
    const read = (status: number) =>
      `pixgate_http_requests_total{method="GET",route="/v2/transactions/:id",status="${status}"}`;
    assert.equal(grown(after, 'pixgate_http_requests_total{method="POST",route="/v2/pix",status="201"}'), 1);
    assert.equal(grown(after, read(200)), 1);
    assert.equal(grown(after, read(404)), 1);
    assert.equal(
      grown(after, 'pixgate_http_request_seconds_count{method="GET",route="/v2/transactions/:id"}'),
      grown(after, 'pixgate_http_request_seconds_bucket{le="+Inf",method="GET",route="/v2/transactions/:id"}'),
    );
    assert.equal(
      grown(
        after,
        `pixgate_psp_calls_total{provider="${BANK}",institution="${institution}",route="putCob",outcome="ok"}`,
      ),
      1,
    );
    assert.equal(grown(after, 'pixgate_lane_commands_total{command="settle charge"}') >= 1, true);
    assert.ok(after.get("process_resident_memory_bytes")! > 1e7);
  });

  test("no path, id or unknown method of a caller becomes a label", async () => {
    const before = (await scrape()).size;
    await Promise.all(Array.from({ length: 50 }, (_, i) => fetch(`${gateway.running.url}/no/such/${i}`)));
    await Promise.all(Array.from({ length: 50 }, (_, i) => gateway.merchant.get(`/transactions/secret-${i}`)));
    const unknown = 'pixgate_http_requests_total{method="GET",route="unknown",status="404"}';
    const after = await eventually("all of them to be counted", async () => {
      const now = await scrape();
      return now.get(unknown) === 50 && now;
    });
    assert.ok(after.size - before < 60, `${after.size - before} new series`);
    assert.deepEqual(
      [...after.keys()].filter((series) => /such|secret-/.test(series)),
      [],
    );
  });
});
