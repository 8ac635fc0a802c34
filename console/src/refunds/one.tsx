import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Facts, Sums } from "../parts/facts.tsx";
import { Read } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Id } from "../parts/id.tsx";
import { BigMoney } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { shortId } from "../parts/short-id.ts";
import { Stamp } from "../parts/stamp.tsx";
import { useSession } from "../session/session.tsx";
import { Booked, useLinesOf } from "../statement/booked.tsx";
import { RefundState } from "./state.tsx";

type Refund = merchant.Refund;

/** A refund: what goes back to whom, what that costs, how it ended, and the charge that it belongs to. */
export function OneRefund({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const query = useQuery({
    queryKey: [...scope, "refund", id],
    queryFn: () => pixgate.refunds.get(id ?? ""),
    enabled: id !== null,
  });
  return (
    <Panel title={t("refunds.one")} opened={id !== null} onClose={onClose}>
      <Read query={query}>{(refund) => <Details refund={refund} />}</Read>
    </Panel>
  );
}

function Details({ refund }: { refund: Refund }) {
  const { t } = useTranslation();
  const { originalTransactionId: chargeId, refundTransactionId: id, counterpartName: name } = refund;
  const stamp = (at: string | undefined) => at && <Stamp key={at} at={at} />;
  return (
    <>
      <BigMoney brl={refund.amount} />
      {name !== undefined && (
        <p>
          <FreeText>{t("refunds.toName", { name })}</FreeText>
        </p>
      )}
      <div>
        <RefundState refund={refund} />
        {refund.status === "PENDING" && <p className="small quiet">{t("refunds.pendingText")}</p>}
      </div>
      {refund.status === "PENDING" ? <Costs refund={refund} /> : <WhatRefundDid refund={refund} />}
      <Facts
        facts={[
          [
            t("refunds.payment"),
            <Link key="payment" href={`/charges/${chargeId}`} className="link">
              {refund.externalReference ?? shortId(chargeId)}
            </Link>,
          ],
          [t("refunds.reason"), refund.reason],
          [t("refunds.failure"), refund.failureReason],
          [t("refunds.asked"), stamp(refund.createdAt)],
          [t("refunds.settled"), stamp(refund.refundedAt)],
          [t("refunds.endToEnd"), refund.e2eId && <Id key="e2e">{refund.e2eId}</Id>],
          [
            t("charge.id"),
            <span key="id" className="mono">
              {id}
            </span>,
          ],
        ]}
      />
      <p className="flow-wide">
        <Link href={`/charges/${chargeId}`} className="act">
          {t("refunds.openCharge")}
        </Link>
        <Link href={`/statement?transaction=${id}`} className="act">
          {t("charge.lines")}
        </Link>
      </p>
    </>
  );
}

/** Of a refund under way: what will have left. */
function Costs({ refund: { amount, feeAmount } }: { refund: Refund }) {
  const { t } = useTranslation();
  return (
    <Sums
      lines={[[t("refunds.toPayer"), -amount], ...(feeAmount > 0 ? [[t("refunds.fee"), -feeAmount] as const] : [])]}
      total={[t("refunds.leaves"), -addBrl(amount, feeAmount)]}
    />
  );
}

/** Of a refund that has ended: what it cost with its fee, which is a transaction of its own, as the ledger has it. */
export function WhatRefundDid({
  refund: { originalTransactionId, refundTransactionId: id },
}: {
  refund: Pick<Refund, "originalTransactionId" | "refundTransactionId">;
}) {
  const { t } = useTranslation();
  const lines = useLinesOf({ id: originalTransactionId, type: "payment" });
  return (
    <section>
      <h3 className="small">{t("charge.moneyWent")}</h3>
      <Read query={lines} lines={3}>
        {(read) => (
          <Booked
            lines={read.filter(({ refundTransactionId }) => refundTransactionId === id)}
            total={t("transactions.effect")}
          />
        )}
      </Read>
    </section>
  );
}
