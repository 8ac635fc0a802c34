import assert from "node:assert/strict";
import { describe, snapshot, test } from "node:test";
import { accountsTable } from "../../src/accounts/account.ts";
import { walletsTable } from "../../src/accounts/wallet.ts";
import { attemptKey, attemptsTable } from "../../src/charges/attempt.ts";
import { cancelCharge } from "../../src/charges/cancel.ts";
import { expireCharge, makeDue } from "../../src/charges/expire.ts";
import { settleCharge } from "../../src/charges/settle.ts";
import type { SettleCharge } from "../../src/charges/settlement.ts";
import { acceptLegs, MAX_LEGS, serveLegs } from "../../src/charges/split.ts";
import { receivedPixTable } from "../../src/claims/received-pix.ts";
import { available, fees as feesOf, psp } from "../../src/ledger/chart.ts";
import type { PspPix } from "../../src/psp/psp.ts";
import { ACCOUNT, at, BANK, CHARGE, Desk, object, SUB } from "./desk.ts";

snapshot.setDefaultSnapshotSerializers([String]);

const CNPJ = "11222333000181";
const CPF = "52998224725";
const fees = (fixed: number) => ({ charge: { fixed, percentBps: 0 } });
const pix = (changes: Partial<PspPix> = {}): PspPix => ({
  e2eId: "E1",
  txid: "txid",
  amount: 1_000,
  paidAt: at("11:30:00"),
  returns: [],
  ...changes,
});
const settle = (changes: Partial<SettleCharge> = {}): SettleCharge => ({
  accountId: ACCOUNT,
  chargeId: CHARGE,
  institutionId: BANK,
  environment: "sandbox",
  pix: pix(),
  ...changes,
});

describe("settling a charge", () => {
  test("credits it, takes the fee, and reports it; the same Pix again changes nothing", (t) => {
    const desk = new Desk({ fees: fees(50) }).charge();
    desk.run("paid", settleCharge, settle());
    desk.run("reported again", settleCharge, settle());
    t.assert.snapshot(desk.transcript);
  });

  test("credits it, and its event has the environment of the institution that was paid", () => {
    for (const environment of ["sandbox", "production"] as const) {
      const desk = new Desk().charge();
      desk.run("paid", settleCharge, settle({ environment }));
      assert.deepEqual(
        [...desk.transcript.matchAll(/\\?"environment\\?":\\?"(\w+)/g)].map(([, said]) => said),
        [environment],
      );
    }
  });

  test("without a fee, and with the smallest", (t) => {
    const free = new Desk().charge();
    free.run("free", settleCharge, settle());
    const one = new Desk({ fees: fees(1) }).charge();
    one.run("one centavo", settleCharge, settle());
    t.assert.snapshot(`${free.transcript}\n${one.transcript}`);
  });

  test("keeps who paid, and shows what the charge carries", (t) => {
    const desk = new Desk().charge({ externalReference: "order-1", metadata: { a: 1 } });
    desk.run("paid", settleCharge, settle({ pix: pix({ payer: { name: "Ana", document: CPF } }) }));
    const known = new Desk().charge({ customerId: object(1) });
    known.run("of a known customer", settleCharge, settle({ pix: pix({ payer: { document: CPF } }) }));
    t.assert.snapshot(`${desk.transcript}\n${known.transcript}`);
  });

  test("a late one is credited with a word about it, or set aside, by the Pix's own time", (t) => {
    const late = pix({ paidAt: at("13:00:00.001") });
    const credited = new Desk().charge({ status: "expired", closedAt: at("13:00:01") });
    credited.run("expired, paid late", settleCharge, settle({ pix: late }));
    const returned = new Desk({ latePayments: "return" }).charge({ status: "expired", closedAt: at("13:00:01") });
    returned.run("by policy set aside", settleCharge, settle({ pix: late }));
    const just = new Desk({ latePayments: "return" }).charge({ status: "expired", closedAt: at("13:00:01") });
    just.run("in its last instant", settleCharge, settle({ pix: pix({ paidAt: at("13:00:00") }) }));
    t.assert.snapshot([credited, returned, just].map((desk) => desk.transcript).join("\n"));
  });

  test("a cancelled one is late from when it was cancelled, unless it had been due before", () => {
    const outcome = (closedAt: string, paidAt: string, status: "cancelled" | "expired" = "cancelled") =>
      new Desk({ latePayments: "return" })
        .charge({ status, closedAt: at(closedAt) })
        .run("paid", settleCharge, settle({ pix: pix({ paidAt: at(paidAt) }) })).outcome;
    assert.equal(outcome("12:00:00", "12:00:00"), "credited");
    assert.equal(outcome("12:00:00", "12:00:01"), "blocked");
    assert.equal(outcome("14:00:00", "13:30:00"), "blocked");
    assert.equal(outcome("12:00:00", "12:30:00", "expired"), "credited");
  });

  test("its fee is of what was paid and its split of what tax and fee leave; no wallet goes below zero", () => {
    const split = [
      { walletId: SUB, reference: "sub", amount: 300 },
      { walletId: SUB, reference: "sub", amount: 600 },
    ];
    const shares = (withheld: number, fixed = 50) => {
      const desk = new Desk({ fees: fees(fixed) }).charge({ split });
      desk.run("paid", settleCharge, settle({ pix: pix({ withheld }) }));
      desk.run("shown without its tax", settleCharge, settle());
      return [available(ACCOUNT), available(SUB), feesOf, psp(BANK)].map((name) => desk.balance(name) + 0);
    };
    assert.deepEqual(shares(50), [0, 900, 50, -950]);
    assert.deepEqual(shares(51), [0, 899, 50, -949], "the last leg gets what is left");
    assert.deepEqual(shares(700), [0, 250, 50, -300]);
    assert.deepEqual(shares(999), [0, 0, 1, -1], "the fee is what the tax leaves");
  });

  test("a wrong amount and a second payment go back", (t) => {
    const desk = new Desk().charge({ externalReference: "order-1", metadata: { a: 1 } });
    desk.run(
      "wrong amount",
      settleCharge,
      settle({ pix: pix({ amount: 1_001, payer: { name: "Ana", document: CPF } }) }),
    );
    desk.run("again with the right one", settleCharge, settle({ pix: pix({ e2eId: "E2" }) }));
    t.assert.snapshot(desk.transcript);
  });

  test("a company's and an unknown payer's are set aside where the account says so", () => {
    const outcome = (settings: ConstructorParameters<typeof Desk>[0], payer?: PspPix["payer"]) => {
      const desk = new Desk(settings).charge();
      desk.run("paid", settleCharge, settle({ pix: pix({ payer }) }));
      return desk.all(receivedPixTable).map((row) => row.reason ?? row.outcome);
    };
    assert.deepEqual(outcome({ blockCnpjPayers: true }, { document: CNPJ }), ["cnpj_payer_not_allowed"]);
    assert.deepEqual(outcome({ blockCnpjPayers: true }, { document: CPF }), ["credited"]);
    assert.deepEqual(outcome({ blockCnpjPayers: true }), ["credited"]);
    assert.deepEqual(outcome({ blockCnpjPayers: true, unknownPayers: "return" }), ["unknown_payer_not_allowed"]);
    assert.deepEqual(outcome({ unknownPayers: "return" }), ["credited"]);
    assert.deepEqual(outcome({}, { document: CNPJ }), ["credited"]);
  });

  test("is for the charge that the txid names, at an institution where it was tried, or that the operator names", () => {
    const other = object(2);
    const settled = (desk: Desk, changes: Partial<SettleCharge>) => desk.run("paid", settleCharge, settle(changes));
    const unmatched = { outcome: "unmatched", already: false };
    assert.deepEqual(settled(new Desk(), {}), unmatched);
    assert.deepEqual(settled(new Desk(), { assigned: true }), unmatched);
    assert.deepEqual(settled(new Desk(), { pix: pix({ txid: undefined }) }), unmatched);
    assert.deepEqual(settled(new Desk().charge(), { pix: pix({ txid: "another" }) }), unmatched);
    assert.deepEqual(settled(new Desk().charge(), { institutionId: other }), unmatched);
    const tried = new Desk().charge().put(attemptsTable, attemptKey(settle({ institutionId: other })).id, {} as never);
    assert.deepEqual(settled(tried, { institutionId: other }), { outcome: "credited", already: false });
    const assigned = { assigned: true, institutionId: other, pix: pix({ txid: undefined }) };
    assert.deepEqual(settled(new Desk().charge(), assigned), { outcome: "credited", already: false });
    assert.throws(() => settled(new Desk().charge({ walletId: object(3) }), {}), /wallet that does not exist/);
  });
});

describe("a charge that nobody paid", () => {
  const named = { accountId: ACCOUNT, chargeId: CHARGE };
  const expire = { ...named, environment: "sandbox" as const };

  test("expires when it is due, not an instant before, and its merchant is notified once", (t) => {
    const desk = new Desk().charge({ externalReference: "order-1", metadata: { a: 1 } });
    desk.now = at("12:59:59.999");
    desk.run("too early", expireCharge, expire);
    desk.now = at("13:00:00");
    desk.run("due", expireCharge, expire);
    desk.run("again", expireCharge, expire);
    const plain = new Desk().charge({ expiresAt: at("11:00:00") });
    plain.run("of which nothing is known", expireCharge, expire);
    t.assert.snapshot(`${desk.transcript}\n${plain.transcript}`);
  });

  test("is cancelled while it is pending, and made due now or left due before", (t) => {
    const desk = new Desk().charge();
    desk.run("made due", makeDue, named);
    desk.now = at("12:00:01");
    desk.run("made due again", makeDue, named);
    desk.run("cancelled", cancelCharge, named);
    t.assert.snapshot(desk.transcript);
  });

  test("is left as it is when it is over, and unknown when it is not there", () => {
    const end = (desk: Desk) => [
      desk.run("x", expireCharge, expire),
      desk.run("x", cancelCharge, named),
      desk.run("x", makeDue, named),
    ];
    const over = new Desk().charge({ status: "completed", expiresAt: at("11:00:00") });
    assert.deepEqual(end(over), ["completed", "completed", "completed"]);
    const none = new Desk();
    assert.deepEqual(end(none), [null, null, null]);
    for (const { transcript } of [over, none]) assert.doesNotMatch(transcript, /->|insert|update/);
  });
});

describe("a split", () => {
  test("is served out of the net amount, in its order", (t) => {
    const leg = (amount: number) => ({ walletId: SUB, reference: "sub", amount });
    const desk = new Desk({ fees: fees(100) }).charge({ split: [leg(300), leg(700), leg(1)] });
    desk.run("paid", settleCharge, settle());
    const suspended = new Desk().wallet("suspended").charge({ split: [leg(300)] });
    suspended.run("to a suspended one", settleCharge, settle());
    t.assert.snapshot(`${desk.transcript}\n${suspended.transcript}`);
  });

  test("each leg gets the smaller of what it asks and what is left; one that gets nothing is left out", () => {
    const legs = [300, 0, 500, 400, 5].map((amount, i) => ({ walletId: object(i), reference: `r${i}`, amount }));
    const served = (net: number, suspended = -1) =>
      serveLegs(legs, net, (walletId) => (walletId === object(suspended) ? "suspended" : "approved")).map((one) => [
        one.leg,
        one.amount,
      ]);
    assert.deepEqual(served(1_000), [[0, 300], [2, 500], [3, 200]]);
    assert.deepEqual(served(2_000), [[0, 300], [2, 500], [3, 400], [4, 5]]);
    assert.deepEqual(served(1_000, 0), [[2, 500], [3, 400], [4, 5]]);
    assert.deepEqual(served(301), [[0, 300], [2, 1]]);
  }); // biome-ignore format: tables

  test("is accepted when its wallets are others, exist and work, and the net amount holds it", () => {
    assert.equal(MAX_LEGS, 10);
    const desk = new Desk({ fees: fees(100) });
    const settings = desk.find(accountsTable, ACCOUNT);
    const wallets = [desk.find(walletsTable, SUB), desk.find(walletsTable, ACCOUNT)];
    const accept = (requested: { subAccount: string; amount: number }[], of = wallets) => {
      try {
        return acceptLegs(requested, { walletId: ACCOUNT, amount: 1_000, wallets: of, fee: settings.fees.charge });
      } catch (error) {
        const { code, details } = error as { code: string; details: Record<string, unknown> };
        return [code, details];
      }
    };
    const leg = (amount: number) => ({ walletId: SUB, reference: "sub", amount });
    assert.deepEqual(accept([{ subAccount: "sub", amount: 4 }, { subAccount: "sub", amount: 5 }]), [leg(400), leg(500)]);
    assert.deepEqual(accept([{ subAccount: "sub", amount: 4 }, { subAccount: "sub", amount: 5.01 }]), [
      "SPLIT_EXCEEDS_NET_AMOUNT", { netAmount: 9, splitTotal: 9.01 },
    ]);
    const about = (reference: string, i: number) => ({ resource: "sub-account", reference, field: `split[${i}].subAccount` });
    assert.deepEqual(accept([{ subAccount: "sub", amount: 1 }, { subAccount: "no", amount: 1 }]), ["SUB_ACCOUNT_NOT_FOUND", about("no", 1)]);
    assert.deepEqual(accept([{ subAccount: "principal", amount: 1 }]), ["SPLIT_INVALID_RECIPIENT", about("principal", 0)]);
    const suspended = [{ ...wallets[0]!, status: "suspended" as const }];
    assert.deepEqual(accept([{ subAccount: "sub", amount: 1 }], suspended), ["SUB_ACCOUNT_SUSPENDED", about("sub", 0)]);
  }); // biome-ignore format: tables
});
