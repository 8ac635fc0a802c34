/** The paper of a dispute's file. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesOfPdf } from "../../../test/harness/read-pdf.ts";
import type { BalanceBlockFile } from "./dossier.ts";
import { dossierPaper } from "./dossier-paper.ts";

const AT = "2026-11-28T15:00:00.000Z";
const ID = "0192f3c1-7c1e-7a54-9a39-1f2b3c4d5e6f";
/** Wide letters, beyond what a cell shows, as a bank's words may be. */
const LONG = "W".repeat(5_000);
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

/** As large as a file can be: each list with as many rows, each text as long, as it may have. */
const largest = {
  madeAt: AT,
  block: {
    id: ID,
    ...{ amount: 9_999_999_999.99, status: "approved", blockType: "med", createdAt: AT, respondBy: AT, resolvedAt: AT },
    ...{
      referenceNumber: LONG,
      reason: LONG,
      externalReference: LONG,
      resolutionText: LONG,
      defense: LONG.slice(0, 4_000),
    },
    takenAmount: 9_999_999_999.99,
  },
  transaction: {
    ...{ id: ID, externalReference: LONG, description: LONG, amount: 9_999_999_999.99, counterpartName: LONG },
    ...{ counterpartDocument: LONG, createdAt: AT, paidAt: AT, e2eId: LONG, txid: LONG, metadata: { note: LONG } },
  },
  related: times(100, {
    id: ID,
    type: "referral_commission",
    status: "completed",
    amount: -9_999_999_999.99,
    createdAt: AT,
  }),
  statement: times(300, {
    ...{ bookedAt: AT, balance: "available", kind: "referral_commission_reversed", amount: -9_999_999_999.99 },
    balanceAfter: -9_999_999_999.99,
  }),
  deliveries: times(300, {
    ...{
      event: "balance_block_approved",
      eventId: ID,
      createdAt: AT,
      endpointId: ID,
      status: "delivered",
      statusCode: 200,
    },
    endpoint: `https://${"w".repeat(253)}:65535`,
  }),
  files: times(10, {
    archivedAs: "evidence-10.jpeg",
    file: { name: "W".repeat(200), size: 5_242_880, sha256: "f".repeat(64) },
  }),
  auditLog: { seq: Number.MAX_SAFE_INTEGER, hash: "f".repeat(64) },
  leftOut: [],
} as unknown as BalanceBlockFile;

test("The paper of the largest file that there can be has room in the pages of a paper, so that it is never refused", async () => {
  const pages = pagesOfPdf(await dossierPaper(largest, "pt-BR"));
  assert.ok(pages.length > 20 && pages.length < 100, `${pages.length} pages of 100`);
});
