import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type AccountSettings, accountsTable } from "../../src/accounts/account.ts";
import { type WalletRow, walletsTable } from "../../src/accounts/wallet.ts";
import { cancelCharge } from "../../src/charges/cancel.ts";
import { CHARGE_EDGES, type ChargeRow, type ChargeStatus, chargesTable } from "../../src/charges/charge.ts";
import { askDueEdit, countDueEditRequest, endDueEdit } from "../../src/charges/edit-due.ts";
import { expireCharge } from "../../src/charges/expire.ts";
import { settleCharge } from "../../src/charges/settle.ts";
import type { Settled } from "../../src/charges/settlement.ts";
import { receivedPixTable } from "../../src/claims/received-pix.ts";
import { type Finished, finishReturn } from "../../src/claims/returns/finish.ts";
import { pixReturnsTable, RETURN_EDGES, type ReturnStatus } from "../../src/claims/returns/row.ts";
import { available, fees, psp, pspCosts, returns } from "../../src/ledger/chart.ts";
import type { DueTerms } from "../../src/lib/due.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import type { PspPix } from "../../src/psp/psp.ts";
import { eventsTable, receiversTable } from "../../src/webhooks/events/emit.ts";
import { Charges, Deposits } from "./charges.ts";
import { effort } from "./effort.ts";
import { MemoryLane } from "./memory.ts";
import { settingsOf } from "./tenant.ts";

const ACCOUNT = "00000000-0000-7000-8000-000000000001";
const INSTITUTION = "00000000-0000-7000-8000-0000000000aa";
const DUE = 1_000;
const CHARGES = 4;
/** Every second charge has a due date, and up to this day two centavos off, which its institution does not explain. */
const TERMS: DueTerms = {
  date: "1970-01-20",
  daysAfter: 0,
  discount: { until: [{ date: "1970-01-20", fixed: 2 }] },
};
/** Other terms for it: three centavos off. */
const OTHERS: DueTerms = { ...TERMS, discount: { until: [{ date: "1970-01-20", fixed: 3 }] } };
const VARIANTS = { first: { terms: TERMS, off: 2 }, other: { terms: OTHERS, off: 3 } } as const;
type Variant = keyof typeof VARIANTS;
const hasDueDate = (i: number): boolean => i % 2 === 1;
const DOCUMENTS = {
  cpf: "52998224725",
  cnpj: "11222333000181",
  alphanumeric: "12ABC34501DE35",
  none: undefined,
} as const;

type Policy = {
  blockCnpj: boolean;
  unknown: "credit" | "return";
  late: "credit" | "return";
  fixed: number;
  bps: number;
};
type Step =
  | {
      do: "pay";
      charge: number;
      pix: number;
      amount: "right" | "low" | "lower" | "high";
      at: number;
      payer: keyof typeof DOCUMENTS;
      elsewhere: boolean;
      withheld: "none" | "a tenth" | "nearly all";
    }
  | { do: "expire"; charge: number }
  | { do: "cancel"; charge: number }
  | { do: "edit"; charge: number; to: Variant }
  | { do: "send"; charge: number; to: Variant }
  | { do: "answer"; charge: number; to: Variant; end: "done" | "refused"; request: number }
  | { do: "return"; pix: number; end: "settled" | "failed"; reported: "right" | "other id" | "other amount" }
  | { do: "policy"; policy: Policy }
  | { do: "clock"; to: number };

const policy: fc.Arbitrary<Policy> = fc.record({
  blockCnpj: fc.boolean(),
  unknown: fc.constantFrom("credit", "return"),
  late: fc.constantFrom("credit", "return"),
  fixed: fc.constantFrom(0, 1, 50, 99_999),
  bps: fc.constantFrom(0, 1, 99, 333, 10_000),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("pay" as const),
      charge: fc.nat({ max: CHARGES - 1 }),
      pix: fc.nat({ max: 5 }),
      amount: fc.constantFrom("right", "right", "right", "low", "lower", "high"),
      at: fc.constantFrom(1, DUE - 1, DUE, DUE + 1, 2 * DUE),
      payer: fc.constantFrom("cpf", "cnpj", "alphanumeric", "none"),
      elsewhere: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      withheld: fc.constantFrom("none", "none", "a tenth", "nearly all"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("expire" as const), charge: fc.nat({ max: CHARGES - 1 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), charge: fc.nat({ max: CHARGES - 1 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("edit" as const, "edit" as const, "send" as const),
      charge: fc.nat({ max: CHARGES - 1 }),
      to: fc.constantFrom<Variant>("first", "other"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      charge: fc.nat({ max: CHARGES - 1 }),
      to: fc.constantFrom<Variant>("first", "other"),
      end: fc.constantFrom("done", "refused"),
      request: fc.constantFrom(1, 3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("return" as const),
      pix: fc.nat({ max: 5 }),
      end: fc.constantFrom("settled", "failed"),
      reported: fc.constantFrom("right", "right", "right", "other id", "other amount"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("policy" as const), policy }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("clock" as const), to: fc.constantFrom(1, DUE - 1, DUE, DUE + 1, 2 * DUE) }),
  },
);

type Charge = {
  readonly number: number;
  readonly amount: number;
  paid: number;
  status: ChargeStatus;
  closedAt: number | null;
  terms: Variant;
  asked: Variant | null;
  /** Requests of the open edit. */
  requests: number;
  /** Terms that were replaced: minutes ago, so that they still count. */
  replaced: Variant[];
  edits: string[];
  end: number;
};

/** The rules of one account's charges beside those of `charges.ts`: which payment is right, fees, and changed due dates. */
class Model {
  now = 0;
  policy: Policy = { blockCnpj: false, unknown: "credit", late: "credit", fixed: 0, bps: 0 };
  readonly charges: readonly Charge[];
  available = 0;
  fees = 0;
  returns = 0;
  received = 0;
  /** Tax that no wallet bears. */
  costs = 0;
  readonly events: string[] = [];
  readonly deposits = new Deposits<string>({
    returning: (amount) => {
      this.returns += amount;
    },
    left: (amount) => {
      this.returns -= amount;
      this.received -= amount;
    },
    report: (e2eId, end) => {
      const kind = this.payments.pix.get(e2eId) === "blocked" ? "deposit_returned" : "duplicate_payment_returned";
      this.events.push(`${kind} ${e2eId}${end === "failed" ? " failed" : ""}`);
    },
  });
  readonly payments = new Charges<Charge, string>(this.deposits, {
    receive: ({ amount, withheld }, outcome) => {
      this.received += amount - withheld;
      if (outcome !== "credited") this.costs += withheld;
    },
    credit: (charge, { amount, withheld }) => {
      charge.paid = amount;
      const exact = BigInt(this.policy.fixed) * 10_000n + BigInt(amount) * BigInt(this.policy.bps);
      const rounded = Number((exact + 5_000n) / 10_000n);
      const fee = Math.min(rounded, amount - withheld);
      this.available += amount - withheld - fee;
      this.fees += fee;
    },
    report: ({ number }, event) => this.events.push(`${event} ${number}`),
  });

  constructor(amounts: readonly number[], statuses: readonly ChargeStatus[]) {
    this.charges = amounts.map((amount, number) => ({
      ...{ number, amount, paid: amount, status: statuses[number]!, closedAt: null, end: DUE },
      ...{ terms: "first", asked: null, requests: 0, replaced: [], edits: [] },
    }));
  }

  pay(
    i: number,
    e2eId: string,
    amount: number,
    at: number,
    payer: keyof typeof DOCUMENTS,
    elsewhere: boolean,
    withheld: number,
  ): Settled["outcome"] {
    const charge = this.charges[i]!;
    const isRight = (): boolean => {
      const limit = charge.status === "cancelled" ? Math.min(charge.closedAt!, charge.end) : charge.end;
      const tooLate = at > limit && this.policy.late === "return";
      const company = payer === "cnpj" || payer === "alphanumeric";
      const badPayer = this.policy.blockCnpj && (company || (payer === "none" && this.policy.unknown === "return"));
      const off = charge.amount - amount;
      const possible = [charge.terms, ...charge.replaced, ...(charge.asked ? [charge.asked] : [])];
      const most = Math.max(...possible.map((name) => VARIANTS[name].off));
      const wrong = hasDueDate(i) ? off < 0 || off > most : off !== 0;
      return !wrong && !tooLate && !badPayer;
    };
    return this.payments.settle(elsewhere ? undefined : charge, e2eId, { amount, withheld }, isRight).outcome;
  }

  /** Null: there is no such return. Otherwise its state, and whether it had it before. */
  giveBack(e2eId: string, end: "settled" | "failed", reported: string): Finished {
    const deposit = this.deposits.all.get(e2eId);
    if (!deposit || reported !== "right") return null;
    return this.deposits.endReturn(deposit, 0, end === "settled");
  }

  expire(i: number): void {
    const charge = this.charges[i]!;
    if (this.now < charge.end || charge.asked) return;
    if (this.payments.close(charge, "expired")) charge.closedAt = this.now;
  }

  cancel(i: number): void {
    const charge = this.charges[i]!;
    if (!this.payments.close(charge, "cancelled")) return;
    charge.closedAt = this.now;
    if (charge.asked === null) return;
    // Nobody asks for it any more; what was sent may still arrive.
    charge.edits.splice(-1, 1, `${charge.asked} refused`);
    charge.replaced.push(charge.asked);
    charge.asked = null;
  }

  edit(i: number, to: Variant): void {
    const charge = this.charges[i]!;
    if (!hasDueDate(i) || charge.status !== "pending" || charge.asked || this.now >= charge.end) return;
    if (charge.terms === to) return;
    charge.asked = to;
    charge.requests = 1;
    charge.edits.push(`${to} asked`);
  }

  send(i: number, to: Variant): void {
    const charge = this.charges[i]!;
    if (charge.status === "pending" && charge.asked === to)
      charge.requests = Math.min(LIMITS.dueEditRequests, charge.requests + 1);
  }

  answer(i: number, to: Variant, end: "done" | "refused", request: number): void {
    const charge = this.charges[i]!;
    if (charge.status !== "pending") return;
    const isOpen = charge.asked === to;
    if (end === "refused") {
      if (!isOpen || request !== charge.requests) return;
      charge.edits.splice(-1, 1, `${to} refused`);
      charge.asked = null;
      // One of several requests may still arrive.
      if (request > 1) charge.replaced.push(to);
      return;
    }
    if (!isOpen && (!hasDueDate(i) || charge.terms === to)) return;
    // What the bank has made stands, whoever asked for it; an edit that is still open stays the last one.
    charge.edits.splice(charge.asked === null ? charge.edits.length : -1, isOpen ? 1 : 0, `${to} done`);
    if (isOpen) charge.asked = null;
    charge.replaced.push(charge.terms);
    charge.terms = to;
    // Days later than any of these moments.
    charge.end = Number.POSITIVE_INFINITY;
  }
}

/** A refusal that came long after the request before. */
const PROVEN = { isProven: true, sentBefore: new Date(0).toISOString() };
const chargeId = (i: number) => `00000000-0000-7000-8000-0000000001${i.toString().padStart(2, "0")}`;
const e2eOf = (pix: number) => `E${pix.toString().padStart(31, "0")}`;
const txid = (i: number) => `1${"0".repeat(24)}${i}`;

const settings = ({ blockCnpj, unknown, late, fixed, bps }: Policy): AccountSettings =>
  settingsOf(ACCOUNT, {
    blockCnpjPayers: blockCnpj,
    unknownPayers: unknown,
    latePayments: late,
    fees: { charge: { fixed, percentBps: bps } },
  });

function open(amounts: readonly number[], statuses: readonly ChargeStatus[]): MemoryLane {
  const lane = new MemoryLane();
  const wallet: WalletRow = { accountId: ACCOUNT, walletId: ACCOUNT, reference: "principal", status: "approved" };
  lane.put(walletsTable, { accountId: ACCOUNT, id: ACCOUNT }, wallet);
  lane.put(receiversTable, { accountId: ACCOUNT, id: ACCOUNT }, []);
  amounts.forEach((amount, i) => {
    const row: ChargeRow = {
      accountId: ACCOUNT, chargeId: chargeId(i), walletId: ACCOUNT, status: statuses[i]!, amount, description: "", qrCodeId: null,
      paymentLinkId: null, externalReference: null,
      metadata: null, customerId: null, institutionId: INSTITUTION, txid: txid(i), due: hasDueDate(i) ? TERMS : null, dueEdits: null, expiresAt: new Date(DUE), split: null,
      closedAt: null, updatedAt: new Date(0),
    }; // biome-ignore format: one row
    lane.put(chargesTable, { accountId: ACCOUNT, id: chargeId(i) }, row);
  });
  return lane;
}

function runStep(lane: MemoryLane, model: Model, one: Step, newId: () => string): void {
  const deciding = { now: new Date(model.now), newId };
  if (one.do === "clock") model.now = Math.max(model.now, one.to);
  else if (one.do === "policy") {
    model.policy = one.policy;
    lane.put(accountsTable, { accountId: ACCOUNT, id: ACCOUNT }, settings(one.policy));
  } else if (one.do === "expire") {
    model.expire(one.charge);
    lane.run(
      [
        {
          kind: expireCharge as never,
          command: { accountId: ACCOUNT, chargeId: chargeId(one.charge), environment: "sandbox" } as never,
        },
      ],
      deciding,
    );
  } else if (one.do === "cancel") {
    model.cancel(one.charge);
    // Twice in one batch, as two callers who have both removed it at the PSP.
    const command = { accountId: ACCOUNT, chargeId: chargeId(one.charge) };
    const item = { kind: cancelCharge as never, command: command as never };
    const { status } = model.charges[one.charge]!;
    assert.deepEqual(lane.run([item, item], deciding), [status, status]);
  } else if (one.do === "edit" || one.do === "send" || one.do === "answer") {
    const command = { accountId: ACCOUNT, chargeId: chargeId(one.charge), to: VARIANTS[one.to].terms };
    const answer = { ...command, end: one.do === "answer" && one.end, ...PROVEN };
    const request = one.do === "answer" ? one.request : 0;
    const item = {
      kind: { edit: askDueEdit, send: countDueEditRequest, answer: endDueEdit }[one.do] as never,
      command: (one.do === "answer" ? { ...answer, request } : command) as never,
    };
    // Twice in one batch, as two callers at the same moment.
    for (const _ of [1, 2]) {
      if (one.do === "edit") model.edit(one.charge, one.to);
      else if (one.do === "send") model.send(one.charge, one.to);
      else model.answer(one.charge, one.to, one.end, one.request);
    }
    lane.run([item, item], deciding);
  } else if (one.do === "return") {
    const e2eId = e2eOf(one.pix);
    const row = lane.all(pixReturnsTable).find((back) => back.e2eId === e2eId);
    const command = {
      accountId: ACCOUNT,
      e2eId,
      institutionId: INSTITUTION,
      environment: "sandbox",
      pspId: one.reported === "other id" ? "another" : (row?.pspId ?? "none"),
      amount: (row?.amount ?? 1) + (one.reported === "other amount" ? 1 : 0),
      end:
        one.end === "settled"
          ? { kind: "settled", rtrId: "D1", settledAt: deciding.now }
          : { kind: "failed", reason: "x" },
    };
    const item = { kind: finishReturn as never, command: command as never };
    const [first, second] = lane.run([item, item], deciding) as Finished[];
    assert.deepEqual(first, model.giveBack(e2eId, one.end, one.reported));
    assert.deepEqual(second, first && { ...first, already: true });
  } else {
    const amount = Math.max(
      1,
      model.charges[one.charge]!.amount + { right: 0, low: -1, lower: -3, high: 1 }[one.amount],
    );
    const e2eId = e2eOf(one.pix);
    const document = DOCUMENTS[one.payer];
    const withheld = { none: 0, "a tenth": Math.floor(amount / 10), "nearly all": amount - 1 }[one.withheld];
    const pix: PspPix = {
      e2eId,
      txid: one.elsewhere ? txid((one.charge + 1) % CHARGES) : txid(one.charge),
      amount,
      ...(withheld > 0 && { withheld }),
      paidAt: new Date(one.at),
      payer: document === undefined ? undefined : { name: "x", document },
      returns: [],
    };
    const command = {
      accountId: ACCOUNT,
      chargeId: chargeId(one.charge),
      institutionId: INSTITUTION,
      environment: "sandbox",
      pix,
    };
    // Twice in one batch: the second must learn that it is done.
    const item = { kind: settleCharge as never, command: command as never };
    const [first, second] = lane.run([item, item], deciding) as Settled[];
    assert.equal(first!.outcome, model.pay(one.charge, e2eId, amount, one.at, one.payer, one.elsewhere, withheld));
    assert.equal(second!.outcome, first!.outcome);
    assert.equal(second!.already, first!.outcome !== "unmatched");
  }
}

const returnMayMove = (from: ReturnStatus, to: ReturnStatus) =>
  RETURN_EDGES.some((edge) => edge.from === from && edge.to === to);

test("deciding agrees with the model on status, money and events, whatever happens in whatever order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 999_999_999_999 })), {
        minLength: CHARGES,
        maxLength: CHARGES,
      }),
      fc.array(fc.constantFrom<ChargeStatus>("pending", "pending", "creating", "rejected"), {
        minLength: CHARGES,
        maxLength: CHARGES,
      }),
      policy,
      fc.array(step, { maxLength: 40 }),
      (amounts, statuses, firstPolicy, steps) => {
        const lane = open(amounts, statuses);
        const model = new Model(amounts, statuses);
        let made = 0;
        const newId = () => `00000000-0000-7000-9000-${(made++).toString(16).padStart(12, "0")}`;
        runStep(lane, model, { do: "policy", policy: firstPolicy }, newId);
        for (const one of steps) {
          const before = lane.all(chargesTable).map((row) => row.status);
          const returnsBefore = lane.all(pixReturnsTable).map((row) => row.status);
          runStep(lane, model, one, newId);
          const after = lane.all(chargesTable).map((row) => row.status);
          assert.deepEqual(
            after,
            model.charges.map((charge) => charge.status),
          );
          for (const [i, status] of after.entries()) {
            const isEdge = CHARGE_EDGES.some(({ from, to }) => from === before[i] && to === status);
            assert.equal(status === before[i] || isEdge, true, `${before[i]} → ${status}`);
          }
          for (const [i, { status }] of lane.all(pixReturnsTable).entries()) {
            const from = returnsBefore[i];
            const known = from === undefined ? status === "pending" : status === from || returnMayMove(from, status);
            assert.equal(known, true, `${from} → ${status}`);
          }
        }
        const nameOf = (terms: DueTerms) => (terms === TERMS ? "first" : "other");
        assert.deepEqual(
          lane
            .all(chargesTable)
            .map(({ due, dueEdits }) => [
              due && nameOf(due),
              (dueEdits ?? []).map(({ to, status }) => `${nameOf(to)} ${status}`),
            ]),
          model.charges.map(({ terms, edits }, i) => [hasDueDate(i) ? terms : null, edits]),
        );
        assert.deepEqual(
          lane.all(chargesTable).map((row) => row.amount),
          model.charges.map(({ paid }) => paid),
        );
        assert.equal(lane.balance(ACCOUNT, available(ACCOUNT)), model.available);
        assert.equal(lane.balance(ACCOUNT, fees), model.fees);
        assert.equal(lane.balance(ACCOUNT, returns), model.returns);
        assert.equal(lane.balance(ACCOUNT, psp(INSTITUTION)), 0 - model.received);
        assert.equal(lane.balance(ACCOUNT, pspCosts), 0 - model.costs);
        assert.equal(lane.total(ACCOUNT), 0);
        assert.deepEqual(
          lane
            .all(receivedPixTable)
            .map((p) => p.e2eId)
            .sort(),
          [...model.payments.pix.keys()].sort(),
        );
        assert.deepEqual(
          Object.fromEntries(lane.all(pixReturnsTable).map((r) => [r.e2eId, [r.amount, r.status, r.nextAt !== null]])),
          Object.fromEntries(
            [...model.deposits.all].map(
              ([
                e2eId,
                {
                  returns: [back],
                },
              ]) => [
                e2eId,
                [back!.amount, back!.status === "open" ? "pending" : back!.status, back!.status === "open"],
              ],
            ),
          ),
        );
        const pixOf = new Map(lane.all(receivedPixTable).map(({ pixId, e2eId }) => [pixId, e2eId]));
        const reported = lane.all(eventsTable).map(({ kind, eventId }) => {
          if (!kind.endsWith("_returned")) return `${kind} ${Number(eventId.slice(-2))}`;
          const [pixId, ...end] = eventId.slice(kind.length + 1).split("_");
          return [kind, pixOf.get(pixId!), ...end].join(" ");
        });
        assert.deepEqual(reported.sort(), [...model.events].sort());
      },
    ),
    effort(20_000),
  );
});
