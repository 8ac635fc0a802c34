import { parsed } from "../inbox/receive.ts";
import type { Institution } from "../institutions/registry.ts";
import { present } from "../lib/present.ts";
import { listWindow } from "../psp/list-window.ts";
import { pairReturns } from "../psp/pair-returns.ts";
import type { ListWindow, Psp, PspPayout, PspPix } from "../psp/psp.ts";
import { soundTax } from "../psp/sound-tax.ts";

/** A Pix as an institution shows it, with the txid of the charge in whose answer it was found. */
type Identified = { readonly pix: PspPix; readonly inCharge: string | undefined };

/**
 * Completes a Pix that a list shows without its txid, or with unreadable returns. The API standard lets a list leave the
 * txid out. The query for the single Pix may have both, and may lack what only the list shows. Without a useful answer the
 * Pix stays as the list shows it.
 */
export async function completeListed(psp: Psp, listed: PspPix): Promise<PspPix> {
  const unreadable = listed.unreadableReturns ?? 0;
  if (listed.txid !== undefined && unreadable === 0) return listed;
  const found = await psp.findPix(listed.e2eId);
  if (found.kind !== "found") return listed;
  const { value } = found;
  const hasAll = value.returns.length + (value.unreadableReturns ?? 0) >= listed.returns.length + unreadable;
  const { returns, unreadableReturns = 0 } = hasAll ? value : listed;
  return {
    ...value,
    txid: value.txid ?? listed.txid,
    payer: value.payer ?? listed.payer,
    ...(value.withheld === undefined && listed.withheld !== undefined && { withheld: listed.withheld }),
    ...(value.tariff === undefined && listed.tariff !== undefined && { tariff: listed.tariff }),
    returns,
    unreadableReturns,
  };
}

/**
 * Adds payer and tariff from a notification where the institution's answer leaves them out: some banks send them only
 * there. Nothing else of a notification is trusted. The Pix itself is confirmed, and only the institution knows the
 * notification's secret path.
 */
export function withNotified(psp: Psp, pix: PspPix, body: string): PspPix {
  if (pix.payer?.document !== undefined && pix.payer.name !== undefined && pix.tariff !== undefined) return pix;
  const notified = psp
    .readNotification(parsed(body))
    .flatMap((notification) => ("pix" in notification ? [notification.pix] : []))
    .filter(({ e2eId }) => e2eId === pix.e2eId);
  const payer = notified.find((notifiedPix) => notifiedPix.payer !== undefined)?.payer;
  const tariff = pix.tariff ?? notified.find((notifiedPix) => notifiedPix.tariff !== undefined)?.tariff;
  return present({
    ...pix,
    ...(payer && { payer: { name: pix.payer?.name ?? payer.name, document: pix.payer?.document ?? payer.document } }),
    tariff,
  });
}

/** How far the list is read around the time of a Pix to find its tax there, milliseconds. */
const AROUND = 1_000;
/** Most pages of it that are read: with a page of 100, two thousand Pix in two seconds. */
const MOST_PAGES = 20;
/** How long they are read, milliseconds: a third of the notification's lease (inbox/receive.ts), after which another process would begin. */
const LONGEST_SEARCH = 10_000;

/** The tax that a notification names of a Pix; null: it names none, or an impossible one. */
export function notifiedTax(psp: Psp, { e2eId }: PspPix, body: string): number | null {
  const named = psp
    .readNotification(parsed(body))
    .flatMap((notification) => ("pix" in notification && notification.pix.e2eId === e2eId ? [notification.pix] : []));
  return named.map((pix) => soundTax(pix)?.withheld).find((withheld) => withheld !== undefined) ?? null;
}

/**
 * Adds the tax from the institution's list, where a notification names one and the answer for the single Pix does not. A
 * notification is a hint: a tax that neither the list nor the answer shows is not booked.
 */
export async function withListedTax(psp: Psp, pix: PspPix, notified: number | null): Promise<PspPix> {
  if (notified === null || pix.withheld !== undefined) return pix;
  const at = pix.paidAt.getTime();
  const window = { from: new Date(at - AROUND), to: new Date(at + AROUND) };
  let pages = 0;
  const until = performance.now() + LONGEST_SEARCH;
  const listPix = (part: ListWindow) => {
    pages += 1;
    return psp.listPix(part);
  };
  for await (const step of listWindow(listPix, window, () => pages === MOST_PAGES || performance.now() > until)) {
    const same = step.kind === "page" ? step.page?.pix.find(({ e2eId }) => e2eId === pix.e2eId) : undefined;
    if (same === undefined) continue;
    return same.withheld === undefined || same.amount !== pix.amount ? pix : { ...pix, withheld: same.withheld };
  }
  return pix;
}

/**
 * Whether the institution's answer lacks a return that a notification reports as ended: reads of some banks lag behind
 * their notifications. A notification that only names the Pix says how much went back in all, and the answer lacks returns
 * until it shows that much.
 */
export function lacksReturns(psp: Psp, pix: PspPix, body: string): boolean {
  const ended = (returns: PspPix["returns"]) =>
    returns.filter(({ status }) => status === "settled" || status === "failed");
  const notifications = psp.readNotification(parsed(body));
  const settled = pix.returns.reduce((sum, { status, amount }) => (status === "settled" ? sum + amount : sum), 0);
  if (notifications.some((named) => named.kind === "pix_named" && settled < (named.returned ?? 0))) return true;
  const notified = notifications.flatMap((notification) =>
    "pix" in notification && notification.pix.e2eId === pix.e2eId ? ended(notification.pix.returns) : [],
  );
  return pairReturns(ended(pix.returns), notified).includes(null);
}

/** Adds the tariff of a payout from its notification, for banks that send it only there. */
export function withNotifiedTariff(psp: Psp, payout: PspPayout, body: string): PspPayout {
  if (payout.tariff !== undefined) return payout;
  const tariff = psp
    .readNotification(parsed(body))
    .flatMap((notification) =>
      notification.kind === "payout_moved" && notification.payoutId === payout.id ? [notification.tariff] : [],
    )
    .find((shown) => shown !== undefined);
  return tariff === undefined ? payout : { ...payout, tariff };
}

/**
 * Finds the charge of a Pix by a txid that only its notification contains. A notification is a hint, so the institution has
 * to confirm it: the charge of that txid must show this Pix.
 */
export async function identify(
  { psp, can }: Pick<Institution, "psp" | "can">,
  pix: PspPix,
  hint: string | null,
): Promise<Identified> {
  if (pix.txid !== undefined || hint === null) return { pix, inCharge: undefined };
  for (const kind of can.charges) {
    const found = await psp.findCharge(hint, kind);
    const isPaidBy = found.kind === "found" && found.value.pix.some(({ e2eId }) => e2eId === pix.e2eId);
    if (isPaidBy) return { pix, inCharge: hint };
  }
  return { pix, inCharge: undefined };
}
