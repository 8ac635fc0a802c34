import type { PixOutcome } from "../claims/pix.ts";
import { bigint, instant, nullable, oneOf, table, text, textOf, uuid } from "../db/columns.ts";
import { laneTable, type RowIn } from "../ledger/lane-table.ts";

/**
 * Receipts of the house account that were given to charges, by the end-to-end id of their Pix: one Pix is assigned once.
 * Locked, because the loop claims rows outside the lanes.
 * - `assigning`: the money has left suspense; the charge may not be settled yet.
 * - `assigned`: the charge's account has it. Final.
 */
export const assignmentsTable = laneTable(
  table({
    name: "pix_assignments",
    key: ["accountId", "e2eId"],
    columns: {
      /** The house account. */
      accountId: uuid,
      e2eId: text,
      /** Id of the receipt. */
      pixId: uuid,
      institutionId: uuid,
      toAccountId: uuid,
      chargeId: uuid,
      /** The static code that was paid: the settlement makes the charge. Null: the charge existed before. */
      qrCodeId: nullable(uuid),
      status: oneOf(["assigning", "assigned"]),
      /** The outcome in the charge's account; null until then. */
      outcome: nullable(textOf<PixOutcome>()),
      /** When the loop settles it; null when it is settled. */
      nextAt: nullable(instant),
      createdAt: instant,
      updatedAt: instant,
      /** Centavos of its tax that the charge's account does not bear (`endAssignment`); null: none. */
      houseTax: nullable(bigint),
    },
    groups: {
      end: { by: ["end assignment"], columns: ["status", "outcome", "chargeId", "nextAt", "updatedAt", "houseTax"] },
    },
  }),
  { order: 206, load: "locked", inserts: true },
);

export type Assignment = RowIn<typeof assignmentsTable>;
