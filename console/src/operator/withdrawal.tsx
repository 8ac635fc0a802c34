import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { useChange } from "../parts/change.ts";
import { showKey } from "../parts/document.ts";
import { Facts, Sums } from "../parts/facts.tsx";
import { Failure, Read } from "../parts/feedback.tsx";
import { CopyAct, Id } from "../parts/id.tsx";
import { dayOf, showDay, showWhen } from "../parts/instant.ts";
import { BigMoney } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { SureButton } from "../parts/sure.tsx";
import { Moment } from "../parts/time.tsx";
import { type Step, Timeline } from "../parts/timeline.tsx";
import { useSession } from "../session/session.tsx";
import { ReceiverSaid } from "../withdrawals/receiver.tsx";
import { InAccount } from "./in-account.tsx";
import { AGAIN_MS, useNames } from "./reads.ts";
import { Routing } from "./routing.tsx";
import { Receiver, receiverSeen, shapeOf, WithdrawalState } from "./withdrawal-state.tsx";
import { latestWords, wordOf } from "./words.ts";

type Withdrawal = operator.OperatorWithdrawal;

/** Its outcome is not known yet. */
const isOpen = ({ status }: Withdrawal): boolean => status === "pending" || status === "processing";

/** A withdrawal of any account, read anew while it is shown. */
export function OneWithdrawal({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const query = useQuery({
    queryKey: ["operator", "withdrawal", id],
    queryFn: () => operator.withdrawals.get(id ?? ""),
    enabled: id !== null,
    refetchInterval: AGAIN_MS,
  });
  return (
    <Panel title={t("operator.withdrawals.one")} opened={id !== null} onClose={onClose}>
      <Read query={query}>{(one) => <Details one={one} />}</Read>
    </Panel>
  );
}

function Details({ one }: { one: Withdrawal }) {
  const { t } = useTranslation();
  const nameOf = useNames();
  return (
    <>
      <BigMoney brl={one.amount} />
      <div>
        <WithdrawalState one={one} />
      </div>
      {isOpen(one) && (
        <p className="note">
          {t(one.mayHaveLeft ? "operator.withdrawals.mayHaveLeft" : "operator.withdrawals.hasNotLeft")}
        </p>
      )}
      {one.status === "completed" && <OtherName one={one} />}
      <Acts one={one} />
      <Sums
        lines={[
          [t("operator.withdrawals.amount"), one.amount],
          [t("operator.withdrawals.fee"), -one.feeAmount],
        ]}
        total={[t("operator.withdrawals.arrives"), one.netAmount]}
      />
      <Timeline steps={useSteps(one)} />
      <Facts
        facts={[
          [
            t("operator.cases.account"),
            <Link key="account" href={`/operator/accounts/${one.accountId}`} className="link">
              {nameOf(one.accountId)}
            </Link>,
          ],
          [t("operator.cases.institution"), nameOf(one.institutionId)],
          [t("operator.withdrawals.to"), <Receiver key="to" one={one} />],
          [t("withdrawals.receiverSaid"), one.receiverCheck && <ReceiverSaid key="said" check={one.receiverCheck} />],
          [t("operator.withdrawals.key"), showKey(one.snapshotPixKeyType, one.snapshotPixKey)],
          [
            t("operator.withdrawals.next"),
            isOpen(one) && one.nextQueryAt && <Moment key="next" at={one.nextQueryAt} seconds />,
          ],
          [t("operator.withdrawals.lastWords"), one.latest && latestWords(one.latest)],
          [t("operator.withdrawals.e2e"), one.pspReference && <Id key="e2e">{one.pspReference}</Id>],
          [t("charge.id"), <Id key="id">{one.id}</Id>],
          [
            t("operator.withdrawals.case"),
            one.caseId && (
              <Link key="case" href={`/operator/cases?open=${one.caseId}`} className="link">
                {t("operator.withdrawals.openCase")}
              </Link>
            ),
          ],
        ]}
      />
      <Routing routing={one.routing} />
    </>
  );
}

/** That another name has the money, and what the account is asked about it, or has said. */
function OtherName({ one }: { one: Withdrawal }) {
  const { t, i18n } = useTranslation();
  const nameOf = useNames();
  const { id, receiverName: name, processedAt, accountId, subAccount } = one;
  const reference = one.externalReference ?? one.pspReference ?? id;
  const when = processedAt === undefined ? "" : showWhen(new Date(processedAt), i18n.language);
  const receiver = receiverSeen(one);
  if (receiver !== "unchecked" && receiver !== "wrong") return null;
  const said = { name, asked: one.snapshotHolderName, amount: showBrl(one.amount), reference, when };
  return (
    <>
      <p className="note">{t(`operator.withdrawals.${receiver === "wrong" ? "wrongName" : "otherName"}`, said)}</p>
      <div className="flow-wide">
        {receiver === "unchecked" && (
          <CopyAct text={t("operator.withdrawals.message", said)} act={t("operator.withdrawals.copyMessage")} />
        )}
        <InAccount account={{ accountId, name: nameOf(accountId), subAccount }} path={`/withdrawals?open=${id}`}>
          {t("operator.disputes.asMerchant")}
        </InAccount>
      </div>
    </>
  );
}

/** What happened to it, and when. */
function useSteps(one: Withdrawal): readonly Step[] {
  const { t, i18n } = useTranslation();
  const nameOf = useNames();
  const { createdAt, approvedAt, leftAt, processedAt, status, institutionId, failureReason } = one;
  const by = one.requestedByName ?? one.requestedBy;
  const step = (key: string, at: string | undefined, detail?: string | null): Step[] => {
    if (at === undefined) return [];
    const time = new Date(at);
    // A time alone is of today.
    const day = dayOf(time) === dayOf(new Date()) ? null : showDay(time, i18n.language);
    return [
      {
        ...{ key, at, shape: "done", fact: t(`operator.withdrawals.step.${key}`) },
        detail: [day, detail].filter(Boolean).join(" · "),
      },
    ];
  };
  const receiver = status === "completed" ? receiverSeen(one) : null;
  const why =
    receiver !== null && one.receiverName !== undefined
      ? t("withdrawals.paidTo", { name: one.receiverName })
      : failureReason;
  const ended = step("ended", isOpen(one) ? undefined : processedAt, why);
  return [
    ...step("requested", createdAt, by),
    ...step("approved", approvedAt),
    ...step("left", leftAt, nameOf(institutionId)),
    ...ended.map((last) => ({ ...last, shape: shapeOf(one), fact: wordOf("withdrawal", status) })),
  ];
}

/** Query the institution now; cancel what has not left. */
function Acts({ one }: { one: Withdrawal }) {
  const { id, status, amount, accountId, mayHaveLeft } = one;
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const nameOf = useNames();
  const query = useChange(() => operator.withdrawals.query(id));
  const cancel = useChange(() => operator.withdrawals.cancel(id));
  const may = session.installationRole === "finance" || session.installationRole === "admin";
  if (!may || !isOpen(one)) return null;
  return (
    <>
      {query.error && <Failure error={query.error} />}
      {status === "processing" && (
        <div className="acts">
          <Button variant="default" loading={query.isPending} onClick={() => query.mutate()}>
            {t("operator.withdrawals.query")}
          </Button>
        </div>
      )}
      {!mayHaveLeft && (
        <SureButton
          text={t("operator.withdrawals.cancel", { amount: showBrl(amount) })}
          note={t("operator.withdrawals.cancelText", { name: nameOf(accountId) })}
          sure={t("operator.withdrawals.cancelSure", { amount: showBrl(amount) })}
          change={cancel}
        />
      )}
    </>
  );
}
