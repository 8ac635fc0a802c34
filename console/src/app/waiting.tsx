import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { unlessForbidden } from "../session/calls.ts";
import { type SignedIn, useSession } from "../session/session.tsx";

/** Disputes and orders that wait for a defence: the bank takes none against its own hold. Null: the person may not read them. */
export const waitingBlocks = ({ together, scope }: SignedIn) => ({
  queryKey: [...scope, "blocks", "waiting"],
  queryFn: async () => {
    const page = await unlessForbidden(together.balanceBlocks.list({ status: "awaiting_response" }).page());
    return page?.items.filter(({ blockType }) => blockType !== "precautionary") ?? null;
  },
});

/** Withdrawals of the newest pending ones that this person may approve. */
export const waitingWithdrawals = ({ together, scope }: SignedIn) => ({
  queryKey: [...scope, "withdrawals", "waiting"],
  queryFn: async () => {
    const page = await unlessForbidden(together.withdrawals.list({ status: "pending" }).page());
    return page?.items.filter(({ mayDecide }) => mayDecide) ?? [];
  },
});

/** How many disputes wait for this person's defence, beside the screen's name in the navigation. */
export function BlocksCount() {
  const { t } = useTranslation();
  const session = useSession();
  const { data } = useQuery({ ...waitingBlocks(session), enabled: session.may("BALANCE_BLOCK:WRITE") });
  return <Count count={data?.length ?? 0} text={t("nav.unanswered")} />;
}

/** How many withdrawals wait for this person's approval. */
export function WithdrawalsCount() {
  const { t } = useTranslation();
  const session = useSession();
  const { data } = useQuery({ ...waitingWithdrawals(session), enabled: session.may("WITHDRAWAL:APPROVE") });
  return <Count count={data?.length ?? 0} text={t("nav.toApprove", { count: data?.length ?? 0 })} />;
}

function Count({ count, text }: { count: number; text: string }) {
  if (count === 0) return null;
  return (
    <span className="nav-count num">
      {count} <span className="hidden">{text}</span>
    </span>
  );
}
