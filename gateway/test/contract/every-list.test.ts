/** Every list of both documents, read in pages: together they are the whole list, each item once. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { LIMITS } from "../../src/lib/limits.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { give, newMerchant, type Page } from "./money.ts";

type Parameter = { readonly name?: string; readonly in?: string };
type Operation = { readonly operationId: string; readonly parameters?: readonly Parameter[] };
type Document = { readonly paths: Record<string, { readonly get?: Operation }> };

/** Paths of a document's lists: what takes a limit and a cursor. */
function listsIn(document: "merchant" | "operator"): string[] {
  const { paths } = JSON.parse(
    readFileSync(new URL(`../../../openapi/${document}.json`, import.meta.url), "utf8"),
  ) as Document;
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const names = (get?.parameters ?? []).map(({ name }) => name);
    return names.includes("cursor") && names.includes("limit") ? [path.replace(/^\/(v2|operator\/v1)/, "")] : [];
  });
}

/** A hundred of their items are always under 100 KB: no bound on bytes ends their pages. */
const OF_LINES = /\/(statement|fees)$/;

/** A page of it is of so many accounts, of which none may have paid a fee. */
const OF_ACCOUNTS = "/reports/fees";

/** More than the items of a page that are not measured. */
const MANY = 22;

let gateway: TestGateway;
let merchant: Awaited<ReturnType<typeof newMerchant>>;
let paid: string;
before(async () => {
  gateway = await startGateway();
  merchant = await newMerchant(gateway, ["loja"]);
  const { accountId, client } = merchant;
  await client.post("/webhook-endpoints", { url: "http://127.0.0.1:9/hook" });
  paid = (await client.post<{ id: string }>("/pix", { amount: 100, description: "d" })).body.id;
  assert.equal((await client.post(`/sandbox/pix/${paid}/pay`)).status, 200);
  for (let i = 0; i < MANY; i += 1) {
    await give(gateway, accountId, 5);
    assert.equal((await client.post("/transfers", { subAccount: "loja", amount: 1 })).status, 201);
    const one = { name: `c${i}`, permissions: ["PIX:WRITE"] };
    assert.equal((await gateway.operator.post(`/accounts/${accountId}/credentials`, one)).status, 201);
    assert.equal((await client.post("/projects", { name: `P${i}`, color: "#123456" })).status, 201);
    const token = { name: `t${i}`, role: "support" };
    assert.equal((await gateway.operator.post("/tokens", token)).status, 201);
    assert.equal((await gateway.operator.post("/accounts", { name: `A${i}` })).status, 201);
  }
  // Webhooks and notifications that are under way change lists while they are read; the log of calls is written in batches.
  await eventually("the last event, and the last call in the log", async () => {
    const events = (await client.get<Page<unknown>>("/events?limit=100")).body.items;
    const calls = (await client.get<Page<unknown>>("/requests?limit=100")).body.items;
    return (events.length > 0 && calls.length > MANY) || null;
  });
});
after(() => gateway.end());

/** Every item of a list, as text, and the most that a page had. */
async function read(client: Client, path: string, limit: number): Promise<{ all: string[]; most: number } | null> {
  const all: string[] = [];
  let [cursor, most]: [string | null, number] = [null, 0];
  do {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor !== null && { cursor }) });
    const reply = await client.get<Record<string, unknown> & { nextCursor: string | null }>(`${path}?${query}`);
    if (reply.status === 404 || reply.status === 400) return null;
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    const items = Object.values(reply.body).find(Array.isArray) ?? [];
    all.push(...items.map(nameOf));
    most = Math.max(most, items.length);
    cursor = reply.body.nextCursor;
    assert.ok(cursor === null || items.length > 0 || path === OF_ACCOUNTS, `${path} goes on behind an empty page`);
  } while (cursor !== null);
  return { all, most };
}

/** What names an item, and does not change while a list is read. */
function nameOf(item: unknown): string {
  const { id, traceId, walletId, subAccount } = item as Record<string, unknown>;
  return String(id ?? traceId ?? walletId ?? subAccount ?? JSON.stringify(item));
}

/** From the first item of an earlier reading on: what is newer came meanwhile. */
const since = (all: readonly string[], first: string | undefined): readonly string[] =>
  all.slice(Math.max(0, all.indexOf(first ?? "")));

describe("pages of one object, and pages that a byte bound ends, together are the whole list, once:", () => {
  for (const document of ["merchant", "operator"] as const) {
    test(`of every list of the ${document} document`, async () => {
      const client = document === "merchant" ? merchant.client : gateway.operator;
      const bound = LIMITS as { pageBytes: number };
      const usual = bound.pageBytes;
      const [seen, bounded]: [string[], string[]] = [[], []];
      for (const list of listsIn(document)) {
        const path = list.replace("{id}", document === "merchant" ? paid : merchant.accountId);
        const whole = await read(client, path, 100);
        if (whole === null) continue;
        assert.equal(new Set(whole.all).size, whole.all.length, `${path} has an item twice`);
        const one = await read(client, path, 1);
        assert.deepEqual(since(one!.all, whole.all[0]), whole.all, `${path} in pages of one object`);
        try {
          bound.pageBytes = 1;
          const small = await read(client, path, 100);
          assert.deepEqual(since(small!.all, whole.all[0]), whole.all, `${path} under a small byte bound`);
          if (whole.most > 20 && !OF_LINES.test(path)) {
            assert.equal(small!.most, 20, `${path} has no byte bound`);
            bounded.push(path);
          }
        } finally {
          bound.pageBytes = usual;
        }
        if (whole.all.length > 1) seen.push(path);
      }
      assert.ok(seen.length >= 4, `lists of more than one item: ${seen.join(" ")}`);
      assert.ok(bounded.length >= 3, `lists of more than 20 items: ${bounded.join(" ")}`);
    });
  }
});
