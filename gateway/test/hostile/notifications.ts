import assert from "node:assert/strict";
import fc from "fast-check";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import type { TestGateway } from "../harness/gateway.ts";

const id = fc.oneof(fc.string(), fc.constant("E".repeat(32)), fc.integer(), fc.constant(null));
const pix = fc.record(
  {
    endToEndId: id,
    txid: fc.oneof(fc.string(), fc.constant("1".repeat(30)), fc.anything()),
    valor: fc.oneof(fc.string(), fc.double(), fc.constant("1.00")),
    horario: fc.anything(),
    devolucoes: fc.anything(),
    gnExtras: fc.anything(),
    tipo: fc.anything(),
  },
  { requiredKeys: [] },
);
/** What a PSP that is broken or hostile may send. */
const body = fc.oneof(
  fc.array(pix, { maxLength: 5 }).map((list) => JSON.stringify({ pix: list }) ?? ""),
  fc.anything().map((value) => JSON.stringify(value) ?? ""),
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.uint8Array({ maxLength: 400 }),
);

/** Makes an institution whose PSP never answers: what is notified of it is only kept. Gives its secret path. */
export async function silentInstitution(
  gateway: TestGateway,
  config: Record<string, unknown> = {},
): Promise<{ id: string; path: string }> {
  const made = await gateway.operator.post<{ id: string }>("/institutions", {
    name: "Bank",
    provider: "api-pix",
    environment: "sandbox",
    config: {
      baseUrl: "http://127.0.0.1:1/v2",
      tokenUrl: "http://127.0.0.1:1/token",
      clientId: "client",
      clientSecret: "secret",
      pixKey: "bank@example.com",
      ...config,
    },
  });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  return { id, path: notificationPath(gateway.running.ctx.keys, id) };
}

/** Sends malformed notifications to an institution's secret address, 20 at once. @returns the answers that were no 200. */
export async function sendNotifications(
  url: string,
  { seed, runs }: { readonly seed: number; readonly runs: number },
): Promise<string[]> {
  const samples = fc.sample(body, { seed, numRuns: runs });
  const problems: string[] = [];
  for (let i = 0; i < samples.length; i += 20) {
    await Promise.all(
      samples.slice(i, i + 20).map(async (sample) => {
        const response = await fetch(url, { method: "POST", body: sample as string });
        const text = await response.text();
        if (response.status !== 200)
          problems.push(`${response.status} ${text.slice(0, 200)} for ${String(sample).slice(0, 200)}`);
      }),
    );
  }
  return problems;
}
