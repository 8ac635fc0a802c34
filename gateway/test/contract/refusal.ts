import assert from "node:assert/strict";
import { sql } from "../../src/db/sql.ts";
import type { Client, Reply } from "../harness/client.ts";
import type { TestGateway } from "../harness/gateway.ts";
import { assertPublished } from "../harness/published.ts";

/** The standard error body (interface, section Errors). */
type ErrorBody = {
  statusCode: number;
  error: string;
  message: string;
  details: { code: string; issues?: { path: string; message: string }[] } & Record<string, unknown>;
  timestamp: string;
  traceId: string;
};

const NAMES: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  422: "UnprocessableEntity",
  429: "TooManyRequests",
  431: "RequestHeaderFieldsTooLarge",
  500: "InternalError",
  503: "ServiceUnavailable",
};

/** What must never leave in a message: SQL, a stack, a path of the program. */
const INSIDES = /\b(select|insert into|update \w+ set|delete from|relation|syntax)\b|\bat \S+:\d+|node_modules|\.ts\b/i;

/** Asserts that a reply is the standard error body and nothing else, and gives it. */
export function assertRefused(reply: Reply<unknown>, status: number, code: string, what = ""): ErrorBody {
  assert.equal(reply.status, status, `${what} ${reply.text.slice(0, 500)}`);
  const body = reply.body as ErrorBody;
  const keys = ["details", "error", "message", "statusCode", "timestamp", "traceId"];
  assert.deepEqual(Object.keys(body).sort(), keys, what);
  assert.equal(body.statusCode, status);
  assert.equal(body.error, NAMES[status]);
  assert.equal(body.details.code, code, `${what} ${reply.text.slice(0, 500)}`);
  assert.equal(typeof body.message, "string");
  assert.notEqual(body.message, "");
  assert.doesNotMatch(body.message, INSIDES);
  assert.equal(new Date(body.timestamp).toISOString(), body.timestamp);
  assert.ok(Math.abs(Date.parse(body.timestamp) - Date.now()) < 60_000);
  assert.match(body.traceId, /^[0-9a-f-]{36}$/);
  assert.equal(reply.headers.get("x-request-id"), body.traceId);
  assert.equal(reply.headers.get("content-type"), "application/json; charset=utf-8");
  if (code === "VALIDATION_ERROR") {
    assert.ok(body.details.issues && body.details.issues.length > 0, `${what}: no issues`);
    for (const issue of body.details.issues) {
      assert.deepEqual(Object.keys(issue).sort(), ["message", "path"]);
      assert.ok(typeof issue.path === "string" && issue.path !== "" && typeof issue.message === "string");
    }
  }
  return body;
}

/** Asserts a 400 VALIDATION_ERROR that names exactly these fields, in any order. */
export function assertInvalid(reply: Reply<unknown>, paths: readonly string[], what = ""): void {
  const { details } = assertRefused(reply, 400, "VALIDATION_ERROR", what);
  const named = [...new Set(details.issues!.map((issue) => issue.path))].sort();
  assert.deepEqual(named, [...paths].sort(), `${what} ${reply.text.slice(0, 500)}`);
}

/**
 * Everything that a refusal must leave as it is: what the PSP holds, balances, and our rows. Returns of blocked
 * deposits and of second payments go on by themselves meanwhile, so they and their events do not count.
 */
async function picture(gateway: TestGateway): Promise<unknown> {
  const [state, { rows }] = await Promise.all([
    gateway.simulator.get<Record<"charges" | "pix" | "payouts", { total: number }>>("/state"),
    gateway.running.ctx.db.query(sql`
      select (select count(*) from charges) as charges, (select count(*) from ledger_transfers where kind <> 'deposit_returned') as transfers,
        (select coalesce(sum(balance), 0) from ledger_accounts where kind = 'available') as available,
        (select count(*) from movements) as movements, (select count(*) from received_pix) as pix,
        (select count(*) from events where kind not in ('deposit_returned', 'duplicate_payment_returned')) as events,
        (select count(*) from idempotency_keys) as keys, (select count(*) from audit_log) as audits,
        (select count(*) from webhook_endpoints) as endpoints, (select count(*) from credentials) as credentials,
        (select count(*) from wallets) as wallets, (select count(*) from withdrawals) as withdrawals,
        (select md5(string_agg(a::text, ',' order by a.account_id)) from accounts a) as accounts`),
  ]);
  const { charges, pix, payouts } = state.body;
  return { psp: { charges: charges.total, pix: pix.total, payouts: payouts.total }, ours: rows[0] };
}

/** Runs what is to be refused and asserts that nothing moved: not here, not at the PSP. */
export async function nothingMoves<T>(gateway: TestGateway, work: () => Promise<T>): Promise<T> {
  const before = await picture(gateway);
  const result = await work();
  assert.deepEqual(await picture(gateway), before);
  return result;
}

/** A call without any content type, as a bare HTTP client makes it. */
export async function bare(
  client: Client,
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<Reply<Record<string, unknown>>> {
  const response = await fetch(client.base + path, {
    method,
    headers: { authorization: `Bearer ${client.token}`, ...headers },
    // Bytes, since fetch gives text a content type of its own.
    body: body === undefined ? null : new TextEncoder().encode(body),
  });
  const text = await response.text();
  assertPublished(method, client.base + path, { status: response.status, headers: response.headers, text });
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}
