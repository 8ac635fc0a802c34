/** A whole thread with marked secrets and people: where the marks turn up afterwards, and where they must not. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "../../src/db/sql.ts";
import { credentialOf, newAccount } from "../contract/merchant.ts";
import { refundIs } from "../contract/payments.ts";
import type { Client, Reply } from "../harness/client.ts";
import { type Collector, startCollector } from "../harness/collector.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { StrangeReceivers } from "../harness/strange-receivers.ts";

const PEOPLE = {
  name: "Zulmira Marcada", payer: "Pagador Marcado", document: "52998224725", other: "12345678909", email: "zulmira@marcada.example",
  phone: "+5511912345678", note: "nota-marcada", key: "chave-marcada@pixgate.example",
} as const; // biome-ignore format: a list
/** What an institution's configuration holds. */
const BANK = { clientSecret: "segredo-do-banco-marcado", passphrase: "senha-do-p12-marcada" } as const;

describe("after a whole thread", () => {
  let gateway: TestGateway;
  let merchant: Client;
  const secrets: Record<string, string> = {};
  const errors: string[] = [];
  const receivers = new StrangeReceivers();
  let metrics = "";
  let collector: Collector;

  const keep = <T>(reply: Reply<T>): Reply<T> => {
    if (reply.status >= 400) errors.push(reply.text);
    return reply;
  };

  before(async () => {
    collector = await startCollector();
    gateway = await startGateway({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "50",
    });
    const accountId = await newAccount(gateway);
    merchant = await credentialOf(gateway, accountId);
    secrets.token = merchant.token;
    const credential = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
      `/accounts/${accountId}/credentials`,
      { name: "marked", permissions: ["FULL_ACCESS"] },
    );
    secrets.clientSecret = credential.body.clientSecret;
    secrets.operator = (
      await gateway.operator.post<{ token: string }>("/tokens", { name: "marked", role: "finance" })
    ).body.token;
    secrets.sandboxOperator = gateway.sandbox.operatorToken;
    secrets.sandboxClient = gateway.sandbox.clientSecret;
    secrets.simulator = gateway.sandbox.simulatorToken;
    secrets.masterKey = readFileSync(join(gateway.dataDir, "secret.key"), "utf8");
    Object.assign(secrets, BANK);

    // A bank whose token call and charges fail, with secrets of its own.
    const bank = await gateway.operator.post<{ id: string }>("/institutions", {
      name: "Bank",
      provider: "api-pix",
      environment: "sandbox",
      config: {
        baseUrl: "http://127.0.0.1:9/v2",
        tokenUrl: "http://127.0.0.1:9/token",
        clientId: "bank",
        clientSecret: BANK.clientSecret,
        pixKey: "b@b.example",
      },
    });
    assert.equal(bank.status, 201, bank.text);
    keep(await gateway.operator.post(`/institutions/${bank.body.id}/test`));
    keep(
      await gateway.operator.post("/institutions", {
        name: "P12",
        provider: "efi",
        environment: "sandbox",
        config: { clientSecret: BANK.clientSecret, p12: BANK.passphrase },
      }),
    );

    // Receivers that take, refuse and echo; one has a secret in its address.
    const taking = await receivers.answering(204);
    const refusing = await receivers.http((_request, response) => void response.writeHead(500).end("no"));
    for (const url of [taking.url, `${refusing.url}?token=endereco-marcado`, "http://127.0.0.1:9/endereco-marcado"]) {
      const made = await merchant.post<{ secret: string }>("/webhook-endpoints", { url });
      assert.equal(made.status, 201, made.text);
      secrets[`webhook ${url}`] = made.body.secret;
    }
    secrets.address = "endereco-marcado";

    const customer = { name: PEOPLE.name, document: PEOPLE.document, email: PEOPLE.email, phone: PEOPLE.phone };
    const charge = async () => {
      const body = { amount: 100, description: PEOPLE.note, customer, metadata: { note: PEOPLE.note } };
      return (
        await merchant.post<{ id: string }>("/pix", body, { headers: { "idempotency-key": `marked-${Math.random()}` } })
      ).body.id;
    };
    const [paid, refunded, cancelled, left] = [await charge(), await charge(), await charge(), await charge()];
    for (const id of [paid, refunded, left]) {
      const reply = await merchant.post(`/sandbox/pix/${id}/pay`, {
        payer: { name: PEOPLE.payer, document: PEOPLE.other },
      });
      assert.equal(reply.status, 200, reply.text);
    }
    keep(await merchant.post(`/pix/${cancelled}/cancel`));
    keep(await merchant.post(`/transactions/${refunded}/refund`, { reason: PEOPLE.note }));
    await refundIs(merchant, refunded!, "CONFIRMED");
    keep(await merchant.post("/sandbox/balance-blocks", { transactionId: paid, reason: PEOPLE.note }));
    const holder = { holderName: PEOPLE.name, holderDocument: PEOPLE.document, holderDocumentType: "cpf" };
    for (const pixKey of [PEOPLE.key, "fail@pixgate.test"]) {
      const made = await merchant.post<{ id: string }>("/withdrawals", {
        pixKey,
        pixKeyType: "email",
        ...holder,
        amount: 5,
      });
      assert.equal(made.status, 201, made.text);
      await eventually("it to end", async () =>
        ["completed", "failed"].includes(
          (await merchant.get<{ status: string }>(`/withdrawals/${made.body.id}`)).body.status,
        ),
      );
    }

    // Mistakes of every kind, with the marks in the wrong places.
    const wrong = {
      amount: PEOPLE.document,
      description: PEOPLE.note,
      customer: { ...customer, document: PEOPLE.document, [PEOPLE.name]: PEOPLE.name },
    };
    keep(await merchant.post("/pix", wrong));
    keep(await merchant.send("POST", "/pix", `{"customer":{"name":"${PEOPLE.name}","document":"${PEOPLE.document}"`));
    keep(await merchant.post("/withdrawals", { pixKey: PEOPLE.document, pixKeyType: "email", ...holder, amount: 5 }));
    keep(await merchant.post("/withdrawals", { pixKey: PEOPLE.other, pixKeyType: "cpf", ...holder, amount: 5 }));
    keep(await merchant.post("/withdrawals", { pixKey: PEOPLE.key, pixKeyType: "email", ...holder, amount: 99_999 }));
    keep(await merchant.get("/account", { token: `${secrets.token}x` }));
    keep(await merchant.get("/account", { headers: { "x-sub-account": "nowhere" } }));
    keep(
      await merchant.post(
        "/auth",
        { client_id: credential.body.clientId, client_secret: `${secrets.clientSecret}x` },
        { token: null },
      ),
    );
    keep(await gateway.operator.get("/accounts", { token: `${secrets.operator}x` }));
    keep(await gateway.operator.post("/persons/export", { document: "1" }));
    const unexpected = gateway.running.ctx.db;
    await unexpected.query(sql`select ${PEOPLE.document}::int`).catch(() => {});
    await eventually("deliveries to be tried", async () => {
      const { rows } = await gateway.owner.query<{ n: number }>(
        sql`select count(*) as n from deliveries where attempts = 0`,
      );
      return rows[0]!.n === 0;
    });
    metrics = await (await fetch(`${gateway.running.url}/metrics`)).text();
  });
  after(async () => {
    await gateway.end();
    receivers.close();
    await collector.close();
  });

  const people = Object.entries(PEOPLE).filter(([what]) => what !== "other");
  const found = (text: string, marks: readonly (readonly [string, string])[]) =>
    marks.filter(([, mark]) => text.includes(mark)).map(([what]) => what);

  test("no secret, name, document, key or contact is in the log, at its most talkative", () => {
    assert.ok(gateway.logLines.length > 20);
    for (const line of gateway.logLines) {
      assert.deepEqual(found(line, [...people, ["other", PEOPLE.other], ...Object.entries(secrets)]), [], line);
    }
  });

  test("no secret and nobody is in an error that leaves, nor in the metrics", () => {
    assert.ok(errors.length >= 8, `${errors.length} errors`);
    // A field's own name is the caller's: the answer says which field is wrong.
    const marks = [...people, ["other", PEOPLE.other] as const, ...Object.entries(secrets)].filter(
      ([what]) => what !== "name",
    );
    for (const text of errors) assert.deepEqual(found(text, marks), [], text);
    assert.deepEqual(found(metrics, [...people, ...Object.entries(secrets)]), []);
  });

  test("no secret and nobody is in a span that is exported, of a call that works or fails", async () => {
    const named = (pattern: RegExp) => collector.spans.filter(({ name }) => pattern.test(name));
    await eventually(
      "spans of every kind",
      () =>
        [/^POST \/v2\/pix$/, /^POST \/v2\/withdrawals$/, /^PSP /, /^lane /, /delivery|webhook/].every(
          (pattern) => named(pattern).length > 0,
        ) &&
        collector.spans.some(({ failed }) => failed) &&
        collector.spans.length >= 100,
    );
    const marks = [...people, ["other", PEOPLE.other] as const, ...Object.entries(secrets)];
    for (const body of collector.bodies) {
      const text = body.toString("utf8");
      assert.deepEqual(found(text, marks), []);
      // Nor as a text is written in an address.
      const inAddress = marks.map(([what, mark]) => [what, encodeURIComponent(mark)] as const);
      assert.deepEqual(found(text, inAddress), []);
    }
  });

  test("the database has no secret in clear, and people only in the columns that are written down", async () => {
    const page = readFileSync(new URL("../../../docs/personal-data.md", import.meta.url), "utf8");
    const personal = page.slice(0, page.indexOf("## Columns without personal data"));
    const allowed = new Set(
      [...personal.matchAll(/^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, table, columns]) =>
        [...columns!.matchAll(/`(\w+)`/g)].map(([, column]) => `${table}.${column}`),
      ),
    );
    const { rows: columns } = await gateway.owner.query<{ name: string; field: string }>(sql`
      select c.table_name as name, c.column_name as field
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'jsonb', 'ARRAY', 'bytea')`);
    // What a merchant writes into an address is theirs, and it has to be called.
    const secretMarks = Object.entries(secrets).filter(([what]) => what !== "address");
    let seen = 0;
    for (const { name, field } of columns) {
      const { rows } = await gateway.owner.query<{ value: string | null }>({
        text: `select ${field}::text as value from ${name} where ${field} is not null`,
        values: [],
      });
      const text = rows.map(({ value }) => value).join("\n");
      assert.deepEqual(found(text, secretMarks), [], `${name}.${field}`);
      const who = found(text, people);
      seen += who.length;
      if (who.length > 0)
        assert.ok(
          allowed.has(`${name}.${field}`),
          `${name}.${field} holds ${who.join(", ")}: docs/personal-data.md does not say so`,
        );
    }
    assert.ok(seen >= 15, "the marks were searched for");
  });

  test("the files of the data directory hold secrets for their owner alone", () => {
    for (const file of ["secret.key", "sandbox.json"]) {
      assert.equal(statSync(join(gateway.dataDir, file)).mode & 0o077, 0, file);
    }
  });
});

describe("a secret is compared", () => {
  const src = fileURLToPath(new URL("../../src", import.meta.url));

  test("by safeEqual wherever one comes in, and never by ===", () => {
    const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
      (path) => path.endsWith(".ts") && !path.endsWith(".test.ts"),
    );
    /**
     * Comparisons that are not with what a caller sent: a token with its successor, a key with the database's mark of it,
     * a cluster's hash of an account with ours, the hashes of the audit log's chain, which are no secret.
     */
    const harmless = [
      "psp/api-pix/request.ts",
      "psp/api-pix/token.ts",
      "program/installation/rotate-master-key.ts",
      "program/installation/prepare.ts",
      "sandbox/bootstrap.ts",
      "db/cluster/map.ts",
      "audit-log/chain.ts",
      "people/passkey-routes.ts",
    ];
    const word = String.raw`[\w.]*(?:secret|digest|signature|fingerprint|password|token|Hash|_hash)\w*(?:\([\w., ]*\))?`;
    const comparison = new RegExp(
      String.raw`(?:${word} [!=]==? (?!null|undefined|"|'|0\b|1\b))|(?:[!=]==? ${word})`,
      "i",
    );
    const wrong = files
      .filter((path) => !harmless.includes(path.replaceAll("\\", "/")))
      .flatMap((path) =>
        readFileSync(join(src, path), "utf8")
          .split("\n")
          .filter(
            (line) =>
              !/^\s*(\/\/|\*|\/\*)/.test(line) &&
              comparison.test(line) &&
              !/typeof|\.kind|requestHash|request_hash|[!=]== (null|undefined)/.test(line),
          )
          .map((line) => `${path}: ${line.trim()}`),
      );
    assert.deepEqual(wrong, []);
    for (const path of ["http/auth.ts", "http/operator-auth.ts", "institutions/notification-path.ts"]) {
      assert.match(readFileSync(join(src, path), "utf8"), /safeEqual\(/, path);
    }
    assert.match(readFileSync(join(src, "lib/secrets.ts"), "utf8"), /timingSafeEqual\(sha256\(a\), sha256\(b\)\)/);
  });
});
