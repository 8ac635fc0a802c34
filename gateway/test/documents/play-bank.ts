import assert from "node:assert/strict";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";

type Call = { readonly path: string; readonly body?: string | undefined; readonly headers?: Record<string, string> };
type Block = {
  readonly id: string;
  readonly status: string;
  readonly transactionId?: string;
  readonly takenAmount?: number;
};

/**
 * Makes a call below `/sandbox` as a document shows it, and waits for what it does. On a busy machine the call gives up
 * after ten seconds (500 `PSP_UNAVAILABLE`), while the gateway goes on to book it; a repeat would pay or contest twice.
 */
export async function playBank(client: Client, { path, body, headers = {} }: Call): Promise<{ id: string }> {
  const reply = await client.send<{ id: string; details?: { code: string } }>("POST", path, body, { headers });
  if (reply.status < 300) return reply.body;
  assert.equal(reply.body.details?.code, "PSP_UNAVAILABLE", `POST ${path}: ${reply.text}`);
  return eventually(`POST ${path} is booked`, () => findBooked(client, path, body, headers));
}

/** What such a call has led to; null before it has. */
async function findBooked(
  client: Client,
  path: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<{ id: string } | null> {
  const [, payment] = /^\/sandbox\/pix\/([^/]+)\/pay$/.exec(path) ?? [];
  if (payment !== undefined) {
    const { body: read } = await client.get<{ id: string; status: string }>(`/transactions/${payment}`, { headers });
    return read.status === "completed" ? read : null;
  }
  const [, code] = /^\/sandbox\/qr-codes\/([^/]+)\/pay$/.exec(path) ?? [];
  if (code !== undefined) {
    const { body: list } = await client.get<{ items: { id: string }[] }>(`/transactions?qrCodeId=${code}`, { headers });
    return list.items[0] ?? null;
  }
  if (path === "/sandbox/balance-blocks") {
    const { transactionId } = JSON.parse(body!) as { transactionId: string };
    const { body: list } = await client.get<{ items: Block[] }>("/balance-blocks?status=awaiting_response", {
      headers,
    });
    return list.items.find((block) => block.transactionId === transactionId) ?? null;
  }
  const [, resolved] = /^\/sandbox\/balance-blocks\/([^/]+)\/resolve$/.exec(path) ?? [];
  assert.ok(resolved !== undefined, `nothing is known of the end of ${path}`);
  const { body: block } = await client.get<Block>(`/balance-blocks/${resolved}`, { headers });
  const { outcome } = JSON.parse(body!) as { outcome: string };
  if (block.status !== outcome) return null;
  // The money leaves when the bank has returned it.
  return outcome === "approved" && !block.takenAmount ? null : block;
}

/** Issues a charge and has it paid. */
export async function receive(
  client: Client,
  amount: number,
  more: object = {},
  headers = {},
): Promise<{ id: string }> {
  const body = { amount, description: "To be paid", ...more };
  const made = await client.post<{ id: string }>("/pix", body, { headers });
  assert.equal(made.status, 201, made.text);
  await playBank(client, { path: `/sandbox/pix/${made.body.id}/pay`, headers });
  return made.body;
}
