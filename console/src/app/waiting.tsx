import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { isRefusal, unlessForbidden } from "../session/calls.ts";
import { type SignedIn, useSession } from "../session/session.tsx";

/** Disputes and orders that wait for a defence: the bank takes none against its own hold. Null: the person may not read them. */
export const waitingBlocks = ({ together, scope }: SignedIn) => ({
  queryKey: [...scope, "blocks", "waiting"],
  queryFn: async () => {
    const page = await unlessForbidden(together.balanceBlocks.list({ status: "awaiting_response" }).page());
    return page?.items.filter(({ blockType }) => blockType !== "precautionary") ?? null;
  },
});

/** Of a status what waits for a person, the newest. A process of 0.1.0, beside which this page may run, knows only what is pending. */
const listWaiting = (together: SignedIn["together"], status: "pending" | "completed") =>
  together.withdrawals
    .list({ waitsForPerson: true, status })
    .page()
    .catch((error: unknown) => {
      if (!isRefusal(error) || error.status !== 400) throw error;
      return status === "pending" ? together.withdrawals.list({ status }).page() : null;
    });

/**
 * Of the newest withdrawals that wait for a person: those that this one may approve, and those that were paid to another name;
 * `more`, `moreUnchecked`: there are older ones, which were not read.
 */
export const waitingWithdrawals = ({ together, scope }: SignedIn) => ({
  queryKey: [...scope, "withdrawals", "waiting"],
  queryFn: async () => {
    const [pending, paid] = await Promise.all([
      unlessForbidden(listWaiting(together, "pending")),
      unlessForbidden(listWaiting(together, "completed")),
    ]);
    return {
      items: pending?.items.filter(({ mayDecide }) => mayDecide) ?? [],
      more: (pending?.nextCursor ?? null) !== null,
      unchecked: paid?.items ?? [],
      moreUnchecked: (paid?.nextCursor ?? null) !== null,
    };
  },
});

/** Deliveries given up before this are no longer counted: whoever missed them has them in another way by now, ms. */
const UNDELIVERED_MS = 7 * 86_400_000;

/**
 * The newest deliveries of the last week that were given up and can be sent again: tests cannot be missed, and a disabled endpoint
 * receives nothing. `more`: there are older ones, which were not read. Null: the person may not read them.
 */
export const undelivered = ({ pixgate, together, scope }: SignedIn) => ({
  queryKey: [...scope, "deliveries", "undelivered"],
  queryFn: async () => {
    const page = await unlessForbidden(together.webhookDeliveries.list({ status: "failed" }).page());
    if (page === null) return null;
    const since = new Date(Date.now() - UNDELIVERED_MS).toISOString();
    const recent = page.items.filter(({ createdAt, eventId }) => createdAt >= since && !eventId.startsWith("test_"));
    if (recent.length === 0) return { since, items: [], more: false };
    const endpoints = await pixgate.webhookEndpoints.list().page();
    const enabled = new Set(endpoints.items.filter((one) => one.enabled).map(({ id }) => id));
    const items = recent.filter(({ endpointId }) => enabled.has(endpointId));
    const isAll = page.nextCursor === null || page.items.some(({ createdAt }) => createdAt < since);
    return { since, items, more: items.length > 0 && !isAll };
  },
});

/** How many disputes wait for this person's defence, beside the screen's name in the navigation. */
export function BlocksCount() {
  const { t } = useTranslation();
  const session = useSession();
  const may = session.may("BALANCE_BLOCK:WRITE");
  const { data } = useQuery({ ...waitingBlocks(session), enabled: may });
  return may && data && <Count count={data.length} text={t("nav.unanswered")} />;
}

/** How many withdrawals wait for this person: for approval, or, paid to another name, for whether that was meant. */
export function WithdrawalsCount() {
  const { t } = useTranslation();
  const session = useSession();
  const [approves, checks] = [session.may("WITHDRAWAL:APPROVE"), session.may("WITHDRAWAL:WRITE")];
  const { data } = useQuery({ ...waitingWithdrawals(session), enabled: approves || checks });
  if (data === undefined) return null;
  const unchecked = checks ? data.unchecked.length : 0;
  const count = unchecked + (approves ? data.items.length : 0);
  const more = (approves && data.more) || (checks && data.moreUnchecked);
  return <Count count={count} more={more} text={t(unchecked > 0 ? "nav.toCheck" : "nav.toApprove", { count })} />;
}

/** How many deliveries were given up, for whoever may send them again. */
export function UndeliveredCount() {
  const { t } = useTranslation();
  const session = useSession();
  const may = session.may("WEBHOOK:WRITE");
  const { data } = useQuery({ ...undelivered(session), enabled: may });
  if (!may || !data) return null;
  const { length: count } = data.items;
  return <Count count={count} more={data.more} text={t("nav.undelivered", { count })} />;
}

function Count({ count, more = false, text }: { count: number; more?: boolean; text: string }) {
  if (count === 0) return null;
  return (
    <span className="nav-count num">
      {more ? `${count}+` : count} <span className="hidden">{text}</span>
    </span>
  );
}
