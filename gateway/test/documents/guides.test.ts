/** The requests of the guides about payouts and disputes succeed as written, in their order, and lead to what the guides say. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { credentialOf } from "../contract/merchant.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";
import { playBank, receive } from "./play-bank.ts";

const read = (page: string) => readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8");

type Request = {
  readonly method: string;
  readonly path: string;
  /** Which token the page shows, such as `$APPROVER`; `$TOKEN` where it shows none. */
  readonly caller: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
};

/** The requests of a page, each a block: method, path and headers on one line, the body below. */
function requestsOf(page: string): Request[] {
  const found = [...page.matchAll(/^```\n(GET|POST|PATCH) (\/\S+)( .*)?\n([^`]*)^```$/gm)];
  return found.map(([, method, path, head = "", body]) => ({
    method: method!,
    path: path!,
    caller: /Bearer (\$[A-Z]+)/.exec(head)?.[1] ?? "$TOKEN",
    headers: Object.fromEntries(
      [...head.matchAll(/(Idempotency-Key): (\S+)/g)].map(([, name, value]) => [name!, value!]),
    ),
    body: body!.trim() === "" ? undefined : body!,
  }));
}

type Answer = { id: string; status: string; failureCode?: string; pendingReason?: string };

describe("The guides", () => {
  let gateway: TestGateway;
  let accountId: string;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.end());

  async function newAccount(): Promise<void> {
    const made = await gateway.operator.post<{ id: string }>("/accounts", { name: "guides" });
    accountId = made.body.id;
    const fees = { charge: { fixed: 0.5 }, withdrawal: { fixed: 1 } };
    assert.equal((await gateway.operator.patch(`/accounts/${accountId}`, { fees })).status, 200);
  }

  /** Sends a request of a page by the caller that it shows; `{name}` in it is the value of `ids`. */
  async function send(request: Request, callers: Record<string, Client>, ids: Record<string, string>): Promise<Answer> {
    const fill = (text: string) => text.replace(/\{(\w+)\}/g, (written, name: string) => ids[name] ?? written);
    const path = fill(request.path.replace(/^\/(v2|operator\/v1)/, ""));
    const body = request.body === undefined ? undefined : fill(request.body);
    const { headers } = request;
    const caller = callers[request.caller]!;
    if (path.startsWith("/sandbox/")) return (await playBank(caller, { path, body, headers })) as Answer;
    const reply = await caller.send<Answer>(request.method, path, body, { headers });
    assert.ok(reply.status < 300, `${request.method} ${path}: ${reply.text}`);
    return reply.body;
  }

  test("docs/guides/payouts.md: a payout waits, is never approved by who requested it, leaves approved, and is refused", async () => {
    await newAccount();
    const payroll = ["WITHDRAWAL:WRITE", "WITHDRAWAL:APPROVE", "TRANSACTION:READ"];
    const callers = {
      $TOKEN: await credentialOf(gateway, accountId, { permissions: payroll }),
      $APPROVER: await credentialOf(gateway, accountId, {
        permissions: ["WITHDRAWAL:APPROVE", "TRANSACTION:READ"],
        by: await operatorOf(gateway, "Rafael", "admin"),
      }),
      $OPERATOR: gateway.operator,
    };
    const full = await credentialOf(gateway, accountId);
    await receive(full, 1_000);
    const requests = requestsOf(read("guides/payouts.md"));
    assert.equal(requests.length, 7);
    const ids: Record<string, string> = { account: accountId };
    const balance = async () => (await full.get<{ balance: object }>("/account")).body.balance;
    for (const request of requests) {
      const answer = await send(request, callers, ids);
      if (request.path === "/v2/withdrawals") {
        ids.withdrawal = answer.id;
        assert.deepEqual([answer.status, answer.pendingReason], ["pending", "awaiting_approval"]);
        const before = await balance();
        const refused = await callers.$TOKEN.post<{ details: object }>(`/withdrawals/${answer.id}/approve`);
        assert.deepEqual(
          [refused.status, (refused.body.details as { code: string }).code],
          [403, "APPROVAL_BY_CREATOR"],
        );
        assert.deepEqual(await balance(), before);
      }
      const read = async () => (await full.get<Answer>(`/withdrawals/${ids.withdrawal}`)).body;
      if (request.path.endsWith("/approve"))
        await eventually("the payout is paid", async () => (await read()).status === "completed");
      if (request.path.endsWith("/reject")) {
        const { status, failureCode } = await read();
        assert.deepEqual([status, failureCode], ["failed", "rejected"]);
      }
    }
    // 1,000.00 less the fee of the charge, and one payout of 150.00 with its fee.
    const { available } = (await balance()) as { available: { amountFormatted: number } };
    assert.equal(available.amountFormatted, 848.5);
  });

  test("docs/guides/tills.md: a till takes one charge after the other, and tips are paid by a code that stays", async () => {
    await newAccount();
    const client = await credentialOf(gateway, accountId, { permissions: ["PIX:WRITE", "TRANSACTION:READ"] });
    const ids: Record<string, string> = {};
    const requests = requestsOf(read("guides/tills.md"));
    assert.equal(requests.length, 7);
    const said: unknown[] = [];
    for (const request of requests) {
      const answer = await send(request, { $TOKEN: client }, ids);
      if (request.path === "/v2/qr-codes") ids[ids.till === undefined ? "till" : "tips"] = answer.id;
      if (request.path === "/v2/pix") ids.bill = answer.id;
      const { items } = answer as { items?: Answer[] };
      said.push(items ? items.map(({ status }) => status) : answer.status);
    }
    assert.deepEqual(said, ["active", "pending", "cancelled", "active", "completed", ["completed"], "disabled"]);
  });

  test("docs/guides/disputes.md: a dispute is defended and won, another one is lost, with the balances of its table", async () => {
    await newAccount();
    const page = read("guides/disputes.md");
    const permissions = [...page.split(/^## /m)[1]!.matchAll(/`([A-Z_]+:[A-Z]+)`/g)].map(([, name]) => name!);
    const client = await credentialOf(gateway, accountId, { permissions });
    const ids: Record<string, string> = {};
    const rows: string[][] = [];
    for (const request of requestsOf(page)) {
      const answer = await send(request, { $TOKEN: client }, ids);
      if (request.path === "/v2/pix") ids.charge = answer.id;
      if (request.path === "/v2/sandbox/balance-blocks") ids.block = answer.id;
      if (request.method === "GET" || request.path === "/v2/pix") continue;
      const { balance } = (
        await client.get<{ balance: Record<"available" | "held", { amountFormatted: number }> }>("/account")
      ).body;
      rows.push([balance.available, balance.held].map(({ amountFormatted }) => amountFormatted.toFixed(2)));
    }
    const table = [...page.matchAll(/^\| [^|`]+ \| (-?[\d.]+) \| (-?[\d.]+) \|$/gm)].map(([, ...row]) => row);
    assert.equal(table.length, 7);
    assert.deepEqual(rows, table);
    const { items } = (
      await client.get<{ items: { type: string }[] }>(`/transactions?originalTransactionId=${ids.charge}`)
    ).body;
    assert.deepEqual(
      items.map(({ type }) => type),
      ["chargeback"],
    );
  });
});
