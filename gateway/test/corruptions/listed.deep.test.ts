/** The books of a whole life, corrupted in every way that list.ts knows: `verify` finds all of them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { INVARIANTS } from "../../src/auditor/invariants/invariants.ts";
import { sql } from "../../src/db/sql.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { verifyBothWays } from "../harness/verify-both-ways.ts";
import { CORRUPTIONS, type Corruption } from "./list.ts";
import { dropConstraints, liveWholeLife, type WholeLife } from "./whole-life.ts";

let gateway: TestGateway;
let life: WholeLife;

before(async () => {
  gateway = await startGateway();
  life = await liveWholeLife(gateway);
  // Nothing moves any more, and what would refuse a corruption is out of its way.
  await gateway.running.stop();
  await dropConstraints(gateway);
  // On a slow machine the auditor has checked the beginning of it: to a fresh check all of it is new.
  await gateway.owner.query(sql`delete from audit_points`);
});
after(() => gateway.stop());

const fill = (text: string): string =>
  text.replace(/(?<!:):([a-zA-Z]+)/g, (_all, name: string) => {
    const value = life.names[name];
    assert.notEqual(value, undefined, `nothing is called ${name}`);
    return typeof value === "number" ? String(value) : `'${value}'`;
  });

/** What verify finds, full and fresh, after statements that are undone; each must change something. */
async function findingsAfter(statements: readonly string[]): Promise<{ invariant: string; accountId: string }[]> {
  const undo = new Error("undo");
  let found: { invariant: string; accountId: string }[] = [];
  await gateway.owner
    .transaction(async (tx) => {
      for (const statement of statements) {
        const { rowCount } = await tx.query({ text: fill(statement), values: [] });
        assert.notEqual(rowCount, 0, `changes nothing: ${fill(statement)}`);
      }
      found = (await verifyBothWays(tx)).violations;
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}

/**
 * Need a reported tariff or a closed month (src/auditor/verify.test.ts and close.test.ts break them), are asked of everything
 * alone (operator-commands.deep.test.ts), or of what is not listed (columns.deep.test.ts).
 */
const BROKEN_ELSEWHERE: readonly string[] = ["L6", "O3", "O4", "O5", "D1", "D2", "D3", "D4", "K1", "N6", "Q5"];

describe(`verify finds ${CORRUPTIONS.length} of ${CORRUPTIONS.length} corruptions:`, () => {
  const found = new Set<Corruption>();
  const broken = new Set<string>();

  test("none where nothing is wrong", async () => {
    assert.deepEqual(await findingsAfter([]), []);
  });

  for (const corruption of CORRUPTIONS) {
    const [rules, what, ...statements] = corruption;
    test(`${what} (${rules.replaceAll(" ", ", ")})`, async () => {
      const findings = await findingsAfter(statements);
      const names = new Set(findings.map(({ invariant }) => invariant.split(":")[0]!));
      for (const rule of rules.split(" ")) {
        assert.ok(names.has(rule), `${rule} found nothing; ${[...names].join(", ") || "nobody"} did`);
        broken.add(rule);
      }
      // A receipt of the house's is in two accounts' books, and its assignment in the house's.
      const isOfHouse =
        /[UOQ]|N[25]/.test(rules) || statements.some((statement) => statement.includes("pix_assignments"));
      const blamed = isOfHouse ? [life.merchant.accountId, life.houseId] : [life.merchant.accountId];
      for (const finding of findings) assert.ok(blamed.includes(finding.accountId), finding.invariant);
      found.add(corruption);
    });
  }

  test("all of them, each of its own kind, at least fifty, and every invariant is broken by one", () => {
    assert.equal(found.size, CORRUPTIONS.length);
    assert.equal(new Set(CORRUPTIONS.map(([, what]) => what)).size, CORRUPTIONS.length);
    assert.equal(new Set(CORRUPTIONS.map(([, , ...statements]) => statements.join())).size, CORRUPTIONS.length);
    assert.ok(CORRUPTIONS.length >= 50, String(CORRUPTIONS.length));
    assert.deepEqual(
      INVARIANTS.map(({ name }) => name).filter((name) => !broken.has(name) && !BROKEN_ELSEWHERE.includes(name)),
      [],
    );
  });
});
