import assert from "node:assert/strict";
import { test } from "node:test";
import { ON_CLUSTER, skippedOnCluster } from "../../gateway/test/harness/on-cluster.ts";
import { torture } from "./torture.ts";

const bin = ON_CLUSTER ? process.env.PIXGATE_CITUS_BIN : undefined;

// Long runs: npm run torture (with a restore, which the drill has too), npm run torture:hundred (100 kills).
test("a short torture of three banks of three dialects, one of which dies, with every fault and some kills: the judge finds nothing", {
  timeout: 1_200_000,
  skip: skippedOnCluster("the next one is of a cluster"),
}, async () => {
  const seed = 12;
  const { findings, counts, errors } = await torture({
    seed,
    seconds: 40,
    kills: 8,
    sales: 1,
    merchants: 4,
    withdrawers: 3,
    crowd: { tenants: 6, atOnce: 2 },
    otherBanks: ["woovi", "efi"],
    death: true,
    restore: false,
    paceMs: 100,
    strikeMs: 1_500,
    programs: 0.6,
    failpoints: 0.5,
    freezeMs: 800,
    jumpSeconds: 120,
  });
  assert.deepEqual(findings, [], `seed ${seed}`);
  assert.deepEqual(errors, {}, `seed ${seed}`);
  assert.ok(counts.kills! >= 8 && counts.payments! > 0 && counts.payouts! > 0, JSON.stringify(counts));
  // The numbers of contradictions and late decisions depend on how much work gets done between the kills.
  assert.ok(counts.lateApprovals! > 0, JSON.stringify(counts));
  const { staticSales, tillSales, linkSales, dueSales } = counts;
  assert.ok(staticSales! + tillSales! + linkSales! + dueSales! > 0, JSON.stringify(counts));
});

test("one of a cluster, with a crowd of accounts beside: both judges find nothing", {
  timeout: 900_000,
  skip: bin === undefined && "makes a cluster of the programs in PIXGATE_CITUS_BIN",
}, async () => {
  const seed = 8;
  const { findings, counts, errors } = await torture({
    seed,
    citus: bin,
    seconds: 15,
    kills: 6,
    merchants: 3,
    withdrawers: 2,
    crowd: { tenants: 8, atOnce: 3 },
    paceMs: 100,
    strikeMs: 1_500,
    programs: 0.6,
    failpoints: 0.3,
    freezeMs: 800,
    jumpSeconds: 120,
  });
  assert.deepEqual(findings, [], `seed ${seed}`);
  assert.deepEqual(errors, {}, `seed ${seed}`);
  assert.ok(counts.kills! >= 6 && counts.payments! > 0 && counts.crowdCharges! > 0, JSON.stringify(counts));
});
