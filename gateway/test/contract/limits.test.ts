/** Every limit of the interface at it, one below and one above; what is refused is named, and nothing moves. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { purgeKeys } from "../../src/retention/purge.ts";
import type { Client, Reply } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { give, newMerchant, type Page } from "./money.ts";
import { pay } from "./payments.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

let gateway: TestGateway;
let client: Client;
let accountId: string;
before(async () => {
  gateway = await startGateway();
  ({ client, accountId } = await newMerchant(gateway, ["loja"]));
  await give(gateway, accountId, 10_000);
});
after(() => gateway.end());

const charge = (more: Record<string, unknown>) => client.post("/pix", { amount: 1, description: "d", ...more });
const text = (length: number) => "x".repeat(length);

/** Sends each value: the first ones are taken with `status`, the others refused with a 400 that names the field. */
async function around<T>(
  send: (value: T) => Promise<Reply>,
  field: string,
  taken: readonly T[],
  refused: readonly T[],
  status = 201,
): Promise<void> {
  for (const value of taken) {
    const reply = await send(value);
    assert.equal(reply.status, status, `${field} ${String(value).length} ${reply.text.slice(0, 300)}`);
  }
  await nothingMoves(gateway, async () => {
    for (const value of refused) assertInvalid(await send(value), [field], `${field} ${String(value).slice(0, 20)}`);
  });
}

describe("Limits of a charge", () => {
  test("the amount is 1 BRL at least", { rules: ["limit.charge.amount"] }, () =>
    around((amount: number) => charge({ amount }), "amount", [1, 1.01], [0.99]),
  );

  test("the description has 255 characters at most", { rules: ["limit.charge.description"] }, () =>
    around((description: string) => charge({ description }), "description", [text(254), text(255)], [text(256)]),
  );

  test("expiresIn is 300 to 604800 seconds", { rules: ["limit.charge.expiresIn"] }, () =>
    around((expiresIn: number) => charge({ expiresIn }), "expiresIn", [300, 301, 604_799, 604_800], [299, 604_801]),
  );

  test("the externalReference has 255 characters at most", { rules: ["limit.charge.externalReference"] }, () =>
    around(
      (externalReference: string) => charge({ externalReference }),
      "externalReference",
      [text(254), text(255)],
      [text(256)],
    ),
  );

  test("a customer's name and e-mail have 255 characters at most", {
    rules: ["limit.customer.name-email"],
  }, async () => {
    const mail = (length: number) => `${text(length - "@example.com".length)}@example.com`;
    await around(
      (name: string) => charge({ customer: { name } }),
      "customer.name",
      [text(254), text(255)],
      [text(256)],
    );
    await around(
      (email: string) => charge({ customer: { email } }),
      "customer.email",
      [mail(254), mail(255)],
      [mail(256)],
    );
  });

  test("a customer's document and phone have 20 characters at most", {
    rules: ["limit.customer.document-phone"],
  }, async () => {
    for (const field of ["document", "phone"]) {
      const send = (value: string) => charge({ customer: { [field]: value } });
      await around(send, `customer.${field}`, ["1".repeat(19), "1".repeat(20)], ["1".repeat(21)]);
    }
  });

  test("a split has 10 items at most", { rules: ["limit.split.items"] }, async () => {
    const send = (items: number) =>
      charge({ amount: 20, split: Array.from({ length: items }, () => ({ subAccount: "loja", amount: 1 })) });
    await around(send, "split", [9, 10], []);
    await nothingMoves(gateway, async () => assertRefused(await send(11), 400, "SPLIT_TOO_MANY_ITEMS"));
  });
});

describe("Limits of other calls", () => {
  test("a refund's reason has 255 characters at most", { rules: ["limit.refund.reason"] }, async () => {
    for (const length of [254, 255]) {
      const { id } = await pay(client, 10);
      await nothingMoves(gateway, async () => {
        assertInvalid(await client.post(`/transactions/${id}/refund`, { reason: text(256) }), ["reason"]);
      });
      assert.equal((await client.post(`/transactions/${id}/refund`, { reason: text(length) })).status, 201);
      // Its end moves money, which the check after it would count.
      await eventually("the refund to end", async () => {
        const { items } = (await client.get<Page<unknown>>("/transactions?type=refund&status=pending")).body;
        return items.length === 0;
      });
    }
  });

  test("a sub-account's reference has 2 to 32 characters, its name and a project's 255 at most", {
    rules: ["limit.sub-account.reference", "limit.names"],
  }, async () => {
    const reference = (length: number) => randomUUID().replaceAll("-", "").padEnd(length, "0").slice(0, length);
    for (const length of [2, 3, 31, 32]) {
      assert.equal((await client.post("/sub-accounts", { reference: reference(length) })).status, 201, `${length}`);
    }
    await nothingMoves(gateway, async () => {
      for (const length of [0, 1, 33]) {
        const reply = await client.post("/sub-accounts", { reference: reference(length) });
        assertRefused(reply, 400, "SUB_ACCOUNT_INVALID_REFERENCE", `${length}`);
      }
    });
    const open = (name: string) => client.post("/sub-accounts", { reference: reference(20), name });
    await around(open, "name", [text(254), text(255)], [text(256)]);
    const project = (name: string) => client.post("/projects", { name, color: "#123456" });
    await around(project, "name", [text(254), text(255)], [text(256)]);
  });

  test("a page of projects has 1 to 100 items", { rules: ["limit.project.page"] }, () =>
    around((limit: number) => client.get(`/projects?limit=${limit}`), "limit", [1, 2, 99, 100], [0, 101], 200),
  );
});

describe("An Idempotency-Key", () => {
  const send = (key: string) =>
    client.post<{ id: string }>("/pix", { amount: 2, description: "keyed" }, { headers: { "idempotency-key": key } });

  test("has 8 to 255 characters", { rules: ["limit.key"] }, () =>
    around(send, "Idempotency-Key", [8, 9, 254, 255].map(text), [7, 256].map(text)),
  );

  test("keeps its answer for 24 hours, to the second, and finds its transaction for ever", {
    rules: ["limit.key", "transaction.look-up"],
  }, async () => {
    const { db } = gateway.running.ctx;
    const key = `kept-${randomUUID()}`;
    const first = await send(key);
    const readTimes = async () => {
      const { rows } = await db.query<{ created: Date; expires: Date }>(
        sql`select created_at as created, expires_at as expires from idempotency_keys where key = ${key}`,
      );
      return [rows[0]!.created.getTime(), rows[0]!.expires.getTime()] as const;
    };
    // A cluster updates with values, not with what it would compute of a row.
    const age = async (seconds: number) => {
      const [created, expires] = (await readTimes()).map((at) => new Date(at - seconds * 1_000));
      await db.query(
        sql`update idempotency_keys set created_at = ${created}, expires_at = ${expires} where key = ${key}`,
      );
    };
    const [created, expires] = await readTimes();
    assert.equal(expires - created, 24 * 3_600_000);
    await age(24 * 3_600 - 60);
    await purgeKeys(gateway.running.ctx);
    const again = await send(key);
    assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"]);
    await age(60);
    await purgeKeys(gateway.running.ctx);
    assert.equal((await client.get(`/transactions/${key}`)).body.id, first.body.id);
    const anew = await send(key);
    assert.notEqual(anew.body.id, first.body.id);
    assert.equal((await client.get(`/transactions/${key}`)).body.id, anew.body.id, "the newest");
  });
});
