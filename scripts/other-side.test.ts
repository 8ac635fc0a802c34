import assert from "node:assert/strict";
import { test } from "node:test";
import { type Line, otherSideOf } from "../console/src/operator/accounts/other-side.ts";
import { ROUTES, type TransferKind } from "../gateway/src/ledger/chart.ts";

/** The balances whose lines a statement has. */
const BALANCES = ["available", "held"] as const;

/** The ledger accounts on the other side of a line of the balance, by the ledger's `ROUTES`. */
const against = (kind: TransferKind, balance: string): string[] =>
  ROUTES[kind].flatMap((route) => {
    const [from, to] = route.split(">") as [string, string];
    return [...(from === balance ? [to] : []), ...(to === balance ? [from] : [])];
  });

test("the other side of a line, as the console shows it, is one that the ledger allows", () => {
  for (const kind of Object.keys(ROUTES) as TransferKind[]) {
    for (const balance of BALANCES) {
      const allowed = against(kind, balance);
      if (allowed.length === 0) continue;
      const shown = otherSideOf({ kind, balance } as Line);
      assert.ok(allowed.includes(shown === "wallet" ? "available" : String(shown)), `${kind} of ${balance}: ${shown}`);
    }
  }
});
