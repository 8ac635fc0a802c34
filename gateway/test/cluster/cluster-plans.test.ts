/**
 * Every statement that the gateway sends while money moves, by the cluster's own log: how many shards and servers it reached.
 * `PIXGATE_WRITE_PLANS=1` writes them to docs/performance/cluster-statements.md; otherwise the test compares.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import pg from "pg";
import { describedTables } from "../../src/db/columns.ts";
import { sql, TENANTS } from "../../src/db/sql.ts";
import { give, newMerchant } from "../contract/money.ts";
import { pay, refundManually, settleRefund } from "../contract/payments.ts";
import { becomes, MARIA, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { NEEDS_CLUSTER, ON_CLUSTER } from "../harness/on-cluster.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";

const PAGE = new URL("../../../docs/performance/cluster-statements.md", import.meta.url);
const AGAIN = "write the page again: PIXGATE_WRITE_PLANS=1 npm run test:cluster cluster-plans";
const MERCHANTS = 6;
/** Statements that begin or set, and write or read no row. */
const NO_ROWS = /^\s*(begin|commit|rollback|set|discard|show)\b/i;
/** A loop's reads without an account: what is due, wherever it lies. They lock and write nothing. */
const WRITES_OR_LOCKS = /\b(insert into|update \w+ (\w+ )?set|delete from|for (no key )?update|for share)\b/i;
/** Rows that are there already; a shard that is not at the coordinator, where it is asked for again here. */
const EXPECTED = /duplicate key value|violates|division by zero/;
/** The number behind a table's name: the statement was sent to the server that has this shard of it. */
const SHARD = /_(\d{6,})\b/g;
const ISSUED = /^issuing (?!(begin|savepoint|release|rollback|set|commit|prepare|assign)\b)/i;

type Sent = { readonly text: string; readonly values: readonly unknown[] };
type Reached = { readonly tasks: number; readonly shards: number; readonly servers: number };

let gateway: TestGateway;
type Statements = Map<string, Sent[]>;
const [ofMerchants, ofOperators]: [Statements, Statements] = [new Map(), new Map()];
let recording: Statements | null = null;
/** Connections for checks of everything, on which the name of each table means the rows of one shard (db/cluster/parts.ts). */
const ofParts = new WeakSet<pg.Client>();
/** Statements that the cluster refused when they were run again, with its words. */
const refused: string[] = [];
let receiver: Receiver | undefined;
const { query } = pg.Client.prototype;

before(async () => {
  if (!ON_CLUSTER) return;
  // Records what the pool sends, and passes it on as it is.
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const { text } = given[0] as Partial<Sent>;
    if (text !== undefined && /\bcreate or replace temporary view\b/.test(text)) ofParts.add(this);
    if (recording !== null && !ofParts.has(this)) record(recording, given[0]);
    return (query as (...given: unknown[]) => unknown).apply(this, given);
  } as typeof query;
  gateway = await startGateway();
});
after(async () => {
  pg.Client.prototype.query = query;
  await receiver?.close();
  if (ON_CLUSTER) await gateway.stop();
});

function record(sent: Statements, statement: unknown): void {
  const { text, values } = statement as Partial<Sent>;
  if (text === undefined || NO_ROWS.test(text)) return;
  const key = text.replace(/\s+/g, " ").replace(SHARD, "").replaceAll(`${TENANTS} `, "").trim();
  const known = sent.get(key) ?? [];
  // A statement about several accounts is looked at with several sets of them.
  if (known.length < 3) sent.set(key, [...known, { text, values: values ?? [] }]);
}

test("what writes or locks rows of accounts reaches one shard; what reaches more is a read that the page names", {
  skip: NEEDS_CLUSTER,
  timeout: 600_000,
}, async () => {
  await moveMoney();
  // An event may be delivered twice, so what counts is which ones arrived.
  const events = new Set(receiver!.received.map(({ headers }) => headers["webhook-id"]));
  assert.ok(events.size >= MERCHANTS * 3, `${events.size} events`);
  await gateway.verify();
  const groups = await shardGroups();
  const mixed = [...ofMerchants.values()]
    .flat()
    .filter(({ text }) => shardsIn([text], groups).size > 0 && namesWhole(text));
  assert.deepEqual(
    mixed.map(({ text }) => text),
    [],
    "a statement sent to a shard names a table of all accounts",
  );
  const lines = await reachAll(ofMerchants, groups);
  if (process.env.PIXGATE_WRITE_PLANS) writeFileSync(PAGE, pageOf(lines));
  assertPlanned(lines);
  assert.ok(lines.filter((one) => one.shards === 1).length > 30, "the statements of money were recorded");
  const page = readFileSync(PAGE, "utf8");
  // By its text: how many shards have rows to read, and which loops run meanwhile, is chance.
  const missing = lines.filter((one) => one.shards > 1 && !page.includes(textOf(one))).map(rowOf);
  assert.deepEqual(missing, [], AGAIN);
});

test("a cluster plans every list and search of operators, and reads one account in one shard", {
  skip: NEEDS_CLUSTER,
  timeout: 600_000,
}, async () => {
  const { accountId, client } = await newMerchant(gateway);
  const { id } = await pay(client, 10);
  recording = ofOperators;
  for (const path of operatorsReadsOf(accountId, id)) {
    const { status, text } = await gateway.operator.get(path);
    assert.equal(status, 200, `${path}: ${text}`);
  }
  recording = null;
  const lines = await reachAll(ofOperators, await shardGroups());
  assertPlanned(lines);
  assert.ok(lines.filter((one) => one.shards > 1).length > 20, "the statements of operators were recorded");
});

/** The cluster has refused none, and what writes, locks or is about one account reaches one shard. */
function assertPlanned(lines: readonly Line[]): void {
  assert.deepEqual(refused, [], "the cluster refused a statement");
  assert.deepEqual(
    lines.filter((one) => one.shards > 1 && WRITES_OR_LOCKS.test(one.text)).map((one) => one.text),
    [],
    "a statement that writes or locks rows in several shards",
  );
  assert.deepEqual(
    lines.filter(isNeedless).map((one) => one.text),
    [],
    "a read of one account that reaches several shards",
  );
}

/** What each statement reached, the widest of its samples. */
async function reachAll(sent: Statements, groups: ReadonlyMap<string, number>): Promise<Line[]> {
  const found = new Map<string, Reached>();
  for (const [text, samples] of sent) {
    for (const sample of samples) {
      const reached = await reach(sample, groups);
      const known = found.get(text);
      if (known === undefined || reached.shards > known.shards) found.set(text, reached);
    }
  }
  return [...found].map(([text, reached]) => ({ text, ...reached }));
}

test("every table that the page of statements names is in the schema", () => {
  const schema = readFileSync(new URL("../../src/db/schema.sql", import.meta.url), "utf8");
  const named = readFileSync(PAGE, "utf8").matchAll(/^\| (?:insert into|update|delete from) (\w+)/gm);
  const tables = [...new Set([...named].map(([, table]) => table!))];
  assert.ok(tables.length > 5);
  for (const table of tables) assert.ok(schema.includes(`create table ${table} `), `${table}: ${AGAIN}`);
});

/** What merchants do all day, in accounts of several shards at once. */
async function moveMoney(): Promise<void> {
  receiver = await startReceiver();
  const { url } = receiver;
  recording = ofMerchants;
  const merchants = await Promise.all(Array.from({ length: MERCHANTS }, () => newMerchant(gateway, ["shop"])));
  await Promise.all(
    merchants.map(async ({ accountId, client }) => {
      await give(gateway, accountId, 100);
      const endpoint = await client.post<{ id: string }>("/webhook-endpoints", { url });
      assert.equal((await client.post("/projects", { name: "Shop", color: "#123456" })).status, 201);
      assert.equal((await client.post("/qr-codes", { kind: "static", name: "Till" })).status, 201);
      assert.equal((await client.post("/transfers", { subAccount: "shop", amount: 1 })).status, 201);
      const paid = await pay(client, 20, { externalReference: "order-1" });
      await becomesPaid(client, paid.id);
      await refundManually(client, paid.id);
      await settleRefund(client, paid.id, "confirm");
      const made = await withdraw(client, { amount: 5, ...MARIA });
      await becomes(client, made.id, "completed");
      for (const path of readsOf(paid.id, made.id)) {
        const { status, text } = await client.get(path);
        assert.equal(status, 200, `${path}: ${text}`);
      }
      const replay = { since: "2026-01-01T00:00:00Z", dryRun: true };
      for (const onlyFailed of [true, false]) {
        const reply = await client.post(`/webhook-endpoints/${endpoint.body.id}/replay`, { ...replay, onlyFailed });
        assert.equal(reply.status, 200, reply.text);
      }
      const again = {
        headers: { headers: { "idempotency-key": "the-only-order" } },
        body: { amount: 3, description: "once" },
      };
      for (const status of [201, 201]) {
        const reply = await client.post("/pix", again.body, again.headers);
        assert.equal(reply.status, status, reply.text);
      }
    }),
  );
  const arrived = () => new Set(receiver!.received.map(({ headers }) => headers["webhook-id"])).size;
  await eventually("the deliveries", () => arrived() >= MERCHANTS * 3);
  recording = null;
}

/** Every list and object that a merchant reads: of one wallet, of all, and with each filter that changes the statement. */
function readsOf(paymentId: string, withdrawalId: string): string[] {
  const time = "from=2026-01-01T00:00:00Z&to=2099-01-01T00:00:00Z";
  const lists = {
    "/transactions": [
      "",
      "externalReference=order-1",
      "status=pending",
      "e2eId=E1",
      "payer=Maria&minAmount=1",
      time,
      `originalTransactionId=${paymentId}`,
    ],
    "/withdrawals": ["", "status=completed", "status=reversed", "waitsForPerson=true", time],
    "/returns": ["", "status=failed", time],
    "/balance-blocks": ["", "status=approved"],
    "/statement": ["", "kind=charge_paid", time, `transactionId=${paymentId}`, `originalTransactionId=${paymentId}`],
    "/events": ["", "event=payment_completed", time],
  };
  return [
    ...Object.entries(lists).flatMap(([path, queries]) =>
      queries.flatMap((query) => [`${path}?${query}`, `${path}?${query}&subAccount=*`]),
    ),
    ...[`/transactions/${paymentId}`, "/transactions/order-1", `/withdrawals/${withdrawalId}`],
    ...[`/transactions/${paymentId}/refunds`, "/transfers", "/webhook-endpoints", "/webhook-deliveries"],
    ...["/account", "/sub-accounts", "/projects", "/institutions", "/requests", `/search?q=${paymentId}`],
    ...["/account/summary", "/statement/summary", "/balance/explanation", "/balances", "/refunds", "/payment-links"],
    ...["/projects?figures=true", "/qr-codes?figures=true", "/search?q=maria", "/search?q=20,00"],
    ...["/webhook-deliveries?status=pending", "/webhook-deliveries?event=payment_completed"],
  ];
}

/** Every list of operators, with each filter that changes the statement. */
function operatorsReadsOf(accountId: string, paymentId: string): string[] {
  const time = "from=2026-01-01T00:00:00Z&to=2099-01-01T00:00:00Z";
  const occurred = "occurredFrom=2026-01-01T00:00:00Z&occurredTo=2099-01-01T00:00:00Z";
  const one = `/accounts/${accountId}`;
  return [
    ...[
      "/accounts",
      "/accounts?balance=true",
      "/accounts?search=loja",
      "/accounts?search=11222333000181",
      `/accounts?dependsOn=${accountId}`,
      one,
    ],
    ...["balance", "institutions", "credentials", "statement", "balance/explanation"].map((list) => `${one}/${list}`),
    ...["webhook-endpoints", "webhook-deliveries", "webhook-deliveries?status=pending"].map((list) => `${one}/${list}`),
    ...[
      "",
      "status=pending",
      "minAmount=1&maxAmount=20",
      "e2eId=E1",
      "paidToOther=true",
      "paidToOther=true&receiverMeant=false",
      `accountId=${accountId}`,
      time,
    ].map((filter) => `/withdrawals?${filter}`),
    ...[
      "",
      `objectId=${paymentId}`,
      `accountId=${accountId}`,
      "action=account.*",
      "aboutMoney=true",
      "actor=nobody",
      time,
    ].map((filter) => `/audit-log?${filter}`),
    ...["", "counts=true", "status=open&severity=critical", `accountId=${accountId}`].map(
      (filter) => `/cases?${filter}`,
    ),
    ...["", "open=true", `accountId=${accountId}`, "order=deadline", "respondBefore=2099-01-01T00:00:00Z"].map(
      (filter) => `/balance-blocks?${filter}`,
    ),
    ...["/unmatched", "/unmatched?status=open", "/treasury", `/treasury?${occurred}`, "/reports/fees", "/queues"],
    ...[paymentId, `E${"1".repeat(31)}`, "loja", "maria@example.com", "52998224725", "20,00%20hoje"].map(
      (what) => `/search?q=${what}`,
    ),
    ...[
      "/ledger/findings",
      "/jobs",
      "/brakes",
      "/institutions",
      "/institutions/activity",
      "/tokens",
      "/audit-log/head",
    ],
  ];
}

async function becomesPaid(client: TestGateway["merchant"], id: string): Promise<void> {
  await eventually("the charge to be completed", async () => {
    const { body } = await client.get<{ status: string }>(`/transactions/${id}`);
    return body.status === "completed";
  });
}

/** The shard of `accounts` beside which each shard of an account's table lies; shared tables have none. */
async function shardGroups(): Promise<ReadonlyMap<string, number>> {
  const { rows } = await gateway.owner.query<{ id: number; from: number }>(sql`
    select shardid as id, shardminvalue::bigint as "from" from pg_dist_shard where shardminvalue is not null`);
  return new Map(rows.map((row) => [String(row.id), row.from]));
}

/** Runs a statement once more, takes it back, and counts what the coordinator has sent for it. */
async function reach({ text, values }: Sent, groups: ReadonlyMap<string, number>): Promise<Reached> {
  const direct = shardsIn([text], groups);
  if (direct.size > 0) return { tasks: 1, shards: direct.size, servers: 1 };
  const url = new URL(gateway.databaseUrl);
  const { rows } = await gateway.owner.query<{ name: string }>(sql`select current_user::text as name`);
  [url.username, url.password] = [rows[0]!.name, ""];
  const client = new pg.Client({ connectionString: url.href });
  const issued: { message: string; server: string }[] = [];
  client.on("notice", (notice) => {
    if (ISSUED.test(notice.message ?? "")) issued.push({ message: notice.message!, server: notice.detail ?? "" });
  });
  await client.connect();
  try {
    await client.query("begin; set local citus.log_remote_commands = on; set local lock_timeout = '5s'");
    // Rows that are there already are refused: the command has left by then. Any other refusal is a finding.
    await client.query({ text, values: [...values] }).catch(({ message }: Error) => {
      if (!EXPECTED.test(message)) refused.push(`${message}: ${text}`);
    });
    await client.query("rollback");
  } finally {
    await client.end();
  }
  const shards = shardsIn(
    issued.map(({ message }) => message),
    groups,
  );
  const servers = new Set(issued.map(({ server }) => /@(\S+)/.exec(server)?.[1]));
  return { tasks: issued.length, shards: shards.size, servers: servers.size };
}

/** The shards that texts name, each by its first hash. */
function shardsIn(texts: readonly string[], groups: ReadonlyMap<string, number>): ReadonlySet<number> {
  const ids = texts.flatMap((text) => [...text.matchAll(SHARD)].map(([, id]) => groups.get(id!)));
  return new Set(ids.filter((group) => group !== undefined));
}

/** It names a table of accounts without a shard's number. */
const namesWhole = (text: string): boolean =>
  describedTables.some(({ name }) => new RegExp(`\\b(from|join|into|update|using)\\s+${name}\\b`, "i").test(text));

type Line = Reached & { readonly text: string };

/** A filter of a list of all accounts. */
const OPTIONAL = /\(\$\d+::uuid is null or [\w.]*account_id = \$\d+\)/g;
/** It names its account, so one shard would do. */
const isNeedless = ({ text, shards }: Line): boolean =>
  shards > 1 && /\baccount_id = \$/.test(text.replace(OPTIONAL, ""));

/** Of a long statement the beginning and the end: those that read the same columns differ there. */
const shortOf = (text: string): string => (text.length <= 160 ? text : `${text.slice(0, 110)} … ${text.slice(-50)}`);

const textOf = ({ text }: Line): string => `| ${shortOf(text).replaceAll("|", "\\|").replaceAll("`", "'")} |`;
const rowOf = (line: Line): string => `${textOf(line)} ${line.shards} | ${line.servers} |`;

function pageOf(lines: readonly Line[]): string {
  const sorted = [...lines].sort((a, b) => a.text.localeCompare(b.text));
  const tableOf = (chosen: readonly Line[]) =>
    ["| statement, its beginning | shards | servers |", "|---|---:|---:|", ...new Set(chosen.map(rowOf))].join("\n");
  const several = sorted.filter((one) => one.shards > 1);
  return `# Statements on a cluster

Written by \`PIXGATE_WRITE_PLANS=1 npm run test:cluster cluster-plans\`, which moves money in ${MERCHANTS} accounts at once, reads every
list of a merchant's, records every statement that the gateway sends meanwhile, runs each once more and counts what the coordinator sends for it
(\`citus.log_remote_commands\`). A statement that the gateway itself sent to a shard, at the server that holds it, is counted by the shards
that it names. The same test compares this page where there is a cluster.

## One shard at most

0: the statement reads shared tables alone, whose copy the coordinator has.

${tableOf(sorted.filter((one) => one.shards <= 1))}

## Several shards

Reads without an account, or of several. They find what is due wherever it lies. They lock and write nothing, and none names one
account: the test refuses one that does.

${tableOf(several)}
`;
}
