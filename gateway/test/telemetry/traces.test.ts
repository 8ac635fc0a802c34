import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { ConfigError } from "../../src/lib/config-error.ts";
import { type Config, readConfig } from "../../src/settings/config.ts";
import { createOtlpSink } from "../../src/telemetry/otlp.ts";
import { rootOf } from "../../src/telemetry/tracing.ts";
import { type Collector, startCollector, type WireSpan } from "../harness/collector.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { holdReceivedPolls } from "../harness/hold-polls.ts";
import { launchProcess } from "../harness/process.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

/** What must be in no span: each is somebody's secret, or says who somebody is. */
const PRIVATE = {
  payer: "Joana Pagadora",
  document: "52998224725",
  customer: "Carlos Comprador",
  customerDocument: "12345678909",
  email: "carlos@example.com",
  description: "Presente surpresa",
  reference: "segredo-da-loja",
  key: "chave-da-chamada",
  receiverKey: "chave-do-recebedor",
};

describe("traces over OTLP/HTTP", () => {
  let collector: Collector;
  let receiver: Receiver;
  let gateway: TestGateway;
  let secret: string;

  before(async () => {
    [collector, receiver] = await Promise.all([startCollector(), startReceiver()]);
    gateway = await startGateway({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "50",
    });
    // Each payment is booked by its notification: a poll that finds one first makes it another trace.
    await holdReceivedPolls(gateway.owner);
    const url = `${receiver.url}?key=${PRIVATE.receiverKey}`;
    secret = (await gateway.merchant.post<{ secret: string }>("/webhook-endpoints", { url })).body.secret;
  });
  after(async () => {
    await gateway.end();
    await Promise.all([collector.close(), receiver.close()]);
  });

  /** The trace of an object, once it has all of these spans and the parent of each: a parent ends later, and is sent later. */
  const traceOf = (id: string, names: readonly string[]): Promise<WireSpan[]> =>
    eventually(`the trace of ${id} with ${names.join(", ")}`, () => {
      const trace = collector.spans.filter(({ traceId }) => traceId === rootOf(id)!.traceId);
      const ids = new Set(trace.map(({ spanId }) => spanId));
      const isWhole = trace.every(({ parentSpanId }) => parentSpanId === "" || ids.has(parentSpanId));
      return isWhole && names.every((name) => trace.some((span) => span.name === name)) ? trace : null;
    });
  /** Names from a span up to the root. */
  function pathOf(trace: readonly WireSpan[], name: string): string {
    const names: string[] = [];
    for (let at = trace.find((span) => span.name === name); at !== undefined; ) {
      names.push(at.name);
      const { parentSpanId } = at;
      at = trace.find(({ spanId }) => spanId === parentSpanId);
      assert.ok(at !== undefined || parentSpanId === "", `${names.join(" < ")} has a parent that is not there`);
    }
    return names.join(" < ");
  }

  test("a charge is one trace from its request to its delivery, by its own id, with parents right and nothing private", async () => {
    const created = await gateway.merchant.post(
      "/pix",
      {
        amount: 12.34,
        description: PRIVATE.description,
        externalReference: PRIVATE.reference,
        customer: { name: PRIVATE.customer, document: PRIVATE.customerDocument, email: PRIVATE.email },
      },
      { headers: { "idempotency-key": PRIVATE.key } },
    );
    assert.equal(created.status, 201, created.text);
    const id = String(created.body.id);
    const payer = { name: PRIVATE.payer, document: PRIVATE.document };
    assert.equal((await gateway.merchant.post(`/sandbox/pix/${id}/pay`, { payer })).status, 200);

    const trace = await traceOf(id, [
      ...["POST /v2/pix", "confirm notification", "book Pix", "PSP getPix", "inbox marks: batch"],
      ...["delivery", "POST webhook", "delivery marks: batch"],
    ]);
    const root = trace.find(({ name }) => name === "POST /v2/pix")!;
    assert.deepEqual([root.spanId, root.parentSpanId, root.kind], [rootOf(id)!.spanId, "", 2]);
    assert.equal(root.attributes["pixgate.request_id"], created.headers.get("x-request-id"));
    assert.equal(root.attributes["http.response.status_code"], 201);
    for (const path of [
      "charge intents: wait < POST /v2/pix",
      "charge intents: batch < POST /v2/pix",
      "PSP putCob < POST /v2/pix",
      "charge outcomes: batch < POST /v2/pix",
      "PSP getPix < confirm notification < POST /v2/pix",
      "book Pix < confirm notification < POST /v2/pix",
      "inbox marks: batch < confirm notification < POST /v2/pix",
      "POST webhook < delivery < POST /v2/pix",
      "delivery marks: batch < delivery < POST /v2/pix",
    ]) {
      assert.equal(pathOf(trace, path.split(" < ")[0]!), path);
    }
    const settled = trace.filter(({ attributes }) => attributes["pixgate.command"] === "settle charge");
    assert.deepEqual(settled.map(({ name }) => name.replace(/^lane \d: /, "")).sort(), ["batch", "wait"]);
    for (const { name } of settled) {
      assert.equal(pathOf(trace, name), `${name} < book Pix < confirm notification < POST /v2/pix`);
    }
    const [wait, batch] = settled.sort((a, b) => (a.start < b.start ? -1 : 1));
    assert.ok(wait!.end === batch!.start, "a batch begins where its wait ends");
    for (const span of trace) {
      const parent = trace.find(({ spanId }) => spanId === span.parentSpanId);
      assert.ok(span.end >= span.start && span.start >= (parent?.start ?? 0n), `${span.name} begins before its parent`);
    }
    assert.equal(new Set(trace.map(({ spanId }) => spanId)).size, trace.length);

    // The notification was another request: a trace of its own, that names the charge.
    const reported = await eventually("the notification's span", () =>
      collector.spans.find(
        ({ name, links }) => name.startsWith("POST /psp/") && links.some((l) => l.traceId === root.traceId),
      ),
    );
    assert.notEqual(reported.traceId, root.traceId);

    const everything = Buffer.concat(collector.bodies).toString("utf8");
    const { clientSecret, operatorToken, clientId } = gateway.sandbox;
    const { pixCopyPaste } = created.body as { pixCopyPaste: string };
    const e2eId = (await gateway.merchant.get(`/transactions/${id}`)).body.e2eId as string;
    const secrets = { ...PRIVATE, clientSecret, clientId, operatorToken, secret, token: gateway.merchant.token };
    for (const [what, value] of Object.entries({ ...secrets, pixCopyPaste, e2eId })) {
      assert.ok(!everything.includes(value), `a span holds the ${what}`);
    }
    assert.equal(collector.resources[0]?.["service.name"], "pixgate");
  });

  test("an installation of the gateway alone has no exporter, and says so at the start when traces are on", async () => {
    type Locked = {
      readonly dependencies?: Record<string, string>;
      readonly link?: boolean;
      readonly resolved?: string;
    };
    const { packages } = JSON.parse(readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8")) as {
      packages: Record<string, Locked>;
    };
    /** What `npm ci --workspace … --omit=dev --omit=optional` installs. */
    const installed = (workspace: string, found = new Set<string>()): Set<string> => {
      for (const name of Object.keys(packages[workspace]?.dependencies ?? {})) {
        const own = `${workspace}/node_modules/${name}`;
        const path = packages[own] === undefined ? `node_modules/${name}` : own;
        if (found.has(path)) continue;
        found.add(path);
        installed(packages[path]?.link === true ? packages[path].resolved! : path, found);
      }
      return found;
    };
    const exporters = (workspace: string) =>
      [...installed(workspace)].filter((path) => path.includes("/exporter-trace-"));
    assert.ok(installed("gateway").size > 50);
    assert.deepEqual([exporters("gateway").length, exporters("traces").length], [0, 2]);

    const hooks = `import { registerHooks } from "node:module";
      registerHooks({ resolve(name, context, next) {
        if (name.startsWith("@opentelemetry/exporter")) throw Object.assign(new Error(name), { code: "ERR_MODULE_NOT_FOUND" });
        return next(name, context);
      } });`;
    const started = launchProcess({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}`,
      DATABASE_URL: gateway.databaseUrl,
      PIXGATE_DATA_DIR: gateway.dataDir,
      PIXGATE_SIMULATOR_PORT: "off",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    });
    assert.equal(await started.exited, 1);
    assert.match(
      started.stderr(),
      /^pixgate: traces are on .* not installed: add --workspace @pixgate\/traces to npm ci.*\n$/,
    );
  });

  test("a refund and a withdrawal are traces of their own, through the call to the PSP to the webhook", async () => {
    const [charge] = await Promise.all(
      [9, 20].map(async (amount) => {
        const { id } = (await gateway.merchant.post("/pix", { amount, description: "x" })).body;
        assert.equal((await gateway.merchant.post(`/sandbox/pix/${id}/pay`)).status, 200);
        return id;
      }),
    );
    const refund = await gateway.merchant.post(`/transactions/${charge}/refund`, {});
    assert.equal(refund.status, 201, refund.text);
    const refunding = ["POST /v2/transactions/:id/refund", "returns", "delivery"];
    const refunded = await traceOf(String(refund.body.refundTransactionId), refunding);
    assert.equal(pathOf(refunded, "delivery"), "delivery < POST /v2/transactions/:id/refund");
    assert.match(pathOf(refunded, "returns"), /^returns < POST/);
    assert.ok(refunded.some(({ name }) => name.startsWith("PSP ")));

    const asked = await gateway.merchant.post("/withdrawals", {
      amount: 2,
      pixKey: PRIVATE.document,
      pixKeyType: "cpf",
      holderName: PRIVATE.payer,
      holderDocument: PRIVATE.document,
      holderDocumentType: "cpf",
    });
    assert.equal(asked.status, 201, asked.text);
    const paidOut = await traceOf(String(asked.body.id), ["delivery", "withdrawals"]);
    assert.equal(pathOf(paidOut, "delivery"), "delivery < POST /v2/withdrawals");
    assert.ok(!Buffer.concat(collector.bodies).includes(PRIVATE.document));
  });

  test("a request that makes nothing has its X-Request-Id as its trace, and a caller's traceparent is a link and decides nothing", async () => {
    const [theirs, parent] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
    const headers = { traceparent: `00-${theirs}-${parent}-00` };
    const refused = await gateway.merchant.post("/pix", { amount: -1 }, { headers });
    assert.equal(refused.status, 400);
    const span = await eventually("its span", () =>
      collector.spans.find(({ traceId }) => traceId === String(refused.body.traceId).replaceAll("-", "")),
    );
    assert.deepEqual([span.name, span.parentSpanId, span.failed], ["POST /v2/pix", "", false]);
    assert.deepEqual(span.links, [{ traceId: theirs, spanId: parent }]);
    assert.ok(!collector.spans.some(({ traceId }) => traceId === theirs));
  });
});

test("traces are off until an endpoint is named, and OpenTelemetry's settings are obeyed or refused", async () => {
  const of = (env: Record<string, string>): Config["traces"] => readConfig(env).traces;
  assert.equal(of({}), null);
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };
  const usual = {
    url: "http://collector:4318/v1/traces",
    protocol: "http/protobuf",
    ratio: 1,
    delayMs: 5_000,
    queue: 2_048,
  };
  assert.deepEqual(of(endpoint), usual);
  assert.deepEqual(of({ OTEL_TRACES_EXPORTER: "otlp" }), { ...usual, url: "http://localhost:4318/v1/traces" });
  assert.equal(of({ ...endpoint, OTEL_TRACES_EXPORTER: "none" }), null);
  assert.equal(of({ ...endpoint, OTEL_SDK_DISABLED: "true" }), null);
  const own = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://t.example/x",
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
  };
  assert.deepEqual(of({ ...endpoint, ...own }), { ...usual, url: "https://t.example/x", protocol: "http/json" });
  const sampled = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" };
  assert.equal(of({ ...endpoint, ...sampled })?.ratio, 0.25);
  for (const wrong of [
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    { OTEL_TRACES_EXPORTER: "zipkin" },
    { OTEL_TRACES_SAMPLER: "jaeger_remote" },
    { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" },
    { OTEL_BSP_SCHEDULE_DELAY: "soon" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
  ]) {
    assert.throws(() => of({ ...endpoint, ...wrong }), ConfigError, JSON.stringify(wrong));
  }
});

test("spans go out as protobuf unless JSON is asked for, and what is kept is decided by the trace alone", async () => {
  const collector = await startCollector();
  const url = `${collector.url}/v1/traces`;
  const sink = (ratio: number) =>
    createOtlpSink(
      { url, protocol: "http/protobuf", ratio, delayMs: 60_000, queue: 10, now: () => Date.now() },
      assert.fail,
    );
  const [one, two] = [sink(0.5), sink(0.5)];
  const ids = Array.from({ length: 400 }, () => one.newTraceId());
  const kept = ids.filter((id) => one.keeps(id));
  assert.ok(kept.length > 120 && kept.length < 280, `${kept.length} of 400`);
  assert.deepEqual(
    ids.filter((id) => two.keeps(id)),
    kept,
  );

  const traceId = kept[0]!;
  const spanId = one.newSpanId();
  const span = {
    traceId,
    spanId,
    parentSpanId: null,
    name: "hello",
    kind: "internal" as const,
    attributes: {},
    links: [],
  };
  one.write({ ...span, start: performance.now() - 5, end: performance.now(), failed: true });
  await Promise.all([one.close(), two.close()]);
  assert.deepEqual(collector.contentTypes, ["POST /v1/traces application/x-protobuf"]);
  assert.ok(collector.bodies[0]!.includes(Buffer.from(traceId, "hex")));
  await collector.close();
});
