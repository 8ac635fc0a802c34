import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Receipt } from "../charges/receipt.tsx";
import { whyRefused } from "../charges/refusal.ts";
import { showDocument } from "../parts/document.ts";
import { Facts } from "../parts/facts.tsx";
import { Read } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Id } from "../parts/id.tsx";
import { BigMoney } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { Stamp } from "../parts/stamp.tsx";
import { WhatRefundDid } from "../refunds/one.tsx";
import { useSession } from "../session/session.tsx";
import { Booked, isWhole, useLinesOf } from "../statement/booked.tsx";
import { OtherWallet } from "../wallets/other-wallet.tsx";
import { TransactionState, useTypeText } from "./words.tsx";

type Transaction = merchant.Transaction;

/** A transaction: its amount and fee, its data, where it is shown in full, its lines in the ledger. */
export function OneTransaction({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const typeText = useTypeText();
  const query = useQuery({
    queryKey: [...scope, "transaction", id],
    queryFn: () => pixgate.transactions.get(id ?? ""),
    enabled: id !== null,
  });
  return (
    <Panel title={query.data ? typeText(query.data) : t("transactions.one")} opened={id !== null} onClose={onClose}>
      <Read query={query}>{(transaction) => <Details transaction={transaction} />}</Read>
    </Panel>
  );
}

/** What it brought or cost, as the ledger has it; nothing before it is booked. The fee of a refund leaves apart, and is its cost. */
function WhatItDid({ transaction }: { transaction: Transaction }) {
  const { id, type, originalTransactionId } = transaction;
  if (type === "refund" && originalTransactionId !== undefined)
    return <WhatRefundDid refund={{ originalTransactionId, refundTransactionId: id }} />;
  return <WhatLinesDid transaction={transaction} />;
}

function WhatLinesDid({ transaction }: { transaction: Transaction }) {
  const { t } = useTranslation();
  const lines = useLinesOf(transaction);
  const holds = isWhole(transaction.type) || transaction.status === "pending";
  return (
    <Read query={lines} lines={3}>
      {(read) =>
        read.length > 0 && (
          <section>
            <h3 className="small">{t("charge.moneyWent")}</h3>
            <Booked lines={read} total={t("transactions.effect")} holds={holds} />
          </section>
        )
      }
    </Read>
  );
}

/** The screen that says more about it. */
function screenOf(transaction: Transaction): readonly [href: string, text: string] | null {
  const { id, type, originalTransactionId, refundTransactionId } = transaction;
  if (type === "payment") return [`/charges/${id}`, "transactions.openCharge"];
  if (type === "withdrawal") return [`/withdrawals?open=${id}`, "transactions.openWithdrawal"];
  if (type === "refund") return [`/refunds?open=${id}`, "transactions.openRefund"];
  if (type === "fee" && refundTransactionId) return [`/refunds?open=${refundTransactionId}`, "transactions.openRefund"];
  if (type === "chargeback" && originalTransactionId)
    return [`/charges/${originalTransactionId}`, "transactions.openCharge"];
  return null;
}

/** The reference of the payment that it belongs to, which leads there. */
function ofPayment({ originalExternalReference: reference, originalTransactionId: id }: Transaction) {
  if (reference === undefined || id === undefined) return null;
  return (
    <Link key="of" href={`/charges/${id}`} className="link">
      {reference}
    </Link>
  );
}

function Details({ transaction }: { transaction: Transaction }) {
  const { t } = useTranslation();
  const mono = (text: string | undefined) => (text === undefined ? null : <span className="mono">{text}</span>);
  const stamp = (at: string | undefined) => at && <Stamp key={at} at={at} />;
  const screen = screenOf(transaction);
  return (
    <>
      <BigMoney brl={transaction.amount} />
      <div>
        <TransactionState transaction={transaction} />
      </div>
      {transaction.counterpartName !== undefined && (
        <p>
          <FreeText>
            {t(transaction.direction === "in" ? "transactions.from" : "refunds.toName", {
              name: transaction.counterpartName,
            })}
          </FreeText>
        </p>
      )}
      <WhatItDid transaction={transaction} />
      <Facts
        facts={[
          [
            t("transactions.who"),
            transaction.counterpartName === undefined &&
              (transaction.expectedName ??
                (transaction.counterpartSubAccount && <OtherWallet key="who" of={transaction} />)),
          ],
          [t("charge.document"), showDocument(transaction.counterpartDocument)],
          [t("charge.reference"), transaction.externalReference ?? ofPayment(transaction)],
          [t("transactions.created"), stamp(transaction.createdAt)],
          [t("transactions.paid"), stamp(transaction.paidAt)],
          [t("transactions.failure"), whyRefused(transaction, t)],
          [
            t(transaction.type === "refund" ? "refunds.endToEnd" : "charge.endToEnd"),
            transaction.e2eId && <Id key="e2e">{transaction.e2eId}</Id>,
          ],
          [t("charge.id"), mono(transaction.id)],
          [t("charge.metadata"), transaction.metadata && mono(JSON.stringify(transaction.metadata))],
        ]}
      />
      <p className="flow-wide">
        {screen && (
          <Link href={screen[0]} className="act">
            {t(screen[1])}
          </Link>
        )}
        <Link
          href={`/statement?${isWhole(transaction.type) ? "payment" : "transaction"}=${transaction.id}`}
          className="act"
        >
          {t("charge.lines")}
        </Link>
      </p>
      <div>
        <Receipt transaction={transaction} />
      </div>
    </>
  );
}
