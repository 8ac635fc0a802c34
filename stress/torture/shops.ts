/**
 * Shops: accounts of their own that are paid by codes that stay, at tills, by payment links and by charges with a due date, and
 * give parts of payments back.
 */
import { accountOfCodeTxid, parseTxid, txidFor } from "../../gateway/src/lib/ids.ts";
import { pick } from "../harness/random.ts";
import type { OtherBank, PspEntry } from "./banks.ts";
import { gatherCrowd } from "./crowd.ts";
import { createDesk, type Scene } from "./desk.ts";
import { sellDue } from "./shop-due.ts";
import { makeOffer, sellByLink } from "./shop-links.ts";
import { type Counter, emptyShopLog, type Sale, type Shop, type ShopLog } from "./shop-log.ts";

/** People who sell at once in one shop: they share its tills. */
const SELLERS = 2;

/** Share of the payments of which a shop gives parts back. */
const BACK = 0.35;

/** One shop at each of these institutions. */
export const openShops = async (scene: Scene, banks: readonly (OtherBank | null)[]): Promise<ShopLog> =>
  emptyShopLog((await gatherCrowd(scene, banks.length, banks)).tenants);

/** How many people are at work. */
export const sellersOf = ({ shops }: ShopLog): number => shops.length * SELLERS;

/** Every shop sells in every way until it is over. */
export async function runShops(scene: Scene, log: ShopLog): Promise<void> {
  await Promise.all(
    log.shops.map(async (shop, n) => {
      const counters = Array.from({ length: SELLERS }, (_, seller) =>
        openCounter(scene, log, shop, `shop-${n}-${seller}`),
      );
      const codes = await makeCodes(counters[0]!);
      await Promise.all(counters.map((counter) => sell(counter, codes)));
    }),
  );
}

function openCounter(scene: Scene, log: ShopLog, shop: Shop, name: string): Counter {
  let calls = 0;
  return {
    scene,
    desk: createDesk(scene, name, shop),
    shop,
    bank: shop.bank?.control ?? scene.simulator,
    log,
    key: () => ({ headers: { "idempotency-key": `torture-${name}-${scene.seed}-${calls++}` } }),
  };
}

type Code = { readonly id: string; readonly pixCopyPaste: string; readonly txid?: string };
type Codes = { readonly tips: Code; readonly coffee: Code; readonly till: Code };

/** What the printed coffee costs. */
const COFFEE = 650;

async function makeCodes(counter: Counter): Promise<Codes> {
  const make = async (body: object): Promise<Code> => {
    const headers = counter.key();
    const made = await counter.desk.insist<Code>((client) => client.post("/qr-codes", body, headers));
    if (made.status !== 201) throw new Error(`a code was answered ${made.status}: ${made.text}`);
    return made.body;
  };
  return {
    tips: await make({ kind: "static", name: "Tips" }),
    coffee: await make({ kind: "static", name: "Coffee", amount: COFFEE / 100 }),
    till: await make({ kind: "till", name: "Till" }),
  };
}

async function sell(counter: Counter, codes: Codes): Promise<void> {
  const { scene, desk, log } = counter;
  let offer = await makeOffer(counter);
  while (!scene.over()) {
    await desk.rest();
    const way = pick(desk.random, ["tips", "coffee", "till", "till", "link", "link", "due", "due"] as const);
    if (way === "link") offer = (await sellByLink(counter, offer)) ? offer : await makeOffer(counter);
    else if (way === "till" || way === "due") {
      const sold = await (way === "till" ? sellAtTill(counter, codes.till) : sellDue(counter));
      if (sold !== null) log.sales.push(sold);
      if (sold?.fate === "credited" && desk.random() < BACK) await giveBack(counter, sold);
    } else await sellByCode(counter, codes[way], way === "coffee");
  }
}

/** Somebody scans a code at the shop's bank. */
async function scan({ bank }: Counter, code: string, amountCentavos?: number) {
  const { status, body, text } = await bank.post<{ e2eId: string; valor: string }>("/codes/pay", {
    code,
    ...(amountCentavos && { amountCentavos }),
  });
  return { status, e2eId: body.e2eId, amount: Math.round(Number(body.valor) * 100), text };
}

/** Anybody pays a static code, at times one that asks for another amount. */
async function sellByCode(counter: Counter, code: Code, isFixed: boolean): Promise<void> {
  const { desk, log, scene } = counter;
  const isWrong = isFixed && desk.random() < 0.2;
  const amount = isFixed ? COFFEE + (isWrong ? 1 : 0) : 100 + Math.floor(desk.random() * 5_000);
  const paid = await scan(counter, code.pixCopyPaste, amount);
  if (paid.status !== 200) {
    scene.findings.push(`a static code could not be paid: ${paid.text}`);
    return;
  }
  const fate = isWrong ? "returned" : "credited";
  log.sales.push({ way: "static", e2eId: paid.e2eId, amount, txid: code.txid!, about: code.id, fate, due: null });
}

/** A charge on the till: while it is pending, the other seller's has to wait (`QR_CODE_BUSY`). */
async function sellAtTill(counter: Counter, till: Code): Promise<Sale | null> {
  const { desk, log, scene, shop } = counter;
  const amount = 300 + Math.floor(desk.random() * 20_000);
  const body = { amount: amount / 100, description: "at the till", qrCodeId: till.id };
  const headers = counter.key();
  const made = await desk.insist<{ id: string }>((client) => client.post("/pix", body, headers));
  if (made.status !== 201) {
    scene.findings.push(`a charge on a till was answered ${made.status}: ${made.text}`);
    return null;
  }
  const txid = txidFor(shop.number, made.body.id);
  if (desk.random() < 0.2) {
    const { status, text } = await desk.insist((client) => client.post(`/pix/${made.body.id}/cancel`));
    // The answer to an earlier try may have been lost.
    if (status !== 200 && !text.includes('"status":"cancelled"'))
      scene.findings.push(`cancelling a till's charge ${txid} was answered ${status}: ${text}`);
    log.cancelled.push(made.body.id);
    return null;
  }
  const paid = await scan(counter, till.pixCopyPaste);
  if (paid.status === 200)
    return { way: "till", e2eId: paid.e2eId, amount, txid, about: till.id, fate: "credited", due: null };
  scene.findings.push(`the till with charge ${txid} could not be paid: ${paid.text}`);
  return null;
}

/** Gives a payment back in parts, the last of which is all that is left; two at once are not taken. */
async function giveBack({ desk, scene, shop, log, key }: Counter, { txid, e2eId, amount }: Sale): Promise<void> {
  const id = parseTxid(txid)!.id;
  type Shown = { status: string; refund?: { status: string } | null };
  const seen = async (isSo: (shown: Shown) => boolean): Promise<boolean> => {
    while (!scene.over()) {
      const { status, body } = await desk.insist<Shown>((client) => client.get(`/transactions/${id}`));
      if (status === 200 && isSo(body)) return true;
      await desk.rest();
    }
    return false;
  };
  if (!(await seen(({ status }) => status === "completed"))) return;
  const refund = async (part: number | null): Promise<void> => {
    const headers = key();
    const body = part === null ? {} : { amount: part / 100 };
    const { status, body: made } = await desk.insist<{ refundTransactionId?: string }>((client) =>
      client.post(`/transactions/${id}/refund`, body, headers),
    );
    if (status === 201)
      log.back.push({ accountId: shop.accountId, e2eId, refundId: made.refundTransactionId!, amount: part });
  };
  const first = 1 + Math.floor(desk.random() * (amount / 3));
  await Promise.all([refund(first), refund(first)]);
  for (const part of [1 + Math.floor(amount / 4), null]) {
    if (!(await seen(({ refund: last }) => last?.status !== "PENDING"))) return;
    if (part !== null || desk.random() < 0.5) await refund(part);
  }
}

/** The bank's log in two: what is about the shops, and the rest. */
export function partShops(psp: readonly PspEntry[], { shops }: ShopLog): { shops: PspEntry[]; others: PspEntry[] } {
  const numbers = new Set<number | null | undefined>(shops.map(({ number }) => number));
  const hasTxid = ({ txid }: PspEntry): boolean => {
    const text = String(txid ?? "");
    return numbers.has(parseTxid(text)?.accountNumber ?? accountOfCodeTxid(text));
  };
  const paid = new Set(psp.filter((one) => one.type === "payment" && hasTxid(one)).map(({ e2eId }) => e2eId));
  const isShops = (entry: PspEntry) => hasTxid(entry) || (entry.e2eId !== undefined && paid.has(entry.e2eId));
  const { mine = [], others = [] } = Object.groupBy(psp, (entry) => (isShops(entry) ? "mine" : "others"));
  return { shops: mine, others };
}

/** How many Pix each way of selling brought, and how many parts of them were given back. */
export const countSales = ({ sales, offers, cancelled, back, edits }: ShopLog): Record<string, number> => ({
  ...Object.fromEntries(
    (["static", "till", "link", "due"] as const).map((way) => [
      `${way}Sales`,
      sales.filter((one) => one.way === way).length,
    ]),
  ),
  links: offers.length,
  tillsCancelled: cancelled.length,
  partsBack: back.length,
  dueEdits: edits.length,
  dueEditsMade: edits.filter(({ isMade }) => isMade).length,
});
