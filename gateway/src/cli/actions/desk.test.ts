import assert from "node:assert/strict";
import { test } from "node:test";
import { PERMISSIONS } from "../../http/permissions.ts";
import { OPERATOR_NOUNS } from "./operator.ts";

const { cases, credentials, fees } = OPERATOR_NOUNS;

const CASE = {
  id: "0198",
  status: "open",
  history: [{ kind: "opened", body: { says: "The Pix names no charge.", data: { ours: 3000 } } }],
  evidence: { says: "The Pix names no charge.", data: { ours: 3000 } },
  actions: [{ action: "assign", says: "Settle.", parameters: [{ name: "chargeId", required: true }] }],
};

test("whoever approves what is then refused learns it by the exit code, and of every answer a person reads no JSON", () => {
  for (const verb of ["propose", "approve"] as const) {
    const { fails, shows } = cases!.verbs[verb]!;
    for (const [status, expected] of [
      ["refused", true],
      ["executed", false],
      ["awaiting_approval", false],
    ] as const)
      assert.equal(fails?.({ ...CASE, proposal: { status } }), expected, `${verb} ${status}`);
    assert.equal(fails?.({ ...CASE, proposal: null }), false);
    const shown = shows?.(CASE) ?? "";
    assert.match(shown, /assign +--charge … +Settle\./);
    assert.match(shown, /opened +The Pix names no charge\.$/m);
    assert.doesNotMatch(shown, /[{}]/);
  }
});

test("a report of fees says until when days are closed, also where it has no lines", () => {
  const shows = fees!.verbs.report!.shows!;
  const report = { from: "2026-11-01", to: "2026-11-30", closedUntil: null, items: [], nextCursor: null };
  assert.equal(shows(report), "None.\nNo day is closed yet; a day is closed four hours after its end.");
  const items = [{ name: "Loja", amount: "2.50" }];
  assert.equal(
    shows({ ...report, closedUntil: "2026-11-22", items }),
    "name  amount\nLoja  2.50\nDays are closed until 2026-11-22; later ones do not count yet.",
  );
});

test("the help for a new credential names every permission", () => {
  const { description: says } = credentials!.verbs.create!.flags!.permissions!;
  for (const permission of PERMISSIONS) assert.ok(says.includes(permission), permission);
});
