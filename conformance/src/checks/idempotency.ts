import { randomUUID } from "node:crypto";
import { type Check, check, must, mustAnswer, mustRefuse } from "../check.ts";
import { ask, CHARGE } from "../sandbox.ts";

export const IDEMPOTENCY: readonly Check[] = [
  check(
    "idempotency.replay",
    "A retry with the same key returns the cached response (TTL 24 hours).",
    async (target) => {
      const headers = { "idempotency-key": randomUUID() };
      const [first, second] = [await ask(target, {}, headers), await ask(target, {}, headers)];
      mustAnswer(first, 201);
      must(second.status === first.status && second.text === first.text, "the second answer differs from the first");
    },
  ),
  check("idempotency.race", "A retry with the same key returns the cached response (TTL 24 hours).", async (target) => {
    const headers = { "idempotency-key": randomUUID() };
    const replies = await Promise.all(Array.from({ length: 8 }, () => ask(target, {}, headers)));
    const ids = new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body.id));
    must(ids.size === 1, `eight calls with one key made ${ids.size} charges`);
  }),
  check("idempotency.other-body", "The same key with a different body returns 422.", async (target) => {
    const headers = { "idempotency-key": randomUUID() };
    mustAnswer(await ask(target, {}, headers), 201);
    mustRefuse(await ask(target, { amount: CHARGE.amount + 1 }, headers), 422);
  }),
  check(
    "idempotency.length",
    "Optional header `Idempotency-Key` (string, 8 to 255 chars) on `POST /pix` and `POST /withdrawals`.",
    async (target) => {
      mustRefuse(await ask(target, {}, { "idempotency-key": "x".repeat(7) }), 400);
      mustRefuse(await ask(target, {}, { "idempotency-key": "x".repeat(256) }), 400);
      mustAnswer(await ask(target, {}, { "idempotency-key": randomUUID().slice(0, 8) }), 201);
    },
  ),
  check(
    "idempotency.look-up",
    "Path: `id` is the transaction UUID, or the client's external reference, or the `Idempotency-Key` used at creation, resolved in that order.",
    async (target) => {
      const key = randomUUID();
      const externalReference = `conformance-${randomUUID()}`;
      const { body } = await ask(target, { externalReference }, { "idempotency-key": key });
      for (const name of [String(body.id), externalReference, key]) {
        const found = await target.client.call("GET", `/transactions/${name}`);
        mustAnswer(found, 200);
        must(found.body.id === body.id, `${name} finds ${String(found.body.id)}`);
      }
    },
  ),
  check("idempotency.order", "resolved in that order.", async (target) => {
    const [shared, { body: first }] = [`conformance-${randomUUID()}`, await ask(target)];
    // A reference that is another charge's id, and a key that is another charge's reference.
    await ask(target, { externalReference: first.id });
    const { body: named } = await ask(target, { externalReference: shared });
    await ask(target, {}, { "idempotency-key": shared });
    for (const [name, id] of [
      [String(first.id), first.id],
      [shared, named.id],
    ] as const) {
      const { body } = await target.client.call("GET", `/transactions/${name}`);
      must(body.id === id, `${name} finds ${String(body.id)}, not ${String(id)}`);
    }
  }),
];
