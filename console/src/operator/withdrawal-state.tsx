import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { FreeText } from "../parts/free-text.tsx";
import { showWhen } from "../parts/instant.ts";
import { type Shape, State } from "../parts/state.tsx";
import { receiverOf } from "../withdrawals/received.ts";
import { wordOf } from "./words.ts";

type Withdrawal = operator.OperatorWithdrawal;
const SHAPES: Record<Withdrawal["status"], Shape> = {
  pending: "waiting",
  processing: "moving",
  completed: "done",
  failed: "failed",
  reversed: "ended",
};

/** As `receiverOf`; what only whoever asked for the withdrawal says is not taken for an answer. */
export const receiverSeen = (one: Withdrawal): ReturnType<typeof receiverOf> =>
  one.receiverCheck?.expected && one.receiverCheck.byRequester ? "unchecked" : receiverOf(one);

/** The shape of its state, or of what is known of whoever received it. */
export function shapeOf(one: Withdrawal): Shape {
  const receiver = one.status === "completed" ? receiverSeen(one) : null;
  return receiver === "unchecked" ? "needs" : receiver === "wrong" ? "failed" : SHAPES[one.status];
}

/** Who gets the money, whom the bank has paid where that is another name, and what the merchant calls it. */
export function Receiver({ one }: { one: Withdrawal }) {
  const { t } = useTranslation();
  const { snapshotHolderName: asked, externalReference, status } = one;
  const receiver = receiverSeen(one);
  return (
    <>
      <FreeText>{asked}</FreeText>
      {receiver !== null && one.receiverName !== undefined && (
        <div className={receiver === "meant" || status !== "completed" ? "small quiet" : "small needs-text"}>
          {t("withdrawals.paidTo", { name: one.receiverName })}
        </div>
      )}
      {externalReference !== undefined && (
        <div className="small quiet">
          <FreeText>{externalReference}</FreeText>
        </div>
      )}
    </>
  );
}

/** How it is, and since when; of one that is open, what comes next and when. `isBrief`: without when it ended, and with the other name that was paid. */
export function WithdrawalState({ one, isBrief = false }: { one: Withdrawal; isBrief?: boolean }) {
  const { t, i18n } = useTranslation();
  const { status, pendingReason, processedAt, until, nextQueryAt } = one;
  const say = (key: string, at: string) =>
    t(`operator.withdrawals.${key}`, { when: showWhen(new Date(at), i18n.language) });
  const receiver = status === "completed" ? receiverSeen(one) : null;
  const isOther = receiver === "unchecked" || receiver === "wrong";
  const more =
    isOther && isBrief
      ? t("withdrawals.paidTo", { name: one.receiverName })
      : until !== undefined
        ? say("until", until)
        : nextQueryAt !== undefined && status === "processing"
          ? say("nextQuery", nextQueryAt)
          : processedAt !== undefined && !isBrief
            ? say("ended", processedAt)
            : null;
  const state = pendingReason === undefined ? wordOf("withdrawal", status) : wordOf("pendingOne", pendingReason);
  return (
    <>
      <State shape={shapeOf(one)}>
        {isOther ? t(`withdrawals.${receiver === "wrong" ? "toWrong" : "otherName"}`, { state }) : state}
      </State>
      {more !== null && <span className="small quiet below-state">{more}</span>}
    </>
  );
}
