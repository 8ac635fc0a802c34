import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as it went over the wire (OTLP/JSON), as far as tests read it. */
export type WireSpan = {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: a root. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  /** Unix nanoseconds. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly failed: boolean;
};

export type Collector = {
  readonly url: string;
  readonly spans: WireSpan[];
  /** Attributes of the processes that sent. */
  readonly resources: Record<string, string | number>[];
  /** Everything as it came. */
  readonly bodies: Buffer[];
  readonly contentTypes: string[];
  close(): Promise<void>;
};

type Value = { stringValue?: string; intValue?: string | number; doubleValue?: number };
type Attributes = readonly { key: string; value: Value }[];
type Export = {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: {
      spans: {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        kind: number;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes?: Attributes;
        links?: { traceId: string; spanId: string }[];
        status?: { code?: number };
      }[];
    }[];
  }[];
};

const read = (list: Attributes = []): Record<string, string | number> =>
  Object.fromEntries(
    list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)]),
  );

/** A real OTLP/HTTP receiver; it reads JSON, and keeps anything. */
export async function startCollector(): Promise<Collector> {
  const collected: Omit<Collector, "url" | "close"> = { spans: [], resources: [], bodies: [], contentTypes: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const type = request.headers["content-type"] ?? "";
      collected.bodies.push(body);
      collected.contentTypes.push(`${request.method} ${request.url} ${type}`);
      if (type === "application/json") keep(collected, JSON.parse(body.toString("utf8")) as Export);
      response.writeHead(200, { "content-type": type }).end(type === "application/json" ? "{}" : "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    ...collected,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function keep({ spans, resources }: Pick<Collector, "spans" | "resources">, { resourceSpans }: Export): void {
  for (const { resource, scopeSpans } of resourceSpans) {
    resources.push(read(resource.attributes));
    for (const span of scopeSpans.flatMap((one) => one.spans)) {
      spans.push({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? "",
        name: span.name,
        kind: span.kind,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: read(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        failed: span.status?.code === 2,
      });
    }
  }
}
