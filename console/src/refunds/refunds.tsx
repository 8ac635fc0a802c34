import { addBrl, type merchant, REFUND_STATUSES } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { idNamed } from "../charges/made-by-chip.tsx";
import { showBrl } from "../parts/amount.ts";
import { amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { CsvButton } from "../parts/csv-button.tsx";
import { ChoiceChip, useAddress, useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { dayOf } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { usePeriod } from "../parts/period.tsx";
import { shortId } from "../parts/short-id.ts";
import { useSession } from "../session/session.tsx";
import { OneRefund } from "./one.tsx";
import { RefundState } from "./state.tsx";

type Refund = merchant.Refund;

/** Payments that go back to who paid, whole or in part. */
export default function Refunds() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const state = useTabs(REFUND_STATUSES, {
    first: t("refunds.all"),
    textOf: (one) => t(`refunds.tab.${one}`),
  });
  const sumOf = useCounted<Refund>("refunds", (refunds) => [showBrl(addBrl(...refunds.map(({ amount }) => amount)))]);
  const asked = usePeriod("asked", t("refunds.asked"));
  const charge = idNamed(address.get("charge"));
  const query = { status: state.value, from: asked.from, to: asked.to, originalTransactionId: charge };
  return (
    <ListScreen<Refund>
      title={t("nav.refunds")}
      acts={
        <CsvButton
          file="pixgate-refunds.csv"
          read={(most) => pixgate.refunds.listAll({ ...query, limit: 100 }).toArray(most)}
          head={[
            ...["id", "createdAt", "refundedAt", "payer", "reference", "status", "fee", "amount"],
            ...["createdOn", "refundedOn", "endToEnd", "charge", "reason"],
          ]}
          rowOf={(one) => [
            ...[
              one.refundTransactionId,
              new Date(one.createdAt),
              one.refundedAt ? new Date(one.refundedAt) : undefined,
            ],
            ...[one.counterpartName, one.externalReference, one.status, one.feeAmount, one.amount],
            ...[one.createdAt, one.refundedAt].map((at) => (at ? dayOf(new Date(at)) : undefined)),
            ...[one.e2eId, one.originalTransactionId, one.reason],
          ]}
        />
      }
      queryKey={[...scope, "refunds", charge]}
      filters={[state, asked]}
      beside={
        charge && (
          <ChoiceChip name="charge" label={t("refunds.payment")} choices={[{ value: charge, text: shortId(charge) }]} />
        )
      }
      read={(page) => pixgate.refunds.listAll({ ...query, ...page })}
      sumOf={sumOf}
      keyOf={({ refundTransactionId }) => refundTransactionId}
      empty={t("refunds.empty")}
      panel={(id, close) => <OneRefund id={id} onClose={close} />}
      columns={[
        timeColumn(t("refunds.asked"), ({ createdAt }) => createdAt),
        {
          key: "to",
          title: t("refunds.to"),
          cell: ({ counterpartName }) => (counterpartName ? <FreeText>{counterpartName}</FreeText> : "–"),
          corner: "who",
          phone: ({ counterpartName, externalReference }) => counterpartName ?? externalReference ?? "–",
        },
        {
          key: "reference",
          title: t("charges.column.reference"),
          className: "second",
          cell: ({ externalReference }) => externalReference ?? "–",
        },
        stateColumn(t("charges.column.state"), (refund) => <RefundState refund={refund} />),
        amountColumn(t("charges.column.amount"), ({ amount }) => amount),
      ]}
    />
  );
}
