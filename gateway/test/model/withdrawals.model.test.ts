import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type AccountSettings, accountsTable } from "../../src/accounts/account.ts";
import { walletsTable } from "../../src/accounts/wallet.ts";
import { ApiError } from "../../src/http/errors.ts";
import { hashRequest } from "../../src/http/idempotency.ts";
import type { KeyedOutcome } from "../../src/http/keyed-command.ts";
import { available, fees, held, psp, type Transfer } from "../../src/ledger/chart.ts";
import type { CommandKind } from "../../src/ledger/lane.ts";
import { movementsTable } from "../../src/ledger/movement.ts";
import type { PspPayout, PspPayoutReturn } from "../../src/psp/psp.ts";
import { eventsTable } from "../../src/webhooks/events/emit.ts";
import { limitsTable, type WithdrawalLimits } from "../../src/withdrawals/limits.ts";
import { requestKeyedWithdrawal } from "../../src/withdrawals/request.ts";
import { type Resolved, type ResolveWithdrawal, resolveWithdrawal } from "../../src/withdrawals/resolve.ts";
import { mayMove, type WithdrawalStatus, withdrawalsTable } from "../../src/withdrawals/withdrawal.ts";
import { effort } from "./effort.ts";
import { MemoryLane } from "./memory.ts";
import { settingsOf } from "./tenant.ts";
import { emptyWallet, KeyedCalls, type Withdrawal, Withdrawals } from "./wallets.ts";

const ACCOUNT = "00000000-0000-7000-8000-000000000001";
const INSTITUTION = "00000000-0000-7000-8000-0000000000ff";
const WALLETS = [ACCOUNT, "00000000-0000-7000-8000-000000000002"];
const HOUR = 3_600_000;
/** 00:00 in São Paulo. */
const START = Date.UTC(2026, 2, 10, 3);

type Asking = { do: "ask"; wallet: number; by: "amount" | "netAmount"; centavos: number; key: number | null };
type Step =
  | Asking
  | { do: "again" }
  | { do: "give"; wallet: number; centavos: number }
  | { do: "block"; wallet: number; centavos: number }
  | { do: "psp"; pick: number; what: "settle" | "fail" | "back" | "all back"; part: number }
  | { do: "report"; pick: number; view: number }
  | { do: "refuse"; pick: number }
  | { do: "time"; hours: number }
  | { do: "fee"; fixed: number; bps: number }
  | { do: "limits"; each: number | null; day: number | null; night: number | null }
  | { do: "suspend"; account: boolean };

const wallet = fc.nat({ max: WALLETS.length - 1 });
const centavos = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 5_000 }));
const limit = fc.option(fc.integer({ min: 0, max: 6_000 }), { nil: null });
const always = <const T>(value: T) => fc.constant(value);
const asking: fc.Arbitrary<Step> = fc.record({
  do: always("ask"),
  wallet,
  by: fc.constantFrom("amount", "netAmount"),
  centavos,
  key: fc.option(fc.nat({ max: 2 }), { nil: null, freq: 2 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: asking },
  { weight: 6, arbitrary: fc.record({ do: always("give"), wallet, centavos: fc.integer({ min: 1, max: 20_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: always("block"), wallet, centavos }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: always("psp"),
      pick: fc.nat(),
      what: fc.constantFrom("settle", "settle", "fail", "back", "all back"),
      part: fc.integer({ min: 1, max: 3_000 }),
    }),
  },
  { weight: 14, arbitrary: fc.record({ do: always("report"), pick: fc.nat(), view: fc.nat({ max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ do: always("refuse"), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: always("again") }) },
  { weight: 3, arbitrary: fc.record({ do: always("time"), hours: fc.integer({ min: 1, max: 30 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: always("fee"), fixed: fc.nat({ max: 50 }), bps: fc.constantFrom(0, 99, 5_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: always("limits"), each: limit, day: limit, night: limit }) },
  { weight: 1, arbitrary: fc.record({ do: always("suspend"), account: fc.boolean() }) },
);

/** Calls often come together, and then share a transaction. */
const history = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: step.map((one) => [one]) },
      { weight: 1, arbitrary: fc.array(asking, { minLength: 2, maxLength: 5 }) },
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.flat());

/** How the account is set at first. */
const settled = fc.record({
  fee: fc.record({ fixed: fc.nat({ max: 30 }), percentBps: fc.constantFrom(0, 0, 99, 5_000) }),
  limits: fc.oneof(
    fc.constant({ each: null, day: null, night: null }),
    fc.record({ each: fc.constant(null), day: limit, night: limit }),
  ),
});

/** A withdrawal of the model, with what the PSP knows of it. */
type Paid = Withdrawal & {
  readonly id: string;
  readonly at: number;
  readonly booked: Set<string>;
  /** How the PSP has shown it, from the first check on; the last one is how it is. */
  readonly views: PspPayout[];
};

/** The rules again: those of wallets, with fees, limits, and what the PSP shows when. */
class Model {
  readonly wallets = WALLETS.map(emptyWallet);
  fees = 0;
  /** What has left to receivers and did not come back. */
  sent = 0;
  suspended = false;
  fee = { fixed: 0, percentBps: 0 };
  limits: { each: number | null; day: number | null; night: number | null } = { each: null, day: null, night: null };
  readonly paid: Paid[] = [];
  readonly #keys = new KeyedCalls();
  readonly events = new Set<string>();
  /** Events of returns that left something with the receiver. */
  partialReturns = 0;
  credits = 0;
  readonly rules = new Withdrawals<Paid>(this.wallets, {
    moved: (net, fee) => {
      this.sent += net;
      this.fees += fee;
    },
    report: ({ id }, what) => {
      if (what === "returned" || what === "reversed") this.credits += 1;
      if (what === "returned") this.partialReturns += 1;
      else this.events.add(what === "completed" ? id : `withdrawal_${what}_${id}`);
    },
  });

  feeOf(amount: number): number {
    return Math.min(amount, this.fee.fixed + Math.floor((amount * this.fee.percentBps + 5_000) / 10_000));
  }

  /** What limits count of one hour since START. */
  countedAt(hour: number): number {
    const counted = this.paid.filter((one) => one.status !== "failed" && one.at === hour);
    return counted.reduce((sum, one) => sum + one.amount, 0);
  }

  /** The local hours since START of which a limit counts, for an hour since START. */
  used(now: number, period: "day" | "night"): number | null {
    const local = ((now % 24) + 24) % 24;
    const midnight = now - local;
    const night: [number, number] | null =
      local >= 20 ? [midnight + 20, midnight + 30] : local < 6 ? [midnight - 4, midnight + 6] : null;
    const range = period === "day" ? ([midnight, midnight + 24] as const) : night;
    if (range === null) return null;
    const counted = this.paid.filter((one) => one.status !== "failed" && one.at >= range[0] && one.at < range[1]);
    return counted.reduce((sum, one) => sum + one.amount, 0);
  }

  #ask({ wallet, by, centavos }: Asking, id: string, now: number): string | null {
    if (this.suspended) return "ACCOUNT_SUSPENDED";
    let amount = centavos;
    if (by === "netAmount") while (amount - this.feeOf(amount) < centavos) amount += 1;
    const fee = by === "netAmount" ? amount - centavos : this.feeOf(amount);
    const { each, day, night } = this.limits;
    const nightly = this.used(now, "night");
    const isBeyondLimit =
      (each !== null && amount > each) ||
      (night !== null && nightly !== null && nightly + amount > night) ||
      (day !== null && this.used(now, "day")! + amount > day);
    const refusal = this.rules.request({ wallet, amount, fee }, isBeyondLimit);
    if (refusal === null)
      this.paid.push({ id, wallet, amount, fee, at: now, status: "open", back: 0, booked: new Set(), views: [] });
    return refusal;
  }

  call(one: Asking, id: string, now: number): string {
    const scope = one.key === null ? null : `${one.wallet} ${one.key}`;
    return this.#keys.call(scope, JSON.stringify([one.by, one.centavos]), id, () => this.#ask(one, id, now)).said;
  }

  report(one: Paid, view: PspPayout): void {
    if (view.status === "failed") {
      if (one.status === "open") this.rules.fail(one);
      return;
    }
    if (view.status === "processing" && view.returns.length === 0) return;
    if (one.status === "open" || one.status === "failed") this.rules.complete(one);
    for (const { rtrId, amount } of view.returns) {
      if (one.booked.has(rtrId!)) continue;
      one.booked.add(rtrId!);
      this.rules.giveBack(one, amount);
    }
  }
}

/** Any money that moves by itself, for the test. */
const move: CommandKind<{ accountId: string; transfer: Transfer }, null> = {
  name: "move",
  wants({ accountId, transfer }, want) {
    want.ledger(accountId, transfer.from);
    want.ledger(accountId, transfer.to);
  },
  decide: ({ transfer }) => ({ result: null, transfers: [transfer] }),
};

const settings = (model: Model): AccountSettings =>
  settingsOf(ACCOUNT, { status: model.suspended ? "suspended" : "approved", fees: { withdrawal: model.fee } });

/** The row of limits, with what has been counted so far. */
const limitsRow = ({ limits }: Model, before: WithdrawalLimits | undefined): WithdrawalLimits => ({
  accountId: ACCOUNT,
  perWithdrawal: limits.each,
  perDay: limits.day,
  perNight: limits.night,
  hours: before?.hours ?? new Map(),
});

function itemOf(one: Asking, withdrawalId: string) {
  const walletId = WALLETS[one.wallet]!;
  const body = JSON.stringify([one.by, one.centavos]);
  const keyed =
    one.key === null
      ? null
      : {
          accountId: ACCOUNT,
          walletId,
          route: "POST /withdrawals",
          key: `key-${one.key}`,
          requestHash: hashRequest(body),
        };
  const asked = one.by === "amount" ? { amount: one.centavos } : { netAmount: one.centavos };
  return {
    kind: requestKeyedWithdrawal as never,
    command: {
      accountId: ACCOUNT,
      objectId: withdrawalId,
      keyed,
      toAnswer: ({ id }: { id: string }) => ({ status: 201, body: id }),
      command: {
        accountId: ACCOUNT, withdrawalId, walletId, asked, pixKey: "a@b.test", pixKeyType: "email", holderName: "h",
        holderDocument: "12345678909", holderDocumentType: "cpf", projectId: null, externalReference: null,
        idempotencyKey: null, institutionId: INSTITUTION, environment: "sandbox",
      },
    } as never,
  }; // biome-ignore format: a row
}

const said = (outcome: unknown): string =>
  outcome instanceof ApiError ? outcome.code : (outcome as Exclude<KeyedOutcome, ApiError>).answer.body;

const SHOWN: Readonly<Record<WithdrawalStatus, Paid["status"]>> = {
  pending: "open",
  processing: "open",
  completed: "completed",
  failed: "failed",
  reversed: "reversed",
};

describe("withdrawals", () => {
  test("agree with the model in any order of asking, reporting and returning: no centavo made, lost or paid twice", () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 5 }), settled, (steps, batchSize, first) => {
        const lane = new MemoryLane();
        const model = new Model();
        const put = () => {
          lane.put(accountsTable, { accountId: ACCOUNT, id: ACCOUNT }, settings(model));
          const key = { accountId: ACCOUNT, id: ACCOUNT };
          lane.put(limitsTable, key, limitsRow(model, lane.find(limitsTable, key)));
        };
        for (const [i, walletId] of WALLETS.entries()) {
          const row = {
            accountId: ACCOUNT,
            walletId,
            reference: i === 0 ? "principal" : "sub",
            status: "approved" as const,
          };
          lane.put(walletsTable, { accountId: ACCOUNT, id: walletId }, row);
        }
        // Most accounts have a fee, and half of them limits, from the start.
        model.fee = first.fee;
        model.limits = first.limits;
        let made = 0;
        let hour = 0;
        const newId = () => `00000000-0000-7000-9000-${(made++).toString(16).padStart(12, "0")}`;
        const deciding = () => ({ now: new Date(START + hour * HOUR), newId });
        let waiting: { one: Asking; id: string }[] = [];
        let last: { one: Asking; id: string } | null = null;

        const compare = () => {
          for (const [i, id] of WALLETS.entries()) {
            assert.equal(lane.balance(ACCOUNT, available(id)), model.wallets[i]!.available, `available of ${i}`);
            assert.equal(lane.balance(ACCOUNT, held(id)), model.wallets[i]!.held, `held of ${i}`);
            assert.ok(model.wallets[i]!.held >= 0);
          }
          assert.equal(lane.balance(ACCOUNT, fees), model.fees);
          assert.equal(lane.total(ACCOUNT), 0);
          const rows = lane.all(withdrawalsTable);
          assert.equal(rows.length, model.paid.length);
          for (const one of model.paid) {
            const row = lane.find(withdrawalsTable, { accountId: ACCOUNT, id: one.id })!;
            assert.equal(SHOWN[row.status], one.status);
            assert.deepEqual([row.amount, row.feeAmount, row.netAmount], [one.amount, one.fee, one.amount - one.fee]);
          }
          const counted =
            lane.find(limitsTable, { accountId: ACCOUNT, id: ACCOUNT })?.hours ?? new Map<number, number>();
          for (let at = hour - 24; at <= hour; at += 1) {
            assert.equal(counted.get(START + at * HOUR) ?? 0, model.countedAt(at), `counted ${hour - at} hours ago`);
          }
          const events = lane.all(eventsTable);
          const rest = events.filter(({ kind }) => kind !== "withdrawal_partially_returned");
          assert.deepEqual(new Set(rest.map(({ eventId }) => eventId)), model.events);
          assert.equal(events.length - rest.length, model.partialReturns);
          assert.equal(lane.all(movementsTable).length, model.credits);
        };
        const flush = () => {
          put();
          const outcomes = lane.run(
            waiting.map(({ one, id }) => itemOf(one, id)),
            deciding(),
          );
          for (const [i, { one, id }] of waiting.entries()) {
            assert.equal(said(outcomes[i]), model.call(one, id, hour), JSON.stringify(one));
          }
          waiting = [];
          compare();
        };
        const resolve = (one: Paid, reported: ResolveWithdrawal["reported"]) => {
          const command = {
            accountId: ACCOUNT, withdrawalId: one.id, institutionId: INSTITUTION, environment: "sandbox" as const, reported,
          }; // biome-ignore format: a row
          for (let more = true; more; ) {
            const before = lane.find(withdrawalsTable, { accountId: ACCOUNT, id: one.id })!.status;
            const [resolved] = lane.run([{ kind: resolveWithdrawal as never, command }], deciding()) as [Resolved];
            // A payout that was refused here and is under way there may take money that is free again: a person decides.
            const mayLeave =
              before === "failed" && reported.kind === "shown" && reported.payout.status === "processing";
            assert.equal(resolved.kind, mayLeave ? "contradiction" : "known");
            const { status } = lane.find(withdrawalsTable, { accountId: ACCOUNT, id: one.id })!;
            // What nobody has sent yet ends as if it had been.
            const from = before === "pending" ? "processing" : before;
            assert.ok(status === before || mayMove(from, status), `${before} became ${status}`);
            more = resolved.kind === "known" && resolved.more;
          }
        };
        const attemptsOf = ({ id }: Paid): number => lane.find(withdrawalsTable, { accountId: ACCOUNT, id })!.attempts;
        const pick = (n: number) => (model.paid.length === 0 ? null : model.paid[n % model.paid.length]!);
        const viewOf = (one: Paid): PspPayout => {
          if (one.views.length === 0) {
            const { pspId: id, netAmount: amount } = lane.find(withdrawalsTable, { accountId: ACCOUNT, id: one.id })!;
            one.views.push({ id, amount, status: "processing", returns: [] });
          }
          return one.views.at(-1)!;
        };

        for (const one of steps) {
          if (one.do === "ask") {
            last = { one, id: newId() };
            waiting.push(last);
            if (waiting.length >= batchSize) flush();
            continue;
          }
          flush();
          switch (one.do) {
            case "again":
              // The answer to COMMIT got lost: the same call comes again, and is not done again.
              if (last && model.paid.some(({ id }) => id === last!.id)) {
                put();
                assert.equal(said(lane.run([itemOf(last.one, last.id)], deciding())[0]), last.id);
              }
              break;
            case "give":
            case "block": {
              const walletId = WALLETS[one.wallet]!;
              const give = one.do === "give";
              model.wallets[one.wallet]!.available += give ? one.centavos : -one.centavos;
              const transfer: Transfer = {
                accountId: ACCOUNT, kind: give ? "adjustment" : "block_taken", sourceId: newId(), leg: 0, amount: one.centavos,
                from: give ? psp(INSTITUTION) : available(walletId), to: give ? available(walletId) : psp(INSTITUTION),
                occurredAt: deciding().now,
              }; // biome-ignore format: a row
              lane.run([{ kind: move as never, command: { accountId: ACCOUNT, transfer } as never }], deciding());
              break;
            }
            case "psp": {
              const paid = pick(one.pick);
              if (!paid) break;
              const now = viewOf(paid);
              if (one.what === "settle") {
                // Also after it was reported failed: a PSP may change its mind.
                if (now.status !== "settled") paid.views.push({ ...now, status: "settled" });
              } else if (one.what === "fail") {
                if (now.status === "processing") paid.views.push({ ...now, status: "failed" });
              } else if (now.status === "settled") {
                const left = now.amount - now.returns.reduce((sum, { amount }) => sum + amount, 0);
                const amount = one.what === "back" ? Math.min(one.part, left) : left;
                const item: PspPayoutReturn = { rtrId: `D${newId()}`, amount, returnedAt: deciding().now };
                if (amount > 0) paid.views.push({ ...now, returns: [...now.returns, item] });
              }
              break;
            }
            case "report": {
              const paid = pick(one.pick);
              if (!paid) break;
              viewOf(paid);
              // Reported late, twice, and out of order: any view there has been.
              const view = paid.views[Math.max(0, paid.views.length - 1 - one.view)]!;
              resolve(paid, { kind: "shown", payout: view });
              model.report(paid, view);
              break;
            }
            case "refuse": {
              const paid = pick(one.pick);
              if (!paid) break;
              const refusal = { kind: "refused" as const, pspId: viewOf(paid).id, code: "denied", reason: "" };
              // Of a claim that another has taken over: it may have been accepted since, and nothing ends.
              resolve(paid, { ...refusal, attempts: attemptsOf(paid) - 1 });
              compare();
              resolve(paid, { ...refusal, attempts: attemptsOf(paid) });
              if (paid.status === "open") model.rules.fail(paid);
              break;
            }
            case "time":
              hour += one.hours;
              break;
            case "fee":
              model.fee = { fixed: one.fixed, percentBps: one.bps };
              break;
            case "limits":
              model.limits = { each: one.each, day: one.day, night: one.night };
              break;
            case "suspend":
              model.suspended = one.account;
              break;
          }
          if (one.do !== "again") last = null;
          compare();
        }
        flush();
        // At last everything is reported, and the PSP's own sums are ours.
        for (const paid of model.paid) {
          const view = viewOf(paid);
          resolve(paid, { kind: "shown", payout: view });
          model.report(paid, view);
        }
        compare();
        const sent = model.paid.reduce((sum, { views }) => {
          const { status, amount, returns } = views.at(-1)!;
          return status === "settled" ? sum + amount - returns.reduce((back, r) => back + r.amount, 0) : sum;
        }, 0);
        assert.equal(model.sent, sent);
      }),
      effort(3_000),
    );
  });
});
