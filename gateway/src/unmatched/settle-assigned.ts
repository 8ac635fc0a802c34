import { openCase } from "../cases/write.ts";
import { settleCharge } from "../charges/settle.ts";
import { settleCode } from "../charges/settle-code.ts";
import { otherTax, taxTakenBack } from "../charges/withheld-tax.ts";
import type { PixOutcome } from "../claims/pix.ts";
import { type ReceivedPix, receivedPixTable } from "../claims/received-pix.ts";
import type { Context } from "../context.ts";
import { claimDue, type DueRows } from "../db/due-rows/claim.ts";
import { createRunner, type Runner } from "../db/due-rows/runner.ts";
import { sql } from "../db/sql.ts";
import { update } from "../ledger/books.ts";
import { psp, pspCosts } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import type { PspPix } from "../psp/psp.ts";
import { type Assignment, assignmentsTable } from "./assignment.ts";

/** Lease of a claimed assignment: it is due again after it if the process dies. Two commits take a few milliseconds. */
export const ASSIGNMENT_CLAIM = 30_000;

/** The outcome of an assigned Pix in the charge's account, and the tax that it bears there, centavos. */
type Booked = {
  readonly outcome: PixOutcome;
  readonly already: boolean;
  readonly chargeId: string;
  readonly withheld: number;
};

/** Where a receipt of the house account went; null: nowhere. */
export async function findAssignment(ctx: Context, houseId: string, e2eId: string): Promise<Assignment | null> {
  const { rows } = await ctx.db.query<Assignment>(sql`
    select ${assignmentsTable.select("a")} from pix_assignments a where account_id = ${houseId} and e2e_id = ${e2eId}`);
  return rows[0] ?? null;
}

/**
 * The second step of an assignment: the charge's account settles the Pix by the same code as any payment. One Pix settles
 * once, so the step may be repeated.
 *
 * @param pix as the PSP shows it; left out: as the house account has it.
 */
export async function settleAssigned(ctx: Context, assignment: Assignment, pix?: PspPix): Promise<Booked> {
  const { institutionId, toAccountId: accountId, chargeId, qrCodeId } = assignment;
  const institution = await ctx.psps.find(institutionId);
  if (institution === null) throw new Error("an assignment of an institution that is gone");
  const command = {
    accountId,
    chargeId,
    institutionId,
    environment: institution.environment,
    cnpj: institution.cnpj,
    pix: withKept(await readPix(ctx, assignment), pix),
    assigned: true,
  };
  const settled =
    qrCodeId === null
      ? await ctx.lanes.run(settleCharge, command)
      : await ctx.lanes.run(settleCode, { ...command, qrCodeId });
  const { outcome, already } = settled;
  if (outcome === "unmatched") throw new Error("an assignment to a charge that does not exist");
  if (outcome === "awaiting_payer") throw new Error("an assignment waits for nobody");
  if (outcome === "contradiction")
    throw new Error("an assignment of a Pix that the account has at another institution");
  if (!already) {
    ctx.hints.wake("deliver");
    ctx.hints.wake(`settled/${chargeId}`);
    if (outcome !== "credited") ctx.hints.wake("returns");
  }
  // For a Pix of a static code, another report of the same Pix may have made the charge.
  const booked = { outcome, already, chargeId: settled.chargeId ?? chargeId };
  return { ...booked, withheld: already ? await readTax(ctx, assignment) : (command.pix.withheld ?? 0) };
}

/** The tax of a Pix in the books of its charge's account: another process may have settled it from an answer without the tax. */
async function readTax(ctx: Context, { toAccountId, e2eId }: Assignment): Promise<number> {
  const { rows } = await ctx.db.query<{ withheld: number }>(sql`
    select coalesce(withheld, 0) as withheld from received_pix where account_id = ${toAccountId} and e2e_id = ${e2eId}`);
  return rows[0]!.withheld;
}

/**
 * A Pix as the PSP shows it, with the tax that the house account has booked of it and given back by the assignment. An
 * answer without a tax need not mean that there is none.
 */
const withKept = (kept: PspPix, shown: PspPix = kept): PspPix =>
  kept.withheld === undefined ? shown : { ...shown, withheld: kept.withheld };

async function readPix(ctx: Context, { accountId, e2eId }: Assignment): Promise<PspPix> {
  const { rows } = await ctx.db.query<ReceivedPix>(sql`
    select ${receivedPixTable.select("", ["amount", "withheld", "paidAt", "payerName", "payerDocument", "components", "txid"])}
    from received_pix
    where account_id = ${accountId} and e2e_id = ${e2eId}`);
  const row = rows[0]!;
  return {
    e2eId,
    txid: row.txid ?? undefined,
    amount: row.amount,
    ...(row.withheld !== null && { withheld: row.withheld }),
    paidAt: row.paidAt,
    payer: { name: row.payerName ?? undefined, document: row.payerDocument ?? undefined },
    components: row.components ?? undefined,
    returns: [],
  };
}

/** The third step: the outcome in the charge's account is stored, and nothing is left to do. */
export type EndAssignment = {
  readonly accountId: string;
  readonly e2eId: string;
  readonly outcome: PixOutcome;
  /** Of the charge that has the Pix. */
  readonly chargeId: string;
  /** The tax that the charge's account has booked of it, centavos. */
  readonly withheld: number;
};

/**
 * Where the charge's account bears less of the tax than the house had booked, the operator bears the rest: the institution has
 * credited no more, whichever of its answers the other process had seen. Where it bears more, nobody knows which of the two is
 * right, and a person asks.
 */
export const endAssignment: CommandKind<EndAssignment, Assignment> = {
  name: "end assignment",
  evidence: ({ e2eId }) => ({ origin: "receipt", about: e2eId }),
  wants({ accountId, e2eId }, want) {
    want.row(assignmentsTable, { accountId, id: e2eId });
    want.row(receivedPixTable, { accountId, id: e2eId });
  },
  follows({ accountId, e2eId, withheld }, books, want) {
    const received = books.find(receivedPixTable, { accountId, id: e2eId });
    if (!received || restOfTax(received, withheld) === 0) return;
    want.ledger(accountId, psp(received.institutionId));
    want.ledger(accountId, pspCosts);
  },
  decide({ accountId, e2eId, outcome, chargeId, withheld }, books, deciding) {
    const { now } = deciding;
    const before = books.find(assignmentsTable, { accountId, id: e2eId });
    if (!before) throw new Error("the end of an assignment that does not exist");
    if (before.status === "assigned") return { result: before };
    const { pixId, institutionId, paidAt, ...received } = books.find(receivedPixTable, { accountId, id: e2eId })!;
    const rest = restOfTax(received, withheld);
    const [tax, about] = [received.withheld ?? withheld, { houseId: accountId, institutionId, e2eId }];
    const left = rest === 0 ? {} : { withheld: rest };
    const houseTax = rest === 0 ? null : rest;
    const end = { status: "assigned", outcome, chargeId, nextAt: null, updatedAt: now, houseTax } as const;
    return {
      result: { ...before, ...end },
      transfers: taxTakenBack({ accountId, institutionId, pix: { paidAt, ...left } }, pixId),
      writes: [
        update(assignmentsTable, before, "end", end),
        ...(withheld > tax ? [openCase(otherTax({ ...about, tax, booked: withheld }), deciding)] : []),
      ],
    };
  },
};

/** What the charge's account does not bear of the tax of a receipt. */
const restOfTax = (received: Pick<ReceivedPix, "withheld">, withheld: number): number =>
  Math.max(0, (received.withheld ?? 0) - withheld);

/** A MED case that was applied while the house account had the Pix is applied again, to the charge's account. */
export async function applyCasesAgain(ctx: Context, { accountId, institutionId, e2eId }: Assignment): Promise<void> {
  await ctx.db.query(sql`
    update psp_cases set done = false
    where account_id = ${accountId} and institution_id = ${institutionId} and e2e_id = ${e2eId} and not closed`);
}

/**
 * The second and third step of an assignment. Each may be repeated, so a crash between them costs nothing.
 *
 * @param pix as the PSP shows it; left out: as the house account has it.
 */
export async function finishAssignment(ctx: Context, assignment: Assignment, pix?: PspPix): Promise<Booked> {
  const settled = await settleAssigned(ctx, assignment, pix);
  const { outcome, chargeId, withheld } = settled;
  await applyCasesAgain(ctx, assignment);
  const { accountId, e2eId } = assignment;
  await ctx.lanes.run(endAssignment, { accountId, e2eId, outcome, chargeId, withheld });
  return settled;
}

const DUE: DueRows<typeof assignmentsTable.columns, keyof Assignment> = {
  table: assignmentsTable,
  dueAt: "nextAt",
  claimMs: ASSIGNMENT_CLAIM,
  fields: assignmentsTable.fields,
};

/** Finishes assignments that a crash cut in two. */
export const createAssigner = (ctx: Context): Runner =>
  createRunner<Assignment>(ctx, {
    loop: "assignments",
    claim: (limit) => claimDue(ctx, DUE, limit),
    async process(assignment) {
      await finishAssignment(ctx, assignment);
      return null;
    },
    span: ({ chargeId }) => ({ objectId: chargeId }),
    describe: ({ pixId }) => ({ pixId }),
  });
