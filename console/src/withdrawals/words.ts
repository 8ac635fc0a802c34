import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { useIsAhead } from "../parts/due.ts";
import { showElapsed, showWhen } from "../parts/instant.ts";
import type { Shape } from "../parts/state.tsx";
import { receiverOf } from "./received.ts";

type Words = { readonly shape: Shape; readonly state: string; readonly detail: string };

/** A payment that took longer was not on its way all that time, ms. */
const QUICK_MS = 3_600_000;

/** Of one that another name has received: its shape, the words around its state, and who that was. */
const RECEIVED = {
  unchecked: ["needs", "withdrawals.otherName", "withdrawals.otherNameText"],
  wrong: ["failed", "withdrawals.toWrong", "withdrawals.toWrongText"],
  meant: ["done", null, "withdrawals.meantText"],
} as const;

/** What is happening to a withdrawal, and what follows. */
export function useWithdrawalWords(withdrawal: merchant.Withdrawal): Words {
  const { t, i18n } = useTranslation();
  const { status, pendingReason, until, nextQueryAt, processedAt, createdAt, amount, failureReason } = withdrawal;
  const isAsked = useIsAhead(nextQueryAt);
  const moment = (at: string) => showWhen(new Date(at), i18n.language, true);
  if (status === "pending") return pending();
  const query =
    nextQueryAt !== undefined && isAsked
      ? t("withdrawals.askedAgain", { when: moment(nextQueryAt) })
      : t("withdrawals.processingText");
  if (pendingReason === "awaiting_bank_approval")
    return { shape: "waiting", state: t("withdrawals.atBank"), detail: query };
  if (pendingReason === "under_analysis") return { shape: "waiting", state: t("withdrawals.analysed"), detail: query };
  if (status === "processing") return { shape: "moving", state: t("withdrawals.processing"), detail: query };
  if (status === "completed") {
    const state =
      processedAt === undefined
        ? t("withdrawals.completed")
        : t("withdrawals.completedAt", { when: moment(processedAt) });
    const receiver = receiverOf(withdrawal);
    if (receiver !== null) {
      const [shape, ended, text] = RECEIVED[receiver];
      return {
        shape,
        state: ended ? t(ended, { state }) : state,
        detail: t(withdrawal.receiverCheck?.byRequester ? "withdrawals.meantByRequester" : text, {
          name: withdrawal.receiverName ?? "–",
        }),
      };
    }
    // Of one that waited for a person, or for the day, it says nothing of the bank.
    const took = processedAt === undefined ? null : new Date(processedAt).getTime() - new Date(createdAt).getTime();
    const detail =
      took !== null && took >= 0 && took < QUICK_MS
        ? t("withdrawals.took", { elapsed: showElapsed(took, i18n.language) })
        : "";
    return { shape: "done", state, detail };
  }
  if (status === "reversed")
    return { shape: "ended", state: t("withdrawals.reversed"), detail: t("withdrawals.reversedText") };
  const reason = failureReason ?? t("withdrawals.noReason");
  return {
    shape: "failed",
    state: t("withdrawals.failed", { reason }),
    detail: t("withdrawals.failedText", { amount: showBrl(amount) }),
  };

  function pending(): Words {
    if (pendingReason === "awaiting_approval")
      return { shape: "needs", state: t("withdrawals.approval"), detail: t("withdrawals.heldText") };
    if (pendingReason === "new_key" && until !== undefined) {
      return {
        shape: "waiting",
        state: t("withdrawals.newKey", { when: moment(until) }),
        detail: t("withdrawals.heldText"),
      };
    }
    if (pendingReason === "limit" && until !== undefined) {
      return {
        shape: "waiting",
        state: t("withdrawals.limit", { when: moment(until) }),
        detail: t("withdrawals.heldText"),
      };
    }
    if (pendingReason === "paused")
      return { shape: "waiting", state: t("withdrawals.paused"), detail: t("withdrawals.heldText") };
    return { shape: "waiting", state: t("withdrawals.pending"), detail: t("withdrawals.heldText") };
  }
}
