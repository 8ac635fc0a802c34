import { addBrl, type operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { daysOf, showWhen, startOfDay } from "../parts/instant.ts";
import { useSession } from "../session/session.tsx";
import { Answer } from "./answer.tsx";
import { AGAIN_MS } from "./reads.ts";

/** Most of each state that are counted; of more, the sentence says so. */
const COUNTED = 100;
const OPEN = ["pending", "processing"] as const;
/** The filter of those that another name has received, in the address; `unchecked`: of which the account has not said that it was meant. */
export const TO_OTHER = { filter: "received", values: ["unchecked", "other"] } as const;
/** What is paid changes no more, ms. */
const OTHERS_AGAIN_MS = 60_000;

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

/** The withdrawals of a week that the bank has paid to another name, and of which the account has not said that it was meant. */
function usePaidToOther() {
  const { operator } = useSession();
  const from = startOfDay(daysOf("week").from ?? "").toISOString();
  return useQuery({
    queryKey: ["operator", "withdrawals-to-other", from],
    queryFn: () => operator.withdrawals.list({ paidToOther: true, receiverMeant: false, from, limit: COUNTED }).page(),
    refetchInterval: OTHERS_AGAIN_MS,
  });
}

/** What leaves the wallets, fees included. */
const sumOf = (all: readonly operator.OperatorWithdrawal[]): string =>
  showBrl(addBrl(0, ...all.map(({ amount }) => amount)));
/** What arrives. */
const receivedOf = (all: readonly operator.OperatorWithdrawal[]): string =>
  showBrl(addBrl(0, ...all.map(({ netAmount }) => netAmount)));

/** What another name has received comes first; then those without an end: how many, in which state, since when. */
export function OpenWithdrawals() {
  const { t } = useTranslation();
  const { data } = useOpenWithdrawals();
  const others = usePaidToOther();
  if (data === undefined) return null;
  const open = data.flatMap(({ items }) => items);
  const isMore = data.some(({ nextCursor }) => nextCursor !== null);
  const sentence =
    open.length === 0
      ? t("operator.withdrawals.noneOpen")
      : t(isMore ? "operator.withdrawals.manyOpen" : "operator.withdrawals.someOpen", {
          count: open.length,
          sum: sumOf(open),
        });
  const parts = open.length === 0 ? null : <Parts pages={data} />;
  if (others.data !== undefined && others.data.items.length > 0) {
    const { items, nextCursor } = others.data;
    const many = nextCursor !== null;
    const wrong = items.filter(({ receiverCheck }) => receiverCheck?.expected === false).length;
    return (
      <Answer
        shape="needs"
        then={
          <>
            {wrong > 0 && `${t("operator.withdrawals.saidWrong", { count: wrong })} `}
            {t("operator.withdrawals.otherText")} {sentence}
            {parts && " "}
            {parts}
          </>
        }
      >
        <Link href={`/operator/withdrawals?${TO_OTHER.filter}=${TO_OTHER.values[0]}&asked=week`} className="link">
          {t(many ? "operator.withdrawals.manyToOther" : "operator.withdrawals.toOther", {
            count: items.length,
            sum: receivedOf(items),
          })}
        </Link>
      </Answer>
    );
  }
  // What could not be read, or what a bank does not say, is never taken for good.
  const unnamed = others.data?.unnamed ?? 0;
  const noOther = others.isPending
    ? ""
    : others.data === undefined
      ? t("operator.withdrawals.otherUnread")
      : unnamed === 0
        ? t("operator.withdrawals.noneToOther")
        : t(unnamed > COUNTED ? "operator.withdrawals.manyUnnamed" : "operator.withdrawals.unnamed", {
            count: Math.min(unnamed, COUNTED),
          });
  const isStuck = open.some(({ caseId }) => caseId !== undefined);
  const isKnown = others.data !== undefined && unnamed === 0;
  const shape = isStuck ? "needs" : open.length > 0 ? "moving" : isKnown ? "done" : "waiting";
  return (
    <Answer
      shape={shape}
      then={
        <>
          {parts}
          {parts && !isKnown && " "}
          {(!parts || !isKnown) && noOther}
        </>
      }
    >
      {sentence}
    </Answer>
  );
}

type OpenPages = NonNullable<ReturnType<typeof useOpenWithdrawals>["data"]>;

/** How many are in which state, and how long the oldest waits. */
function Parts({ pages }: { pages: OpenPages }) {
  const { t, i18n } = useTranslation();
  const [oldest] = pages.flatMap(({ items }) => items.map(({ createdAt }) => createdAt)).sort();
  const parts: ReactNode[] = OPEN.flatMap((status, i) => {
    const count = pages[i]?.items.length ?? 0;
    if (count === 0) return [];
    return (
      <Link key={status} href={`/operator/withdrawals?status=${status}`} className="link">
        {t(`operator.withdrawals.open.${status}`, { count })}
      </Link>
    );
  });
  // Of more than are read, the oldest is not known.
  if (oldest !== undefined && pages.every(({ nextCursor }) => nextCursor === null))
    parts.push(t("operator.withdrawals.oldest", { when: showWhen(new Date(oldest), i18n.language) }));
  return parts.map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are text, and keep nothing
    <Fragment key={i}>
      {i > 0 && " · "}
      {part}
    </Fragment>
  ));
}
