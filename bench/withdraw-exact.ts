import { settleCharge } from "../gateway/src/charges/settle.ts";
import type { Db } from "../gateway/src/db/pool.ts";
import { sql } from "../gateway/src/db/sql.ts";
import { ApiError } from "../gateway/src/http/errors.ts";
import type { Lanes } from "../gateway/src/ledger/lane.ts";
import { type RequestWithdrawal, requestWithdrawal } from "../gateway/src/withdrawals/request.ts";
import { brokenBooks } from "./harness/books.ts";
import { curve, inRounds, load } from "./harness/load.ts";
import { costFigures, type Each, measured } from "./harness/measured.ts";
import { openMetered } from "./harness/metered.ts";
import { type Figure, figure } from "./harness/result.ts";
import type { Benchmark } from "./harness/stage.ts";
import { createSupply, ids, institutionId, makePayees, type Payee } from "./harness/tenants.ts";
import { CONNECTIONS, lanesOn } from "./settle-hot.ts";

const MOST = 16_000;
/** What a payment leaves after its fee, centavos; a withdrawal takes as much. */
const NET = 9_851;
const EACH = "one transaction each";

/** Withdrawals mixed half and half with payments on one wallet that is nearly empty: some are refused, none overdraws. */
export const withdrawExact: Benchmark = {
  name: "withdraw-exact",
  async run(stage) {
    const { seconds, rounds, inFlight } = stage.pace;
    const url = await stage.database();
    const { db, by } = await openMetered(stage, url, CONNECTIONS);
    const problems: string[] = [];
    const refusals: number[] = [];
    /** A wallet of its own, and what was booked on it. */
    const subject = async (lanes: Lanes, most: number) => {
      const [payee] = await makePayees(db, { tenants: 1 });
      const supply = createSupply(db, () => payee!);
      const booked = { credits: 0, debits: 0 };
      const run = async (n: number, duration = seconds) => {
        await supply.fill(Math.ceil((duration * most) / 2) + n);
        await db.query({ text: "analyze charges", values: [] });
        let turn = 0;
        let refused = 0;
        const credit = async () => {
          const next = supply.take();
          if (next === undefined) return false;
          await lanes.run(settleCharge, next);
          booked.credits += 1;
          return true;
        };
        const debit = async () => {
          const result = await lanes.run(requestWithdrawal, withdrawalFrom(payee!));
          if (!(result instanceof ApiError)) booked.debits += 1;
          else if (result.code === "INSUFFICIENT_BALANCE") refused += 1;
          else throw result;
          return true;
        };
        const done = await measured(by, () =>
          load({ inFlight: n, seconds: duration, work: () => (turn++ % 2 === 0 ? debit() : credit()) }),
        );
        refusals.push(refused / done.count);
        problems.push(...(await inexact(db, payee!, booked)));
        return done;
      };
      await run(16, seconds / 3);
      return run;
    };
    const lanes = await subject(lanesOn(db), MOST);
    const singly = await subject(lanesOn(db, { lanes: 1, maxBatch: 1, concurrency: CONNECTIONS }), 6_000);
    refusals.length = 0;
    const found = await inRounds(rounds, {
      [EACH]: () => singly(16),
      ...Object.fromEntries(inFlight.map((n) => [`${n}`, () => lanes(n)])),
    } as Record<string, () => ReturnType<typeof lanes>>);
    const rates = (name: string) => found[name]!.map(({ rate }) => rate);
    const most = inFlight.at(-1)!;
    const figures: Figure[] = [
      figure(`floor: the lane's own code, ${EACH}, 16 in flight`, "/s", rates(EACH)),
      ...inFlight.map((n) =>
        figure(`payments and withdrawals, ${n} in flight`, "/s", rates(`${n}`), n === most ? { floor: { to: EACH, values: rates(EACH) } } : {}),
      ),
      figure("withdrawals refused for want of money, of all calls", "%", refusals.map((part) => part * 100)),
      ...costFigures(`${most} in flight`, (found[`${most}`] as { each: Each }[]).map(({ each }) => each)),
    ];
    return {
      figures,
      curves: [curve("payments and withdrawals", inFlight.map((n) => [n, found[`${n}`]!]))],
      problems: [...problems, ...(await brokenBooks(db))],
    };
  }, // biome-ignore format: figures, one a line
};

function withdrawalFrom({ accountId, walletId }: Payee): RequestWithdrawal {
  return {
    accountId,
    withdrawalId: ids.uuid(),
    walletId,
    pixKey: "12345678909",
    pixKeyType: "cpf",
    holderName: "Maria Teste",
    holderDocument: "12345678909",
    holderDocumentType: "cpf",
    projectId: null,
    externalReference: null,
    idempotencyKey: null,
    institutionId,
    environment: "sandbox",
    asked: { amount: NET },
  };
}

/** Whether the wallet holds what was answered, to the centavo. */
async function inexact(db: Db, { accountId, walletId }: Payee, booked: { credits: number; debits: number }) {
  const { rows } = await db.query<{ kind: string; balance: number }>(sql`
    select kind, balance from ledger_accounts where account_id = ${accountId} and owner_id = ${walletId}`);
  const balance = (kind: string) => rows.find((row) => row.kind === kind)?.balance ?? 0;
  const due = { available: (booked.credits - booked.debits) * NET, held: booked.debits * NET };
  return (["available", "held"] as const)
    .filter((kind) => balance(kind) !== due[kind] || due[kind] < 0)
    .map((kind) => `${kind} is ${balance(kind)} and not ${due[kind]} centavos`);
}
