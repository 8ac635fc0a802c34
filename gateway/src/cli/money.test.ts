import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument, type Schema } from "./actions/document.ts";
import type { Side } from "./connect.ts";
import { schemasOf, withCentavos } from "./money.ts";
import { show } from "./show.ts";

const shown = (side: Side, path: string, answer: unknown): unknown =>
  withCentavos(side, schemasOf({ side, method: "GET", path }).answer, answer);

test("money has its centavos in a table and in fields; other numbers, and money that is not reported, stay", () => {
  const row = { amount: 25.9, netAmount: 1_000, returnedAmount: -0.1, feeAmount: null, attempts: 3 };
  assert.equal(
    show(shown("operator", "/withdrawals?limit=100", { items: [row] })),
    "amount  netAmount  returnedAmount  feeAmount  attempts\n25.90   1000.00    -0.10           -          3",
  );
  const page = { items: [{ held: 5, total: 7.25, heldBy: { withdrawals: 2 } }] };
  assert.equal(show(shown("operator", "/accounts/0199/balance", page), ["held", "total"]), "held  total\n5.00  7.25");
});

test("every amount of a day, a reconciliation and an account's limits is money, however it is named", () => {
  const day = { opening: 1, closing: 2.5, difference: null, in: 3, out: 4 };
  assert.deepEqual(
    shown("operator", "/close/2026-11-20", { institutions: [day], positions: { suspense: 7 }, from: "2026-11-20" }),
    {
      institutions: [{ opening: "1.00", closing: "2.50", difference: null, in: 3, out: 4 }],
      positions: { suspense: "7.00" },
      from: "2026-11-20",
    },
  );
  const balance = { ours: 1, theirs: 2, difference: 1 };
  assert.deepEqual(shown("operator", "/reconciliation/2026-11-20", { institutions: [{ balance, moreFindings: 2 }] }), {
    institutions: [{ balance: { ours: "1.00", theirs: "2.00", difference: "1.00" }, moreFindings: 2 }],
  });
  const account = { limits: { perDay: 100, perNight: null }, fees: { charge: { fixed: 0.5, percent: 1 } } };
  assert.deepEqual(shown("operator", "/accounts/0199", account), {
    limits: { perDay: "100.00", perNight: null },
    fees: { charge: { fixed: "0.50", percent: 1 } },
  });
});

test("a limit that counts is no money; an unknown call changes nothing", () => {
  const limits = { perDay: { limit: 5, used: 1 }, perHourCount: { limit: 5, used: 1, remaining: 4 } };
  assert.deepEqual(shown("merchant", "/account", { limits }), {
    limits: { perDay: { limit: "5.00", used: "1.00" }, perHourCount: { limit: 5, used: 1, remaining: 4 } },
  });
  assert.deepEqual(shown("merchant", "/nothing/at/all", { amount: 1 }), { amount: 1 });
  assert.deepEqual(shown("merchant", "/webhook-deliveries/0199", { statusCode: 200 }), { statusCode: 200 });
});

test("every fractional number of an answer says in its document what it is", () => {
  /** Of numbers with decimals that are no money. */
  const others = /%|HTTP status|Seconds|How long/;
  for (const side of ["merchant", "operator"] as const) {
    const unsaid: string[] = [];
    const walk = (schema: Schema, name: string, inherited: string): void => {
      const description = schema.description ?? inherited;
      if (schema.format === "double" && !/\bBRL\b/.test(description) && !others.test(description)) unsaid.push(name);
      for (const one of [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])])
        walk(one, name, description);
      for (const [field, one] of Object.entries({ ...schema.properties, ...schema.patternProperties }))
        walk(one, `${name}.${field}`, description);
    };
    for (const [name, schema] of Object.entries(readDocument(side).components.schemas)) walk(schema, name, "");
    assert.deepEqual(unsaid, [], side);
  }
});
