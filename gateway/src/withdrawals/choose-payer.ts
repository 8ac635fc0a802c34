import type { Context } from "../context.ts";
import { ApiError } from "../http/errors.ts";
import { takesAmount } from "../institutions/config.ts";
import type { Funds } from "../institutions/funds.ts";
import type { Institution } from "../institutions/registry.ts";
import type { PassedBecause, Routing } from "../institutions/routing.ts";
import { isByShare, orderByShare } from "../institutions/share.ts";
import type { LatestTariff } from "../institutions/tariffs/latest-payout.ts";
import { toBrl } from "../lib/money.ts";

/** The institution that pays a withdrawal, and why. */
type Choice = { readonly institution: Institution; readonly routing: Routing };

/**
 * Chooses among the institutions of an account, by priority, then by share or tariff. One that only receives, or whose limit
 * for one Pix is lower, never pays. One that does not answer, or holds too little by the books, is chosen only if no other is
 * better: the payout then waits for it, and the bank may hold more than the books show. One where a repeated request is not
 * safe is chosen only if no other can pay now.
 */
export async function choosePayer(
  { psps }: Pick<Context, "psps">,
  read: { readonly funds: Funds; readonly latestTariff: LatestTariff },
  order: { readonly accountId: string; readonly withdrawalId: string; readonly amount: number },
): Promise<Choice> {
  const { accountId, withdrawalId, amount } = order;
  const paying = await psps.forAccount(accountId, ({ can }) => paysKeys(can));
  if (paying.length === 0) throw new ApiError("PAYOUT_UNAVAILABLE");
  const able = paying.filter(({ can }) => takesAmount(can, amount));
  if (able.length === 0) {
    const limit = toBrl(Math.max(...paying.map(({ can }) => can.maxAmount ?? 0)));
    const message = "No institution of the account sends so much in one Pix. Nothing is held.";
    throw new ApiError("PAYOUT_UNAVAILABLE", message, { limit });
  }
  const linked = await psps.linked(accountId);
  // Another process may have changed them since the first reading.
  const candidates = linked.some((institution) => whyNever(institution, amount) === null) ? linked : able;
  const ordered = sortByPreference(await withLatestTariffs(candidates, amount, read.latestTariff), withdrawalId);
  // Most accounts have one institution that pays, and nothing is read for it.
  const held = able.length > 1 ? await read.funds() : null;
  return choose(ordered, amount, (id) => held === null || (held.get(id) ?? 0) >= amount);
}

/**
 * Fills in missing tariffs from each institution's latest payout, but only at priorities where it is then known for every
 * institution that could pay: an unknown tariff need not be the higher one.
 */
export async function withLatestTariffs(
  linked: readonly Institution[],
  amount: number,
  latestTariff: LatestTariff,
): Promise<readonly Institution[]> {
  const able = linked.filter((institution) => whyNever(institution, amount) === null);
  const tariffs = new Map<string, number>();
  for (const priority of new Set(able.map((institution) => institution.priority))) {
    const peers = able.filter((institution) => institution.priority === priority);
    const unset = peers.filter(({ payoutTariff }) => payoutTariff === null);
    if (peers.length < 2 || !unset.every(({ can }) => can.tariffs)) continue;
    const latest = await Promise.all(unset.map(({ institutionId }) => latestTariff(institutionId)));
    if (latest.includes(null)) continue;
    for (const [i, { institutionId }] of unset.entries()) tariffs.set(institutionId, latest[i]!);
  }
  return tariffs.size === 0
    ? linked
    : linked.map((institution) => {
        const payoutTariff = institution.payoutTariff ?? tariffs.get(institution.institutionId) ?? null;
        return { ...institution, payoutTariff };
      });
}

/** By priority; at the same priority by share, and those without a share by their tariff of a payout, unknown tariffs last. */
function sortByPreference(linked: readonly Institution[], withdrawalId: string): readonly Institution[] {
  const cost = ({ payoutTariff }: Institution): number => payoutTariff ?? Number.MAX_SAFE_INTEGER;
  const byTariff = linked.toSorted((a, b) => a.priority - b.priority || cost(a) - cost(b));
  return orderByShare(byTariff, withdrawalId);
}

/** Withdrawals go to PIX keys. */
const paysKeys = ({ payouts }: Institution["can"]): boolean => payouts?.to.includes("key") === true;

/** Why an institution can never pay this amount; null: it can. */
function whyNever({ status, can }: Institution, amount: number): PassedBecause | null {
  if (status !== "active") return "draining";
  if (!paysKeys(can)) return "no_payouts";
  return takesAmount(can, amount) ? null : "over_limit";
}

/** Chooses among institutions in their order, at least one of which can pay the amount. Pure. */
export function choose(
  ordered: readonly Institution[],
  amount: number,
  hasFunds: (institutionId: string) => boolean,
): Choice {
  const whyNotNow = ({ institutionId, health }: Institution): PassedBecause | null => {
    if (health.state === "down") return "down";
    return hasFunds(institutionId) ? null : "balance";
  };
  const isUnsafe = ({ can }: Institution): boolean => can.payouts?.repeat === "list_first";
  const rank = (institution: Institution): number =>
    (whyNotNow(institution) === null ? 0 : 2) + (isUnsafe(institution) ? 1 : 0);

  const able = ordered.filter((institution) => whyNever(institution, amount) === null);
  const institution = able.reduce((best, next) => (rank(next) < rank(best) ? next : best));
  const before = ordered.slice(0, ordered.indexOf(institution));
  const passed = before.map((passedOver) => ({
    institutionId: passedOver.institutionId,
    because: whyNever(passedOver, amount) ?? whyNotNow(passedOver) ?? "repeats_unsafe",
  }));
  return { institution, routing: { reason: reasonOf(able, institution), passed } };
}

function reasonOf(able: readonly Institution[], chosen: Institution): Routing["reason"] {
  if (isByShare(able, chosen)) return "share";
  const isDearer = ({ priority, payoutTariff }: Institution): boolean =>
    priority === chosen.priority &&
    (payoutTariff ?? Number.MAX_SAFE_INTEGER) > (chosen.payoutTariff ?? Number.MAX_SAFE_INTEGER);
  return able.some(isDearer) ? "tariff" : "priority";
}
