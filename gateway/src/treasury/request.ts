import { type Desk, propose } from "../cases/decide.ts";
import { findOpenCase } from "../cases/list.ts";
import { writeCases } from "../cases/write.ts";
import type { Tx } from "../db/pool.ts";
import { toBrl } from "../lib/money.ts";
import { factsOfEntry } from "./book.ts";
import { TREASURY_ACTIONS } from "./case-actions.ts";
import { type TreasuryEntry, treasuryTable } from "./entry.ts";

const insertEntry = treasuryTable.inserter(treasuryTable.fields);

/**
 * Stores an entry that a second person must approve, opens its case, and proposes to book it in the name of the requesting
 * operator.
 *
 * @returns the id of the case.
 */
export async function requestEntry(ctx: Desk["ctx"], tx: Tx, entry: TreasuryEntry): Promise<string> {
  const { accountId, entryId, kind, institutionId, toInstitutionId, amount, reference, description } = entry;
  const now = ctx.clock.date();
  await insertEntry(tx, [entry]);
  const fact = {
    ...{ accountId, objectId: entryId, institutionId, amount, deadline: null },
    kind: "treasury_entry" as const,
    evidence: {
      says: `${entry.createdBy} recorded a ${kind} of R$ ${toBrl(amount).toFixed(2)}.`,
      source: "gateway" as const,
      // Who approves it reads here why it was recorded.
      data: { kind, amount, toInstitutionId, occurredAt: entry.occurredAt.toISOString(), reference, description },
    },
  };
  await writeCases(tx, { open: [fact] }, { now, newId: () => ctx.ids.uuid() });
  const caseId = (await findOpenCase(tx, accountId, "treasury_entry", entryId))!;
  const ground = { object: factsOfEntry(entry), outside: {} };
  await propose({ ctx, actions: TREASURY_ACTIONS }, tx, caseId, { action: "book", parameters: {} }, ground);
  return caseId;
}
