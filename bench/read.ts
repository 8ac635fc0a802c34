import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { writeCursor } from "../gateway/src/http/pages.ts";
import { auditBooks } from "./harness/books.ts";
import { type Gateway, type Http, type Merchant, makeMerchant, openHttp, startGateway } from "./harness/gateway.ts";
import { historyBase, historyId, LINES, writeHistory } from "./harness/history.ts";
import { curve, inRounds, type Load, load, percentile } from "./harness/load.ts";
import { type Figure, figure } from "./harness/result.ts";
import type { Benchmark } from "./harness/stage.ts";

const FLOOR = "GET /healthz";
/** The smaller wallet has so much less. */
const GROWTH = 10;

/** A wallet with a history, and what is asked of it. */
type Wallet = { readonly charges: number; readonly http: Http };

/** What is asked of a wallet. */
const CALLS: Readonly<Record<string, (wallet: Wallet) => string>> = {
  "one transaction by id": ({ charges }) =>
    `/transactions/${historyId(historyBase(charges), 1 + Math.floor(Math.random() * charges))}`,
  "one transaction by reference": ({ charges }) => `/transactions/pedido-${1 + Math.floor(Math.random() * charges)}`,
  "list, first page": () => "/transactions",
  "list, page in the middle": ({ charges }) =>
    `/transactions?cursor=${writeCursor("transactions", [historyId(historyBase(charges), charges >> 1)])}`,
  "list, last page": ({ charges }) =>
    `/transactions?cursor=${writeCursor("transactions", [historyId(historyBase(charges), 22)])}`,
  "list of an hour in the middle": ({ charges }) => {
    const at = historyBase(charges) + (charges >> 1) * 1_000;
    return `/transactions?from=${new Date(at - 3_600_000).toISOString()}&to=${new Date(at).toISOString()}`;
  },
  "statement, first page": () => "/statement",
  "statement, page in the middle": ({ charges }) => `/statement?cursor=${writeCursor("statement", [charges, 1, 1])}`,
  "statement, last page": () => `/statement?cursor=${writeCursor("statement", [22, 1, 1])}`,
};
/** One transaction, the list and the statement of a wallet with ten million ledger lines, and of one with a tenth. */
export const read: Benchmark = {
  name: "read",
  async run(stage) {
    const { rounds, seconds, scale } = stage.pace;
    const lines = Math.max(4_000, Math.round(stage.lines * scale));
    const env = { DATABASE_URL: await stage.database(), PIXGATE_DATA_DIR: mkdtempSync(join(stage.folder, "read-")) };
    const before = await startGateway(stage, env);
    const merchants = [await makeMerchant(before, null), await makeMerchant(before, null)];
    // Its loops would search for work in tables that have no indexes yet.
    if (!stage.pace.shares) await before.stop();
    const sizes = [lines / LINES, lines / LINES / GROWTH].map(Math.round);
    const began = performance.now();
    await writeHistory(
      before.databaseUrl,
      merchants.map(({ accountId, number }, i) => ({
        payee: { accountId, number, walletId: accountId, split: [] },
        charges: sizes[i]!,
        endpointId: null,
      })),
    );
    const wrote = (performance.now() - began) / 1_000;
    // Its first check of so many lines takes a minute, in the middle of what is measured.
    const problems = await auditBooks(before.databaseUrl);
    const gateway = await startGateway(stage, env);
    const [large, small] = [await open(gateway, merchants[0]!, sizes[0]!), await open(gateway, merchants[1]!, sizes[1]!)];
    stage.after(() => Promise.all([large.http.close(), small.http.close()]));
    const bare = openHttp(gateway.url, { connections: 16 });
    stage.after(() => bare.close());

    const run = (n: number, path: () => string, http: Http) =>
      load({ inFlight: n, seconds: seconds / 3, work: () => get(path(), http) });
    const subjects: Record<string, () => Promise<Load & { readonly ofSmall?: Float64Array }>> = {};
    for (const n of [1, 16]) {
      subjects[`${FLOOR} ${n}`] = () => run(n, () => "/healthz", bare);
      for (const [name, path] of Object.entries(CALLS)) {
        subjects[`${name} ${n}`] = n === 1 ? () => inTurns([large, small], path, (seconds / 3) * 2_000) : () => run(n, () => path(large), large.http);
      }
    }
    for (const subject of Object.values(subjects)) await subject();
    const found = await inRounds(rounds, subjects);
    const p50 = (name: string) => found[name]!.map(({ latencies }) => percentile(latencies, 0.5));
    const p50OfSmall = (name: string) => found[`${name} 1`]!.map(({ ofSmall }) => percentile(ofSmall!, 0.5));
    const rates = (name: string) => found[name]!.map(({ rate }) => rate);
    const all = (lines + lines / GROWTH).toLocaleString("en-US");
    const figures: Figure[] = [
      figure(`${all} ledger lines made in`, "s", [wrote]),
      figure(`floor: ${FLOOR}, one at a time, p50`, "ms", p50(`${FLOOR} 1`)),
      figure(`floor: ${FLOOR}, 16 in flight`, "/s", rates(`${FLOOR} 16`)),
      ...Object.keys(CALLS).flatMap((name) => [
        figure(`${name}, one at a time, p50`, "ms", p50(`${name} 1`), { floor: { to: `with a tenth of the history`, values: p50OfSmall(name) }, bar: { of: "ratio", most: 1.1 } }),
        figure(`${name}, one at a time, p99`, "ms", found[`${name} 1`]!.map(({ latencies }) => percentile(latencies, 0.99))),
        figure(`${name}, 16 in flight`, "/s", rates(`${name} 16`), { floor: { to: FLOOR, values: rates(`${FLOOR} 16`) } }),
      ]),
    ];
    const shown = ["one transaction by id", "list, first page", "statement, first page"];
    return {
      figures,
      curves: shown.map((name) => curve(name, [1, 16].map((n) => [n, found[`${name} ${n}`]!]))),
      problems,
    };
  }, // biome-ignore format: figures, one a line
};

async function open(gateway: Gateway, merchant: Merchant, charges: number): Promise<Wallet> {
  const http = openHttp(gateway.sandbox.baseUrl, { connections: 16 });
  return { charges, http: http.as(await merchant.login(gateway)) };
}

const get = async (path: string, http: Http) => {
  const status = await http.status("GET", path);
  if (status !== 200) throw new Error(`GET ${path} answered ${status}`);
};

/** Of both wallets call by call: a core that is slow for a second is slow for both. */
async function inTurns(wallets: readonly Wallet[], path: (wallet: Wallet) => string, ms: number) {
  const both = wallets.map((wallet) => ({ wallet, times: [] as number[] }));
  const until = performance.now() + ms;
  while (performance.now() < until) {
    for (const { wallet, times } of both) {
      const began = performance.now();
      await get(path(wallet), wallet.http);
      times.push(performance.now() - began);
    }
  }
  const [latencies, ofSmall] = both.map(({ times }) => Float64Array.from(times).sort()) as [Float64Array, Float64Array];
  const busy = latencies.reduce((sum, ms) => sum + ms, 0) / 1_000;
  return { rate: latencies.length / busy, count: latencies.length, seconds: busy, latencies, ofSmall };
}
