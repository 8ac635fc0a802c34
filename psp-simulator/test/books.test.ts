import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, readLog, type Simulator, until, withSimulator } from "./harness.ts";

const OPENING = 5000;

/** The same numbers for the same seed (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What a judge makes of the log alone: the account's funds, which must not be negative after any entry. */
function judge(entries: Json[]): number {
  let funds = OPENING;
  const pix = new Map<string, number>();
  const payouts = new Map<string, { amount: number; left: number; taken: boolean }>();
  for (const entry of entries) {
    const { type, amountCentavos: amount } = entry;
    if (type === "payment") {
      funds += amount;
      pix.set(entry.e2eId, amount);
    } else if (type === "return.med" || (type === "return.settled" && entry.status === "DEVOLVIDO")) {
      funds -= amount;
      const left = pix.get(entry.e2eId)! - amount;
      assert.ok(left >= 0, `more was given back than came in: ${JSON.stringify(entry)}`);
      pix.set(entry.e2eId, left);
    } else if (type === "payout" && entry.outcome === "accepted") {
      assert.equal(payouts.has(entry.id), false, `sent twice: ${JSON.stringify(entry)}`);
      payouts.set(entry.id, { amount, left: amount, taken: !entry.unfunded });
      if (!entry.unfunded) funds -= amount;
    } else if (type === "payout.settled" || type === "payout.failed") {
      const payout = payouts.get(entry.id)!;
      if (type === "payout.settled" && !payout.taken) funds -= amount;
      if (type === "payout.failed" && payout.taken) funds += amount;
    } else if (type === "payout.returned") {
      const payout = payouts.get(entry.id)!;
      payout.left -= entry.returnedCentavos;
      assert.ok(payout.left >= 0, `more came back than was sent: ${JSON.stringify(entry)}`);
      funds += entry.returnedCentavos;
    }
    assert.ok(funds >= 0, `${funds} centavos after ${JSON.stringify(entry)}`);
  }
  return funds;
}

async function walk(simulator: Simulator, seed: number): Promise<void> {
  const pick = numbers(seed);
  const e2eIds: string[] = [];
  const payouts: string[] = [];
  const cases: string[] = [];
  const any = (of: string[]) => of[pick(of.length)] ?? "none";
  const pagador = { chave: simulator.credentials.pixKey };
  const keys = ["a@example.com", "manual@pixgate.test", "fail@pixgate.test"];
  const steps: (() => Promise<unknown>)[] = [
    async () => {
      const paid = await simulator.control("POST", "/control/pix", { amountCentavos: 1 + pick(3000) });
      e2eIds.push(paid.body.e2eId);
    },
    async () => {
      // One in eight is a repeat of an earlier id.
      const id = pick(8) === 0 ? any(payouts) : `p${payouts.length}`;
      const valor = `${pick(40)}.${String(1 + pick(99)).padStart(2, "0")}`;
      const sent = await simulator.api("PUT", `/v3/gn/pix/${id}`, { valor, pagador, favorecido: { chave: any(keys) } });
      if (sent.status === 201) payouts.push(id);
    },
    () =>
      simulator.control("POST", `/control/payouts/${any(payouts)}/settle`, {
        outcome: ["complete", "fail", "reverse"][pick(3)],
      }),
    () =>
      simulator.control("POST", `/control/payouts/${any(payouts)}/settle`, {
        outcome: "reverse",
        amountCentavos: 1 + pick(2000),
      }),
    () =>
      simulator.api("PUT", `/v2/pix/${any(e2eIds)}/devolucao/r${pick(4)}`, {
        valor: `${pick(30)}.${String(pick(100)).padStart(2, "0")}`,
      }),
    async () => {
      const opened = await simulator.control("POST", "/control/infractions", {
        e2eId: any(e2eIds),
        amountCentavos: 1 + pick(3000),
      });
      if (opened.status === 200) cases.push(opened.body.id);
    },
    () =>
      simulator.control("POST", `/control/infractions/${any(cases)}/resolve`, {
        outcome: ["accepted", "rejected", "cancelled"][pick(3)],
      }),
    () => simulator.control("POST", `/control/pix/${any(e2eIds)}/med-return`, { amountCentavos: 1 + pick(2000) }),
  ];
  for (let i = 0; i < 250; i++) {
    await steps[pick(steps.length)]!();
    if (i === 125) {
      await simulator.kill();
      await simulator.restart();
    }
  }
}

for (const [seed, insufficientBalance] of [
  [11, "refuse"],
  [12, "fail"],
] as const) {
  test(`whatever is asked in whatever order, money is kept, also over a kill -9 (seed ${seed}, ${insufficientBalance})`, () =>
    withSimulator(async (simulator) => {
      await simulator.behave({
        openingBalanceCentavos: OPENING,
        insufficientBalance,
        payoutDelayMs: 5,
        returnDelayMs: 5,
      });
      await walk(simulator, seed);
      const state = async () => (await simulator.control("GET", "/control/state")).body;
      await until("no return is under way", async () => (await state()).returns.open === 0);
      const settled = async () => {
        const { items } = (await simulator.control("GET", "/control/payouts?limit=1000")).body;
        return items.every(
          (item: Json) => item.status !== "EM_PROCESSAMENTO" || item.receiver.chave === "manual@pixgate.test",
        );
      };
      await until("no payout ends by itself any more", settled);

      const { books, payouts, infractions } = await state();
      assert.ok(payouts.total > 5 && infractions.total > 5, "the walk did nothing");
      assert.deepEqual([books.ok, books.mismatches], [true, 0]);
      assert.equal(judge(readLog(simulator.folder)), OPENING + books.balanceCentavos);
      const { saldo, bloqueios } = (await simulator.api("GET", "/v2/gn/saldo?bloqueios=true")).body;
      assert.equal(Number(saldo.replace(".", "")), OPENING + books.balanceCentavos);
      assert.equal(Number(bloqueios.med.replace(".", "")), books.blockedCentavos);
    }));
}
