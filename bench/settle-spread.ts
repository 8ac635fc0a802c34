import { settleCharge } from "../gateway/src/charges/settle.ts";
import { brokenBooks } from "./harness/books.ts";
import { curve, inRounds, load } from "./harness/load.ts";
import { costFigures, measured } from "./harness/measured.ts";
import { openMetered } from "./harness/metered.ts";
import { type Figure, figure } from "./harness/result.ts";
import type { Benchmark } from "./harness/stage.ts";
import { createSupply, makePayees, type Payee } from "./harness/tenants.ts";
import { CONNECTIONS, lanesOn } from "./settle-hot.ts";

const TENANTS = 100;
const WALLETS = 10;
/** Charges made beforehand for a second of load. */
const MOST = 16_000;

/** Payments into 1,000 wallets of 100 tenants, each as likely as the other and by Zipf, beside the same into one. */
export const settleSpread: Benchmark = {
  name: "settle-spread",
  async run(stage) {
    const { seconds, rounds, inFlight, scale } = stage.pace;
    const url = await stage.database();
    const { db, by } = await openMetered(stage, url, CONNECTIONS);
    const tenants = Math.max(2, Math.round(TENANTS * Math.min(1, scale * 10)));
    const payees = await makePayees(db, { tenants, wallets: WALLETS, split: true });
    const single = await makePayees(db, { tenants: tenants * WALLETS, split: true });
    const lanes = lanesOn(db);
    const subject = async (choose: () => Payee) => {
      const supply = createSupply(db, choose);
      const run = async (n: number, duration = seconds) => {
        await supply.fill(Math.ceil(duration * MOST) + n);
        await db.query({ text: "analyze charges", values: [] });
        const work = () => {
          const next = supply.take();
          return next === undefined ? false : lanes.run(settleCharge, next);
        };
        return measured(by, () => load({ inFlight: n, seconds: duration, work }));
      };
      await run(16, seconds / 3);
      return run;
    };
    const hot = await subject(() => payees[0]!);
    const uniform = await subject(uniformly(payees));
    const zipf = await subject(byZipf(payees));
    const apart = await subject(uniformly(single));
    const most = inFlight.at(-1)!;
    const found = await inRounds(rounds, {
      hot: () => hot(most),
      apart: () => apart(most),
      ...Object.fromEntries(inFlight.flatMap((n) => [[`uniform ${n}`, () => uniform(n)] as const, [`zipf ${n}`, () => zipf(n)] as const])),
    });
    const rates = (name: string) => found[name]!.map(({ rate }) => rate);
    const wallets = payees.length.toLocaleString("en-US");
    const against = { floor: { to: "one hot wallet", values: rates("hot") }, bar: { of: "ratio", least: 0.8 } as const };
    const figures: Figure[] = [
      figure(`one hot wallet, ${most} in flight`, "/s", rates("hot")),
      ...inFlight.map((n) => figure(`${wallets} wallets of ${tenants} tenants, uniform, ${n} in flight`, "/s", rates(`uniform ${n}`), n === most ? against : {})),
      ...inFlight.map((n) => figure(`${wallets} wallets of ${tenants} tenants, Zipf, ${n} in flight`, "/s", rates(`zipf ${n}`), n === most ? against : {})),
      figure(`${wallets} tenants, uniform, ${most} in flight`, "/s", rates("apart"), against),
      ...costFigures(`uniform, ${most} in flight`, found[`uniform ${most}`]!.map(({ each }) => each)),
    ];
    const points = (name: string) => inFlight.map((n) => [n, found[`${name} ${n}`]!] as const);
    return {
      figures,
      curves: [curve("uniform", points("uniform")), curve("Zipf", points("zipf"))],
      problems: await brokenBooks(db),
    };
  }, // biome-ignore format: figures, one a line
};

const uniformly = (payees: readonly Payee[]) => () => payees[Math.floor(Math.random() * payees.length)]!;

/** The second is half as likely as the first, the third a third, …; ranks are dealt to wallets across tenants. */
function byZipf(payees: readonly Payee[]): () => Payee {
  const dealt = payees.toSorted((a, b) => (a.walletId.slice(-8) < b.walletId.slice(-8) ? -1 : 1));
  let sum = 0;
  const bounds = dealt.map((_, i) => {
    sum += 1 / (i + 1);
    return sum;
  });
  return () => {
    const drawn = Math.random() * sum;
    let [low, high] = [0, bounds.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bounds[middle]! < drawn) low = middle + 1;
      else high = middle;
    }
    return dealt[low]!;
  };
}
