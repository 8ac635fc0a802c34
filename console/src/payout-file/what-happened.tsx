import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { showKey } from "../parts/document.ts";
import { useErrorText } from "../parts/feedback.tsx";
import { type Shape, State } from "../parts/state.tsx";
import { useSession } from "../session/session.tsx";
import type { Outcome } from "./outcome.ts";
import { isSame, type PayoutRow } from "./rows.ts";
import type { Outcomes } from "./sending.ts";

/** As many of the newest withdrawals as the API gives at once. */
const NEWEST = 100;

/** The outcomes with their withdrawals as they are now: the stream reports what happens to them. */
export function useLatest(outcomes: Outcomes): Outcomes {
  const { pixgate, scope } = useSession();
  const { data } = useQuery({
    queryKey: [...scope, "withdrawals", "newest"],
    queryFn: async () => (await pixgate.withdrawals.list({ limit: NEWEST }).page()).items,
    enabled: outcomes.size > 0,
  });
  const known = new Map(data?.map((one) => [one.id, one]));
  return new Map(
    [...outcomes].map(([line, one]): [number, Outcome] => {
      if (!("withdrawal" in one)) return [line, one];
      return [line, { ...one, withdrawal: known.get(one.withdrawal.id) ?? one.withdrawal }];
    }),
  );
}

type Said = { readonly shape: Shape; readonly text: string };

/** What became of a row, in words. */
export function useOutcomeText(): (row: PayoutRow, outcome: Outcome | undefined) => Said {
  const { t } = useTranslation();
  const sayError = useErrorText();
  return (row, outcome) => {
    if (outcome === undefined)
      return row.sameAs === null
        ? { shape: "waiting", text: t("payoutFile.ready") }
        : { shape: "needs", text: t("payoutFile.sameAs", { line: row.sameAs }) };
    if (outcome.is === "refused") return { shape: "failed", text: sayError(outcome.error) };
    if (outcome.is === "unanswered") return { shape: "needs", text: t("payoutFile.unanswered") };
    const { withdrawal } = outcome;
    if (outcome.is === "before" && !isSame(withdrawal, row.request!)) {
      const { snapshotHolderName: name, snapshotPixKeyType, snapshotPixKey, netAmount } = withdrawal;
      const other = { name, key: showKey(snapshotPixKeyType, snapshotPixKey), amount: showBrl(netAmount) };
      return { shape: "failed", text: t("payoutFile.usedByOther", other) };
    }
    const state = { shape: SHAPES[withdrawal.status], text: t(`payoutFile.state.${stateOf(withdrawal)}`) };
    return outcome.is === "made" ? state : { ...state, text: t("payoutFile.before", { state: state.text }) };
  };
}

const SHAPES: Readonly<Record<merchant.Withdrawal["status"], Shape>> = {
  ...{ pending: "waiting", processing: "moving", completed: "done", failed: "failed", reversed: "ended" },
};
const stateOf = ({ status, pendingReason }: merchant.Withdrawal) =>
  status === "pending" && pendingReason === "awaiting_approval" ? "approval" : status;

export function WhatHappened({ row, outcome }: { row: PayoutRow; outcome: Outcome | undefined }) {
  const say = useOutcomeText();
  const { t } = useTranslation();
  const { shape, text } = say(row, outcome);
  return (
    <>
      <State shape={shape}>{text}</State>
      {outcome && "withdrawal" in outcome && (
        <>
          {" "}
          <Link className="act" href={`/withdrawals?open=${outcome.withdrawal.id}`}>
            {t("payoutFile.open")}
          </Link>
        </>
      )}
    </>
  );
}
