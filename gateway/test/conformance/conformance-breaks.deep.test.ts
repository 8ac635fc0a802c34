/**
 * Every check of the conformance suite finds an implementation that breaks its sentence: a proxy before the real gateway changes
 * requests, answers and deliveries, one rule at a time.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import type { Target } from "../../../conformance/src/check.ts";
import { connect } from "../../../conformance/src/client.ts";
import { conforms } from "../../../conformance/src/report.ts";
import { CHECKS, runChecks } from "../../../conformance/src/run.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests break answers of any shape
type Fields = Record<string, any>;
type Call = { readonly method: string; readonly path: string; headers: Record<string, string>; body: Fields | null };
type Answer = { status: number; headers: Record<string, string>; body: Fields };
type Delivery = { headers: Record<string, string>; body: Fields };
/** How an implementation is broken: each function changes what it is given. */
type Broken = {
  readonly what: string;
  /** Ids of the checks that find it. */
  readonly finds: readonly string[];
  readonly request?: (call: Call) => void;
  readonly answer?: (answer: Answer, call: Call) => void;
  readonly delivery?: (delivery: Delivery) => void;
  /** Receivers are registered, and nothing reaches them. */
  readonly silent?: true;
};

const isCharge = ({ method, path }: Call) => method === "POST" && path === "/pix";
const isRead = ({ method, path }: Call) => method === "GET" && path.startsWith("/transactions/");
const isById = ({ path }: Call) => /^\/transactions\/[0-9a-f]{8}-[0-9a-f]{4}-7/.test(path);
const isRefund = ({ path }: Call) => path.endsWith("/refund");
const calls = (method: string, path: string) => (call: Call) => call.method === method && call.path === path;

/** Changes the answers of some calls. */
const answers =
  (which: (call: Call) => boolean, change: (body: Fields, answer: Answer) => void) =>
  (answer: Answer, call: Call): void => {
    if (which(call)) change(answer.body, answer);
  };
/** Answers another status than the gateway did. */
const turns = (which: (call: Call) => boolean, from: number, to: number) =>
  answers(which, (body, answer) => {
    if (answer.status !== from) return;
    answer.status = to;
    if (to >= 400) body.statusCode = to;
  });
/** Changes the bodies of some calls before the gateway reads them. */
const bodies =
  (which: (call: Call) => boolean, change: (body: Fields) => void) =>
  (call: Call): void => {
    if (which(call) && call.body !== null) change(call.body);
  };
const recodes = (code: string) =>
  answers(
    () => true,
    ({ details }) => {
      if (details?.code === code) details.code = "ANOTHER_CODE";
    },
  );
const delivers =
  (kind: string, change: (data: Fields, body: Fields) => void) =>
  ({ body }: Delivery): void => {
    if (body.event === kind) change(body.data, body);
  };

const BROKEN: readonly Broken[] = [
  { what: "tokens live an hour", finds: ["auth.token"], answer: answers(calls("POST", "/auth"), (body) => (body.expires_in &&= 3_600)) },
  { what: "a missing field is 401", finds: ["auth.missing"], answer: turns(calls("POST", "/auth"), 400, 401) },
  { what: "POST /auth has the standard error body", finds: ["auth.error-body"], answer: answers(calls("POST", "/auth"), (body, { status }) => (body.statusCode = status)) },
  { what: "a missing token is 403", finds: ["auth.required"], answer: turns(({ path }) => path !== "/auth", 401, 403) },
  { what: "a missing permission is 401", finds: ["permissions.forbidden"], answer: turns(() => true, 403, 401) },
  { what: "refused sub-account access has no code", finds: ["permissions.sub-account"], answer: recodes("SUB_ACCOUNT_FORBIDDEN") },
  { what: "a created charge is 200", finds: ["charges.created"], answer: turns(isCharge, 201, 200) },
  { what: "a due date is not echoed", finds: ["due.terms"], answer: answers(isCharge, (body) => delete body.due) },
  { what: "a due date needs no customer", finds: ["due.customer"], request: bodies(isCharge, (body) => { if (body.due) body.customer ??= { name: "A", document: "52998224725" }; }) },
  { what: "an edit keeps the old fine", finds: ["due.edited"], answer: answers(isRead, ({ due }) => { if (due) due.fine = { percent: 2 }; }) },
  { what: "what was asked is forgotten", finds: ["due.paid"], answer: answers(isRead, (body) => delete body.chargedAmount) },
  { what: "a charge has no currency", finds: ["charges.response"], answer: answers(isCharge, (body) => delete body.currency) },
  { what: "the picture is no PNG", finds: ["charges.qr"], answer: answers(isCharge, (body) => (body.qrCodeBase64 &&= body.qrCodeBase64.replace("png", "gif"))) },
  { what: "the code's checksum is wrong", finds: ["charges.copy-paste"], answer: answers(isCharge, (body) => (body.pixCopyPaste &&= body.pixCopyPaste.replace(/.{4}$/, "0000"))) },
  { what: "every charge is accepted", finds: ["charges.amount", "charges.description", "charges.customer", "charges.expiry", "charges.reference", "charges.metadata", "charges.split.items", "charges.split.sum", "charges.project"], answer: turns(isCharge, 400, 201) },
  { what: "expiresIn is ignored", finds: ["charges.expiry"], request: bodies(isCharge, (body) => delete body.expiresIn) },
  { what: "metadata is lost", finds: ["charges.metadata"], answer: answers(isRead, (body) => delete body.metadata) },
  { what: "externalReference is not echoed", finds: ["charges.reference"], answer: answers(isCharge, (body) => delete body.externalReference) },
  { what: "an unknown recipient is 400", finds: ["charges.split.unknown", "charges.project"], answer: turns(isCharge, 404, 400) },
  { what: "a split is accepted in part", finds: ["charges.split.accepted"], answer: answers(isCharge, (body) => (body.split &&= [])) },
  { what: "every charge has a split", finds: ["charges.split.absent"], answer: answers(isCharge, (body) => (body.split ??= [])) },
  { what: "every charge is pinned", finds: ["charges.institution"], answer: answers(isCharge, (body) => (body.pspCredentialId ??= null)) },
  { what: "no project is inherited", finds: ["charges.project.inherited"], answer: answers(isRead, (body) => delete body.projectId) },
  { what: "Idempotency-Key is ignored", finds: ["idempotency.replay", "idempotency.race", "idempotency.other-body", "idempotency.length", "idempotency.look-up", "withdrawals.created", "withdrawals.key"], request: ({ headers }) => delete headers["idempotency-key"] },
  { what: "a reference finds another object", finds: ["idempotency.look-up", "idempotency.order"], answer: (answer, call) => { if (isRead(call) && !isById(call)) answer.body.id = randomUUID(); } },
  { what: "a charge has another type", finds: ["transactions.fields", "withdrawals.look-up"], answer: answers(isRead, (body) => (body.type = "charge")) },
  { what: "404 has no details", finds: ["transactions.unknown"], answer: answers(isRead, (body) => delete body.details) },
  { what: "amountFormatted is in centavos", finds: ["account.fields"], answer: answers(calls("GET", "/account"), ({ balance }) => (balance.available.amountFormatted = balance.available.amount)) },
  { what: "every project is accepted", finds: ["projects.create"], answer: turns(calls("POST", "/projects"), 400, 201) },
  { what: "409 does not say which field", finds: ["projects.taken"], answer: answers(calls("POST", "/projects"), ({ details }) => delete details?.field) },
  { what: "the list of projects has no totalPages", finds: ["projects.list"], answer: answers(calls("GET", "/projects"), (body) => delete body.totalPages) },
  { what: "the logo is lost", finds: ["projects.fields"], answer: answers(calls("POST", "/projects"), (body) => delete body.logoUrl) },
  { what: "the list of sub-accounts is in items", finds: ["sub-accounts.create"], answer: answers(calls("GET", "/sub-accounts"), (body) => { body.items = body.data; delete body.data; }) },
  { what: "an invalid reference has another code", finds: ["sub-accounts.reference", "sub-accounts.pattern"], answer: recodes("SUB_ACCOUNT_INVALID_REFERENCE") },
  { what: "a taken reference has another code", finds: ["sub-accounts.taken"], answer: recodes("SUB_ACCOUNT_REFERENCE_TAKEN") },
  { what: "X-Sub-Account is ignored", finds: ["sub-accounts.header", "sub-accounts.apart", "sub-accounts.pattern", "payments.split", "events.sub-account"], request: ({ headers }) => delete headers["x-sub-account"] },
  { what: "sub-accounts are made below a sub-account", finds: ["sub-accounts.main"], request: (call) => { if (call.path === "/sub-accounts" && call.headers["x-sub-account"]) call.body!.reference += "-x"; } },
  { what: "names are cut", finds: ["sub-accounts.name"], request: bodies(calls("POST", "/sub-accounts"), (body) => (body.name &&= body.name.slice(0, 255))) },
  { what: "errors have no time", finds: ["errors.body", "refunds.refused", "refunds.reason", "withdrawals.balance"], answer: answers(({ path }) => path !== "/auth", (body, { status }) => { if (status >= 400) delete body.timestamp; }) },
  { what: "answers are text/plain", finds: ["base.json"], answer: ({ headers }) => { headers["content-type"] = "text/plain"; } },
  { what: "netAmount forgets the fee", finds: ["events.payment"], delivery: delivers("payment_completed", (data) => (data.netAmount = data.amount + 0.01)) },
  { what: "eventId is a random one", finds: ["events.envelope", "events.expired"], delivery: ({ body }) => { body.eventId = randomUUID(); } },
  { what: "deliveries have no id", finds: ["events.headers"], delivery: ({ headers }) => { delete headers["x-service-webhook-id"]; } },
  { what: "deliveries are signed with something else", finds: ["events.signature"], delivery: ({ headers }) => { headers["x-service-signature"] = `sha256=${"0".repeat(64)}`; } },
  { what: "the event reports what was asked, not what was shared", finds: ["events.split"], delivery: delivers("payment_completed", (data) => (data.split &&= [])) },
  { what: "events do not say whose they are", finds: ["events.sub-account"], delivery: ({ body }) => { body.subAccount = null; } },
  { what: "the refund's fee is taken from the customer", finds: ["events.refund"], delivery: delivers("refund_completed", (data) => (data.netAmount -= 0.25)) },
  { what: "each attempt is another event", finds: ["events.retry"], delivery: ({ body }) => { body.attempt = randomUUID(); } },
  { what: "a paid charge shows its code", finds: ["payments.completed"], answer: answers(isRead, (body) => (body.pixCopyPaste ??= "000201")) },
  { what: "documents are masked", finds: ["payments.counterpart"], answer: answers(isRead, (body) => (body.counterpartDocument &&= "***.982.247-**")) },
  { what: "a share is more than it was", finds: ["payments.split", "payments.originator", "refunds.originator"], request: bodies(isCharge, ({ split }) => { if (split) split[0].amount += 0.5; }) },
  { what: "a blocked deposit gives no reason", finds: ["payments.blocked"], answer: answers(isRead, (body) => delete body.blockedDeposit) },
  { what: "a refund has another status", finds: ["refunds.pending"], answer: answers(isRefund, (body) => (body.status &&= "ACCEPTED")) },
  { what: "reasons are cut", finds: ["refunds.reason"], request: bodies(isRefund, (body) => (body.reason &&= body.reason.slice(0, 255))) },
  { what: "the pix key is not kept", finds: ["withdrawals.fields"], answer: answers(calls("POST", "/withdrawals"), (body) => delete body.snapshotPixKey) },
  { what: "withdrawals end in states of their own", finds: ["withdrawals.completed", "withdrawals.failed", "withdrawals.reversed"], delivery: ({ body }) => { if (body.event.startsWith("withdrawal_")) body.data.status = "done"; } },
  { what: "the list of blocks has no total", finds: ["blocks.list"], answer: answers(calls("GET", "/balance-blocks"), (body) => delete body.total) },
  { what: "blocks end in a state of their own", finds: ["blocks.approved", "blocks.rejected"], answer: answers(calls("GET", "/balance-blocks"), ({ items }) => { for (const item of items) item.status = "closed"; }) },
  { what: "a block shows another amount", finds: ["blocks.created"], answer: answers(calls("GET", "/balance-blocks"), ({ items }) => { for (const item of items) item.amount += 1; }) },
]; // biome-ignore format: a table reads better in rows

describe("A check of the conformance suite", () => {
  let gateway: TestGateway;
  let broken: Broken = { what: "", finds: [] };
  // What cannot be passed on is lost: a receiver may be gone, with its check, before its event is tried again.
  const proxy = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  let target: Target;
  before(async () => {
    gateway = await startGateway();
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { clientId, clientSecret, accountId } = gateway.sandbox;
    const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${accountId}/credentials`,
      { name: "restricted", permissions: ["TRANSACTION:READ"] },
    );
    const connected = (id: string, secret: string) => connect(addressOf(), id, secret);
    const restricted = connected(made.body.clientId, made.body.clientSecret);
    target = {
      client: connected(clientId, clientSecret),
      restricted,
      clientId,
      clientSecret,
      money: true,
      webhooks: true,
    };
  });
  after(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    await gateway.end();
  });
  const addressOf = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await text(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers as Record<string, string>).filter(([name]) => !OF_A_CONNECTION.includes(name)),
    );
    const relayed = request.url!.startsWith("/relay/")
      ? decodeURIComponent(request.url!.slice("/relay/".length))
      : null;
    const answer = relayed === null ? await pass(request, raw, headers) : await deliver(relayed, raw, headers);
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers }).end(answer.text);
  }

  /** A request on its way to the gateway, and its answer. */
  async function pass({ method = "", url = "" }: IncomingMessage, raw: string, headers: Record<string, string>) {
    const call: Call = { method, path: url, headers, body: objectOf(raw) };
    // Deliveries come through the proxy too.
    if (url === "/webhook-endpoints") call.body!.url = `${addressOf()}/relay/${encodeURIComponent(call.body!.url)}`;
    broken.request?.(call);
    const body = call.body === null ? raw : JSON.stringify(call.body);
    const reply = await fetch(gateway.sandbox.baseUrl + url, { method, headers, ...(body === "" ? {} : { body }) });
    const given = await reply.text();
    const answer: Answer = { status: reply.status, headers: {}, body: objectOf(given) ?? {} };
    broken.answer?.(answer, call);
    return { ...answer, text: given === "" ? "" : JSON.stringify(answer.body) };
  }

  async function deliver(to: string, raw: string, headers: Record<string, string>) {
    if (broken.silent) return { status: 204, headers: {}, text: "" };
    const delivery: Delivery = { headers, body: JSON.parse(raw) as Fields };
    broken.delivery?.(delivery);
    const isChanged = JSON.stringify(delivery.body) !== JSON.stringify(JSON.parse(raw));
    const body = isChanged ? JSON.stringify(delivery.body) : raw;
    const { status } = await fetch(to, { method: "POST", headers: delivery.headers, body });
    return { status, headers: {}, text: "" };
  }

  test("is there for every sentence that the suite holds, and each is broken below", () => {
    const found = new Set(BROKEN.flatMap(({ finds }) => finds));
    assert.deepEqual([...found].sort(), CHECKS.map(({ id }) => id).sort());
  });

  test("passes through a proxy that changes nothing", async () => {
    broken = { what: "nothing", finds: [] };
    const outcomes = await runChecks(target, (id) => /^(auth|charges\.(created|amount)|events\.payment)/.test(id));
    assert.deepEqual(
      outcomes.filter(({ result }) => result !== "passed"),
      [],
    );
  });

  test("fails where receivers are registered and nothing is ever delivered, unless none can be reached", async () => {
    broken = { what: "nothing is delivered", finds: [], silent: true };
    const unreachable = await runChecks({ ...target, webhooks: false }, () => true);
    assert.deepEqual(
      unreachable.filter(({ result }) => result !== "passed" && result !== "skipped"),
      [],
    );
    const awaiting = unreachable.filter(({ result }) => result === "skipped").map(({ id }) => id);
    assert.ok(awaiting.length >= 13 && awaiting.includes("withdrawals.completed"), awaiting.join(" "));
    const outcomes = await runChecks({ ...target, withinMs: 300 }, (id) => awaiting.includes(id));
    assert.deepEqual(
      outcomes.map(({ id, result }) => `${id} ${result}`),
      awaiting.map((id) => `${id} failed`),
    );
    assert.equal(conforms(outcomes), false);
  });

  for (const one of BROKEN)
    test(`fails where ${one.what}`, async () => {
      broken = one;
      const outcomes = await runChecks(target, (id) => one.finds.includes(id));
      assert.deepEqual(
        outcomes
          .filter(({ result }) => result !== "failed")
          .map(({ id, result, message }) => ({ id, result, message })),
        [],
      );
      assert.equal(outcomes.length, one.finds.length);
    });
});

const OF_A_CONNECTION = ["host", "connection", "content-length", "transfer-encoding", "keep-alive"];

function objectOf(raw: string): Fields | null {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === "object" && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}
