/** Objects of cases, each with its open case and with every way in which it can move while a proposal waits. */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import type { CaseFact, CaseKind } from "../../src/cases/case.ts";
import { writeCases } from "../../src/cases/write.ts";
import { settleCharge } from "../../src/charges/settle.ts";
import { applyCase } from "../../src/claims/blocks/case.ts";
import { endHold } from "../../src/claims/blocks/end-hold.ts";
import { reportReturn } from "../../src/claims/returns/case.ts";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import type { PspPayout, PspPix } from "../../src/psp/psp.ts";
import { bookEntry, bookReceipt, discardEntry } from "../../src/treasury/book.ts";
import { findEntry } from "../../src/treasury/list.ts";
import { watchDebts } from "../../src/treasury/watch-debts.ts";
import { findUnmatched, resolveUnmatched } from "../../src/unmatched/act.ts";
import { keepUnmatched } from "../../src/unmatched/keep.ts";
import { bookWithdrawal } from "../../src/withdrawals/book.ts";
import { reportWithdrawal } from "../../src/withdrawals/case.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { give, newMerchant } from "../contract/money.ts";
import { MANUAL, payoutsOf, withdraw } from "../contract/payouts.ts";
import type { Client } from "../harness/client.ts";
import { HOUR, inDebt, WEEK } from "../harness/debt.ts";
import type { TestGateway } from "../harness/gateway.ts";
import { unknownCharge } from "./unknown-charge.ts";

/** Something with an open case. */
export type Made = { readonly caseId: string; readonly parameters?: Readonly<Record<string, unknown>> | undefined };
/** What an action is about: how it is made, and how it can move. */
export type Row = {
  make(): Promise<Made & { readonly moves: Readonly<Record<string, () => Promise<unknown>>> }>;
};

const PERSON = { name: "Ana Pessoa", document: "52998224725" };
const reason = { reason: "The bank says so." };

type PayoutKind = "payout_unresolved" | "payout_contradiction" | "payout_awaiting_bank" | "payout_unconfirmed";

/** All rows, by kind of case and action. */
export async function rowsOf(gateway: TestGateway, ana: Client): Promise<Readonly<Record<string, Row>>> {
  const { ctx } = gateway.running;
  const { institutionId } = (await ctx.psps.all())[0]!;
  const { rows: houses } = await ctx.db.query<{ account_id: string }>(
    sql`select account_id from accounts where is_house`,
  );
  const houseId = houses[0]!.account_id;
  const environment = "sandbox" as const;
  const ids = () => ({ now: ctx.clock.date(), newId: () => ctx.ids.uuid() });
  const caseOf = async (kind: CaseKind, objectId: string): Promise<string> => {
    const { rows } = await ctx.db.query<{ case_id: string }>(sql`
      select case_id from cases where kind = ${kind} and object_id = ${objectId} and status = 'open'`);
    assert.ok(rows[0], `a case ${kind} of ${objectId}`);
    return rows[0].case_id;
  };
  const open = async (fact: Omit<CaseFact, "deadline">): Promise<string> => {
    await writeCases(ctx.db, { open: [{ ...fact, deadline: null }] }, ids());
    return caseOf(fact.kind, fact.objectId);
  };
  const close = (kind: CaseKind, objectId: string) =>
    writeCases(ctx.db, { close: [{ accountId: houseId, kind, objectId }] }, ids());
  const newPix = (amount: number, more: Partial<PspPix> = {}): PspPix => {
    const e2eId = `E12345678202611221200${String(randomInt(1e10)).padStart(11, "a")}`;
    return { e2eId, amount, paidAt: ctx.clock.date(), payer: PERSON, returns: [], ...more };
  };

  // ---- Payouts.
  const sender = createSender(ctx);
  let passes: Promise<unknown> = Promise.resolve();
  /** Sends and books it, and queries it no more: an answer that another row's pass books late would close its case again. */
  const send = (withdrawalId: string): Promise<unknown> => {
    const sent = passes.then(async () => {
      while ((await sender.runDue()) > 0) await sender.idle();
      const later = clockAhead(WEEK).date();
      await ctx.db.query(sql`update withdrawals set next_at = ${later} where withdrawal_id = ${withdrawalId}`);
    });
    passes = sent.catch(() => undefined);
    return sent;
  };
  const payout =
    (kind: PayoutKind, parameters: Made["parameters"]): Row["make"] =>
    async () => {
      const { accountId, client } = await newMerchant(gateway);
      await give(gateway, accountId, 100);
      const { id: withdrawalId } = await withdraw(client, MANUAL);
      await send(withdrawalId);
      const { rows } = await ctx.db.query<{ psp_id: string; net_amount: number }>(sql`
        select psp_id, net_amount from withdrawals where withdrawal_id = ${withdrawalId}`);
      const { psp_id: id, net_amount: amount } = rows[0]!;
      assert.equal((await payoutsOf(gateway, withdrawalId)).length, 1, "it is at the institution");
      const report = (shown: Partial<PspPayout>) =>
        bookWithdrawal(ctx, {
          ...{ accountId, withdrawalId, institutionId, environment },
          reported: { kind: "shown", payout: { id, amount, status: "settled", returns: [], ...shown } },
        });
      /** What the institution says of it from now on, whether or not the books hear of it. */
      const says = async (status: string, amountCentavos = amount) => {
        const path = `/payouts/${id}/pretence`;
        const reply = await gateway.simulator.send("PUT", path, JSON.stringify({ status, amountCentavos }));
        assert.equal(reply.status, 200, reply.text);
      };
      if (kind === "payout_contradiction") {
        await says("EM_PROCESSAMENTO", 1);
        await report({ status: "processing", amount: 1 });
      } else if (kind === "payout_awaiting_bank") {
        await says("AGUARDANDO_APROVACAO");
        await report({ status: "awaiting_approval" });
      } else if (kind === "payout_unconfirmed") {
        await ctx.db.query(sql`
          update withdrawals set unconfirmed_since = ${ctx.clock.date()} where withdrawal_id = ${withdrawalId}`);
        await open({
          accountId,
          kind,
          objectId: withdrawalId,
          institutionId,
          amount,
          evidence: { says: "?", source: "gateway" },
        });
      } else await ctx.lanes.run(reportWithdrawal, { accountId, withdrawalId, latest: { state: "not_shown" } });
      const part = [{ id: "R1", amount: 300, returnedAt: ctx.clock.date() }];
      return {
        ...{ caseId: await caseOf(kind, withdrawalId), parameters },
        moves: {
          "the institution paid it": async () => {
            await says("REALIZADO");
            await report({});
          },
          "the institution failed it": async () => {
            await says("NAO_REALIZADO");
            await report({ status: "failed" });
          },
          "it was paid, and a part came back": async () => {
            await says("REALIZADO");
            await report({ returns: part });
          },
          "the institution shows another amount": () => says("EM_PROCESSAMENTO", 2),
        },
      };
    };

  // ---- Receipts without a charge.
  const receipt = async () => {
    const pix = newPix(1_000);
    await ctx.lanes.run(keepUnmatched, { accountId: houseId, institutionId, pix, reason: "no_txid" });
    const { rows } = await ctx.db.query<{ pix_id: string }>(sql`
      select pix_id from received_pix where account_id = ${houseId} and e2e_id = ${pix.e2eId}`);
    return { e2eId: pix.e2eId, pixId: rows[0]!.pix_id };
  };
  const acting = { ...ctx, operator: { id: ctx.ids.uuid(), name: "Bia" } };
  const resolve = async (id: string, decision: Parameters<typeof resolveUnmatched>[2]) =>
    resolveUnmatched(acting, await findUnmatched(ctx, id), decision, {
      keyed: null,
      toAnswer: () => ({ status: 200, body: "" }),
    });
  const back = (accountId: string, e2eId: string, amount: number, med = false) => {
    const shown = { id: `B${e2eId.slice(-9)}${amount}`, amount, status: "settled" as const, med };
    return ctx.lanes.run(bookPspReturn, { accountId, e2eId, institutionId, environment, shown: shown });
  };
  const charge = async () => {
    const made = await gateway.merchant.post<{ id: string }>("/pix", { amount: 10, description: "A charge" });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  };
  const ofReceipt =
    (parameters: Made["parameters"] = {}): Row["make"] =>
    async () => {
      const { e2eId, pixId } = await receipt();
      const entry = {
        ...{ accountId: houseId, entryId: pixId, source: "receipt" as const, kind: "top_up" as const, institutionId },
        ...{ toInstitutionId: null, amount: 1_000, occurredAt: ctx.clock.date(), reference: null, description: null },
        ...{ about: e2eId, createdBy: "Bia" },
      };
      return {
        ...{ caseId: await caseOf("unmatched_receipt", pixId), parameters },
        moves: {
          "the institution returned a part": () => back(houseId, e2eId, 400),
          "the institution returned all": () => back(houseId, e2eId, 1_000),
          "it goes back to its payer": () => resolve(pixId, { action: "return" }),
          "it was booked as the operator's own": () =>
            ctx.lanes.run(bookReceipt, { accountId: houseId, e2eId, entry, actor: "Bia" }),
          "it was given to a charge": async () =>
            resolve(pixId, { action: "assign", accountId: gateway.sandbox.accountId, chargeId: await charge() }),
        },
      };
    };
  const assign: Row["make"] = async () => {
    const chargeId = await charge();
    const made = await ofReceipt({ accountId: gateway.sandbox.accountId, chargeId })();
    return {
      ...made,
      moves: { ...made.moves, "the charge was cancelled": () => gateway.merchant.post(`/pix/${chargeId}/cancel`) },
    };
  };

  // ---- Returns.
  const returning = async () => {
    const { e2eId, pixId } = await receipt();
    await resolve(pixId, { action: "return" });
    const { rows } = await ctx.db.query<{ return_id: string; psp_id: string }>(sql`
      select return_id, psp_id from pix_returns where account_id = ${houseId} and e2e_id = ${e2eId}`);
    const { return_id: returnId, psp_id: pspId } = rows[0]!;
    const finish = (end: Parameters<typeof finishReturn.decide>[0]["end"]) =>
      ctx.lanes.run(finishReturn, { accountId: houseId, e2eId, institutionId, environment, pspId, amount: 1_000, end });
    return { e2eId, returnId, finish };
  };
  const settled = { kind: "settled" as const, rtrId: null, settledAt: null };
  const failed = { kind: "failed" as const, reason: "Conta encerrada." };
  const unresolved =
    (parameters: Made["parameters"] = {}, state: "not_shown" | "lost_return" = "not_shown"): Row["make"] =>
    async () => {
      const { e2eId, returnId, finish } = await returning();
      const since = ctx.clock.date();
      await ctx.lanes.run(reportReturn, { accountId: houseId, e2eId, returnId, since, latest: { state } });
      return {
        ...{ caseId: await caseOf("return_unresolved", returnId), parameters },
        moves: {
          "it was made": () => finish(settled),
          "it failed": () => finish(failed),
          "the institution returned the Pix by itself": () => back(houseId, e2eId, 1_000),
        },
      };
    };
  const returnFailed = async () => {
    const { e2eId, returnId, finish } = await returning();
    await finish(failed);
    return {
      caseId: await caseOf("return_failed", returnId),
      moves: {
        "it was made after all": () => finish(settled),
        "the institution returned a part by itself": () => back(houseId, e2eId, 400),
        "the institution returned all by itself": () => back(houseId, e2eId, 1_000),
        "it is tried again": () => resolve(returnId, { action: "retry" }),
      },
    };
  };

  // ---- Blocks.
  const block: Row["make"] = async () => {
    const chargeId = await charge();
    const { accountId } = gateway.sandbox;
    const { rows: charges } = await ctx.db.query<{ txid: string }>(
      sql`select txid from charges where charge_id = ${chargeId}`,
    );
    const pix = newPix(1_000, { txid: charges[0]!.txid });
    const { e2eId } = pix;
    await ctx.lanes.run(settleCharge, { accountId, chargeId, institutionId, environment, pix });
    const shown = { id: `case-${e2eId}`, e2eId, amount: 1_000, status: "accepted" as const };
    await ctx.lanes.run(applyCase, { accountId, e2eId, institutionId, environment, shown: shown });
    const { rows } = await ctx.db.query<{ block_id: string }>(
      sql`select block_id from balance_blocks where e2e_id = ${e2eId}`,
    );
    const blockId = rows[0]!.block_id;
    const about = { accountId, kind: "block_without_return" as const, objectId: blockId, institutionId, amount: 1_000 };
    const caseId = await open({
      ...about,
      evidence: { says: "The return is missing.", source: "institution", data: { e2eId } },
    });
    const end = (outcome: "released" | "taken") => () =>
      ctx.lanes.run(endHold, { accountId, blockId, e2eId, outcome, actor: "Bia" });
    return {
      caseId,
      moves: {
        "the institution returned it": () => back(accountId, e2eId, 1_000, true),
        "the institution returned a part": () => back(accountId, e2eId, 400, true),
        "it was released": end("released"),
        "it was taken": end("taken"),
        "the institution took the acceptance back": () =>
          ctx.lanes.run(applyCase, {
            ...{ accountId, e2eId, institutionId, environment },
            shown: { ...shown, status: "rejected" as const },
          }),
      },
    };
  };

  /** Operators booked its money as gone, and the institution closed the case without taking it. */
  const contradicted: Row["make"] = async () => {
    const made = await block();
    await made.moves["it was taken"]!();
    await made.moves["the institution took the acceptance back"]!();
    const { rows } = await ctx.db.query<{ object_id: string }>(
      sql`select object_id from cases where case_id = ${made.caseId}`,
    );
    const { "the institution returned it": all, "the institution returned a part": part } = made.moves;
    return {
      caseId: await caseOf("block_contradicted", rows[0]!.object_id),
      moves: { "the institution returned it": all!, "the institution returned a part": part! },
    };
  };

  // ---- What the institution holds, and what it lists.
  const drift =
    (parameters: Made["parameters"]): Row["make"] =>
    async () => {
      const about = { accountId: houseId, kind: "balance_drift" as const, objectId: institutionId, institutionId };
      const at = ctx.clock.date();
      const found = (difference: number) =>
        open({
          ...{ ...about, amount: Math.abs(difference) },
          evidence: { says: "It differs.", source: "institution", data: { difference, sampledAt: at.toISOString() } },
        });
      await close("balance_drift", institutionId);
      await ctx.db.query(sql`delete from balance_checks`);
      return {
        ...{ caseId: await found(1_000), parameters },
        moves: {
          "the difference is gone": () => close("balance_drift", institutionId),
          "the difference is another one": () => found(-1_000),
          "the newest comparison shows none": () =>
            ctx.db.query(sql`
            insert into balance_checks (institution_id, sampled_at, theirs, blocked, ours, moving, under_way, verdict)
            values (${institutionId}, ${ctx.clock.date()}, 5, 0, 5, 0, 0, 'agrees')`),
        },
      };
    };
  const difference =
    (parameters: Made["parameters"]): Row["make"] =>
    async () => {
      const key = `E${ctx.ids.uuid().replaceAll("-", "")}`;
      const objectId = `${institutionId} sent ${key}`;
      const found = (amount: number) =>
        open({
          ...{ accountId: houseId, kind: "reconciliation_difference", objectId, institutionId, amount },
          evidence: {
            ...{ says: "It is not in the books.", source: "institution" },
            data: { kind: "sent", state: "missing_here", key, parent: key, amount, at: ctx.clock.date().toISOString() },
          },
        });
      return {
        ...{ caseId: await found(1_000), parameters },
        moves: {
          "the books have it": () => close("reconciliation_difference", objectId),
          "it is of another amount": () => found(2_000),
        },
      };
    };
  const debt: Row["make"] = async () => {
    const { accountId, id } = await inDebt(gateway);
    const watch = () => watchDebts({ ...ctx, clock: clockAhead(WEEK + HOUR) });
    return {
      ...{ caseId: id, parameters: { amount: 12.34 } },
      moves: {
        "a part was paid": () => give(gateway, accountId, 5),
        "all was paid": async () => {
          await give(gateway, accountId, 20);
          await watch();
        },
      },
    };
  };
  const entry: Row["make"] = async () => {
    const made = await ana.post<{ id: string; caseId: string }>("/treasury", {
      ...{ kind: "top_up", amount: 11.11, institutionId, occurredAt: new Date(Date.now() - 60_000).toISOString() },
    });
    assert.equal(made.status, 201, made.text);
    const { id, caseId } = made.body;
    const end = (kind: typeof bookEntry) => async () =>
      ctx.lanes.run(kind, { accountId: houseId, entry: await findEntry(ctx.db, houseId, id), actor: "Bia" });
    return { caseId, moves: { "it was booked": end(bookEntry), "it was discarded": end(discardEntry) } };
  };

  const payouts = (
    ["payout_unresolved", "payout_contradiction", "payout_awaiting_bank", "payout_unconfirmed"] as const
  ).flatMap((kind) => [
    [`${kind} force_completed`, { make: payout(kind, {}) }] as const,
    [`${kind} force_failed`, { make: payout(kind, reason) }] as const,
    [`${kind} write_off`, { make: payout(kind, {}) }] as const,
  ]);
  return {
    ...Object.fromEntries(payouts),
    "payout_unconfirmed confirm": { make: payout("payout_unconfirmed", reason) },
    "unmatched_receipt assign": { make: assign },
    "unmatched_receipt return": { make: ofReceipt() },
    "unmatched_receipt treasury": { make: ofReceipt({ kind: "top_up" }) },
    "unmatched_receipt write_off": { make: ofReceipt() },
    "return_unresolved confirm": { make: unresolved(reason, "lost_return") },
    "return_unresolved force_completed": { make: unresolved() },
    "return_unresolved force_failed": { make: unresolved(reason) },
    "return_failed retry": { make: returnFailed },
    "return_failed force_completed": { make: returnFailed },
    "return_failed write_off": { make: returnFailed },
    "block_without_return release_hold": { make: block },
    "block_without_return take_hold": { make: block },
    "block_contradicted give_back": { make: async () => ({ ...(await contradicted()), parameters: reason }) },
    "block_contradicted acknowledge": { make: async () => ({ ...(await contradicted()), parameters: reason }) },
    "balance_drift book_difference": { make: drift({ kind: "top_up", amount: 10 }) },
    "balance_drift write_off": { make: drift({ amount: 10 }) },
    "reconciliation_difference treasury": { make: difference({ kind: "sweep" }) },
    "reconciliation_difference acknowledge": { make: difference(reason) },
    "reconciliation_difference expire_charge": {
      make: () => unknownCharge(gateway, { houseId, institutionId, reason }),
    },
    "wallet_debt write_off": { make: debt },
    "treasury_entry book": { make: entry },
    "treasury_entry discard": { make: entry },
  };
}
