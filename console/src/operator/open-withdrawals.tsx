import { addBrl, type operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { showWhen } from "../parts/instant.ts";
import { useSession } from "../session/session.tsx";
import { Answer } from "./answer.tsx";
import { AGAIN_MS } from "./reads.ts";

/** Most of each state that are counted; of more, the sentence says so. */
const COUNTED = 100;
const OPEN = ["pending", "processing"] as const;

type Status = operator.OperatorWithdrawal["status"];

/** The withdrawals without an end, a page of each state. */
export function useOpenWithdrawals() {
  const { operator } = useSession();
  return useQuery({
    queryKey: ["operator", "withdrawals-open"],
    queryFn: () => Promise.all(OPEN.map((status) => operator.withdrawals.list({ status, limit: COUNTED }).page())),
    refetchInterval: AGAIN_MS,
  });
}

/** How many are in a state without an end; 0 of every other state, and of more than are counted. */
export function countOpen({ data }: ReturnType<typeof useOpenWithdrawals>, status: Status): number {
  const page = data?.[(OPEN as readonly Status[]).indexOf(status)];
  return page?.nextCursor === null ? page.items.length : 0;
}

/** Withdrawals without an end: how many, how much they come to, in which state, and how long the oldest waits. */
export function OpenWithdrawals() {
  const { t, i18n } = useTranslation();
  const { data } = useOpenWithdrawals();
  if (data === undefined) return null;
  const all = data.flatMap(({ items }) => items);
  const [oldest] = all.map(({ createdAt }) => createdAt).sort();
  if (oldest === undefined) return <Answer shape="done">{t("operator.withdrawals.noneOpen")}</Answer>;
  const isMore = data.some(({ nextCursor }) => nextCursor !== null);
  const parts: ReactNode[] = OPEN.flatMap((status, i) => {
    const count = data[i]?.items.length ?? 0;
    if (count === 0) return [];
    return (
      <Link key={status} href={`/operator/withdrawals?status=${status}`} className="link">
        {t(`operator.withdrawals.open.${status}`, { count })}
      </Link>
    );
  });
  // Of more than are read, the oldest is not known.
  if (!isMore) parts.push(t("operator.withdrawals.oldest", { when: showWhen(new Date(oldest), i18n.language) }));
  return (
    <Answer
      shape={all.some(({ caseId }) => caseId !== undefined) ? "needs" : "moving"}
      then={parts.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are text, and keep nothing
        <Fragment key={i}>
          {i > 0 && " · "}
          {part}
        </Fragment>
      ))}
    >
      {t(isMore ? "operator.withdrawals.manyOpen" : "operator.withdrawals.someOpen", {
        count: all.length,
        sum: showBrl(addBrl(0, ...all.map(({ amount }) => amount))),
      })}
    </Answer>
  );
}
