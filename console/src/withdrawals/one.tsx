import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { useChange } from "../parts/change.ts";
import { showDocument, showKey } from "../parts/document.ts";
import { untilDue } from "../parts/due.ts";
import { Facts, Sums } from "../parts/facts.tsx";
import { Failure, Read } from "../parts/feedback.tsx";
import { Id } from "../parts/id.tsx";
import { BigMoney } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { Stamp } from "../parts/stamp.tsx";
import { State } from "../parts/state.tsx";
import { useTypedAmount } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";
import { Booked, useLinesOf } from "../statement/booked.tsx";
import { ReceiverQuestion, ReceiverSaid } from "./receiver.tsx";
import { useWithdrawalWords } from "./words.ts";

/** A withdrawal: what leaves, what arrives, to whom, and what can be decided about it. */
export function OneWithdrawal({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "withdrawal", id],
    queryFn: () => pixgate.withdrawals.get(id ?? ""),
    enabled: id !== null,
    refetchInterval: ({ state }) => untilDue([state.data?.nextQueryAt]),
  });
  return (
    <Panel title={t("withdrawals.one")} opened={id !== null} onClose={onClose}>
      <Read query={query}>{(withdrawal) => <Details withdrawal={withdrawal} />}</Read>
    </Panel>
  );
}

function Details({ withdrawal }: { withdrawal: merchant.Withdrawal }) {
  const { t } = useTranslation();
  const stamp = (at: string | undefined) => at && <Stamp key={at} at={at} />;
  const { shape, state, detail } = useWithdrawalWords(withdrawal);
  const isOver = withdrawal.status !== "pending" && withdrawal.status !== "processing";
  return (
    <>
      <BigMoney brl={withdrawal.amount} />
      <p>{t("withdrawals.toName", { name: withdrawal.snapshotHolderName })}</p>
      <div>
        <State shape={shape}>{state}</State>
        <p className="small quiet">{detail}</p>
      </div>
      {withdrawal.status === "completed" && (
        // What was begun ends with each answer.
        <ReceiverQuestion key={`${withdrawal.id} ${withdrawal.receiverCheck?.checkedAt}`} withdrawal={withdrawal} />
      )}
      {!isOver ? (
        <Sums
          lines={[
            [t("withdrawals.leaves"), withdrawal.amount],
            [t("charge.fee"), -withdrawal.feeAmount],
          ]}
          total={[t("withdrawals.arrives"), withdrawal.netAmount]}
        />
      ) : (
        <WhereTheMoneyWent id={withdrawal.id} />
      )}
      <Facts
        facts={[
          [
            t("newWithdrawal.key"),
            <Id key="key">{showKey(withdrawal.snapshotPixKeyType, withdrawal.snapshotPixKey)}</Id>,
          ],
          [t("withdrawals.givenDocument"), showDocument(withdrawal.snapshotHolderDocument)],
          [t("withdrawals.receivedBy"), withdrawal.receiverName],
          [
            t("withdrawals.receiverSaid"),
            withdrawal.receiverCheck && <ReceiverSaid key="said" check={withdrawal.receiverCheck} />,
          ],
          [t("charge.reference"), withdrawal.externalReference],
          [t("withdrawals.requestedBy"), withdrawal.requestedByName ?? withdrawal.requestedBy],
          [t("withdrawals.requestedAt"), stamp(withdrawal.createdAt)],
          [t("withdrawals.endedAt"), stamp(withdrawal.processedAt)],
          [t("charge.endToEnd"), withdrawal.pspReference && <Id key="e2e">{withdrawal.pspReference}</Id>],
          [
            t("charge.id"),
            <span key="id" className="mono">
              {withdrawal.id}
            </span>,
          ],
        ]}
      />
      {isOver && (
        <p className="flow-wide">
          <Link href={`/statement?payment=${withdrawal.id}`} className="act">
            {t("charge.lines")}
          </Link>
        </p>
      )}
      {withdrawal.status === "pending" && <Decisions withdrawal={withdrawal} />}
    </>
  );
}

/** Of a withdrawal that has ended: what it cost, with what came back of it, as the ledger has it. */
function WhereTheMoneyWent({ id }: { id: string }) {
  const { t } = useTranslation();
  const lines = useLinesOf({ id, type: "withdrawal" });
  return (
    <section>
      <h3 className="small">{t("charge.moneyWent")}</h3>
      <Read query={lines} lines={3}>
        {(read) => <Booked lines={read} total={t("transactions.effect")} />}
      </Read>
    </section>
  );
}

function Decisions({ withdrawal }: { withdrawal: merchant.Withdrawal }) {
  const { t } = useTranslation();
  const { pixgate, session, may } = useSession();
  const { id, amount, netAmount, pendingReason, requestedBy, mayDecide } = withdrawal;
  const decide = useChange((what: "approve" | "reject" | "cancel") => pixgate.withdrawals[what](id));
  const awaiting = pendingReason === "awaiting_approval";
  const isOwn = mayDecide === false;
  const decides = awaiting && !isOwn && may("WITHDRAWAL:APPROVE");
  const typed = useTypedAmount(decides ? amount : null);
  return (
    <>
      {awaiting && (
        <p className="note">
          {isOwn
            ? t(requestedBy === session.person.id ? "withdrawals.ownText" : "withdrawals.ownProgramText")
            : t(decides ? "withdrawals.approveText" : "withdrawals.mayNotText")}
        </p>
      )}
      {typed.field}
      {decide.error && <Failure error={decide.error} />}
      <div className="abreast at-end-all">
        {decides && (
          <>
            <Button variant="default" loading={decide.isPending} onClick={() => decide.mutate("reject")}>
              {t("withdrawals.reject")}
            </Button>
            <Button loading={decide.isPending} disabled={!typed.confirmed} onClick={() => decide.mutate("approve")}>
              {t("withdrawals.approve", { amount: showBrl(netAmount) })}
            </Button>
          </>
        )}
        {(!awaiting || isOwn) && may("WITHDRAWAL:WRITE") && (
          <Button variant="default" loading={decide.isPending} onClick={() => decide.mutate("cancel")}>
            {t("withdrawals.cancel", { amount: showBrl(amount) })}
          </Button>
        )}
      </div>
    </>
  );
}
