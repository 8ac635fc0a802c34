import { addBrl, type merchant, type Pixgate, REFUND_STATUSES } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { idNamed } from "../charges/made-by-chip.tsx";
import { EmptyToPaid } from "../charges/to-paid.tsx";
import { showBrl } from "../parts/amount.ts";
import { afterState, amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { CsvButton } from "../parts/csv-button.tsx";
import { ChoiceChip, useAddress, useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { dayOf } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { usePeriod } from "../parts/period.tsx";
import { shortId } from "../parts/short-id.ts";
import type { Column } from "../parts/table.tsx";
import { useSession } from "../session/session.tsx";
import { useThisMonth } from "../statement/this-month.ts";
import { OneRefund } from "./one.tsx";
import { RefundState } from "./state.tsx";

type Refund = merchant.Refund;
type Query = NonNullable<Parameters<Pixgate["refunds"]["listAll"]>[0]>;

/** Payments that go back to who paid, whole or in part. */
export default function Refunds() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const state = useTabs(REFUND_STATUSES, {
    first: t("refunds.all"),
    textOf: (one) => t(`refunds.tab.${one}`),
  });
  const asked = usePeriod("asked", t("refunds.asked"));
  const charge = idNamed(address.get("charge"));
  const query: Query = { status: state.value, from: asked.from, to: asked.to, originalTransactionId: charge };
  const isFiltered = Object.values(query).some((value) => value !== undefined);
  return (
    <ListScreen<Refund>
      title={t("nav.refunds")}
      acts={<Csv query={query} />}
      queryKey={[...scope, "refunds", charge]}
      filters={[state, asked]}
      beside={
        charge && (
          <ChoiceChip name="charge" label={t("refunds.payment")} choices={[{ value: charge, text: shortId(charge) }]} />
        )
      }
      read={(page) => pixgate.refunds.listAll({ ...query, ...page })}
      sumOf={useSums()}
      keyOf={({ refundTransactionId }) => refundTransactionId}
      empty={isFiltered ? t("filters.none") : <NoRefunds />}
      below={
        <p className="small quiet list-lead">
          {t("refunds.lead")}{" "}
          <Link href="/charges?state=completed" className="link">
            {t("refunds.leadLink")}
          </Link>
        </p>
      }
      panel={(id, close) => <OneRefund id={id} onClose={close} />}
      columns={[
        timeColumn(t("refunds.asked"), ({ createdAt }) => createdAt),
        {
          key: "to",
          title: t("refunds.to"),
          cell: ({ counterpartName, reason }) => (
            <>
              <FreeText>{counterpartName ?? "–"}</FreeText>
              {reason && (
                <div className="label">
                  <FreeText>{reason}</FreeText>
                </div>
              )}
            </>
          ),
          corner: "who",
          phone: ({ counterpartName, externalReference }) => counterpartName ?? externalReference ?? "–",
        },
        {
          key: "reference",
          title: t("charges.column.reference"),
          className: "second",
          cell: ({ externalReference }) => externalReference ?? "–",
        },
        stateColumn(t("charges.column.state"), (refund) => <RefundState refund={refund} />, { phone: stateOnPhone }),
        useFeeColumn(),
        amountColumn(t("charges.column.amount"), ({ amount }) => amount),
      ]}
    >
      <ThisMonth />
    </ListScreen>
  );
}

/** What went back this month by the ledger, without the fees, which are lines of their own. Its line is always there. */
function ThisMonth() {
  const { t } = useTranslation();
  const month = useThisMonth();
  const made = month?.items.find(({ type }) => type === "refund");
  return (
    <p className="today second num">
      {month && (
        <>
          {t("refunds.month")}{" "}
          {made === undefined ? (
            t("refunds.monthNone")
          ) : (
            <Link href="/statement?period=thisMonth&type=refund">
              {t("refunds.monthMade", { count: made.count, amount: showBrl(made.out) })}
            </Link>
          )}
        </>
      )}
    </p>
  );
}

/** Nothing was refunded yet: says how that is done. */
function NoRefunds() {
  const { t } = useTranslation();
  return (
    <EmptyToPaid>
      {t("refunds.empty")} {t("refunds.lead")}
    </EmptyToPaid>
  );
}

/** Exactly the rows of the filters as a file. */
function Csv({ query }: { query: Query }) {
  const { pixgate } = useSession();
  return (
    <CsvButton
      file="pixgate-refunds.csv"
      read={(most) => pixgate.refunds.listAll({ ...query, limit: 100 }).toArray(most)}
      head={[
        ...["id", "createdAt", "refundedAt", "payer", "reference", "status", "fee", "amount"],
        ...["createdOn", "refundedOn", "endToEnd", "charge", "reason"],
      ]}
      rowOf={(one) => [
        ...[one.refundTransactionId, new Date(one.createdAt), one.refundedAt ? new Date(one.refundedAt) : undefined],
        ...[one.counterpartName, one.externalReference, one.status, one.feeAmount, one.amount],
        ...[one.createdAt, one.refundedAt].map((at) => (at ? dayOf(new Date(at)) : undefined)),
        ...[one.e2eId, one.originalTransactionId, one.reason],
      ]}
    />
  );
}

/** Without a payer's name the reference stands in its place. */
const stateOnPhone = (refund: Refund) => (
  <>
    <RefundState refund={refund} />
    {refund.counterpartName && afterState(refund.externalReference)}
  </>
);

/** How many refunds there are, with what went back, what is on its way, and the fees; what was not made is no part of a sum. */
function useSums() {
  const { t } = useTranslation();
  return useCounted<Refund>("refunds", (refunds) => {
    const sum = (status: Refund["status"], of: (one: Refund) => number) =>
      addBrl(...refunds.filter((one) => one.status === status).map(of));
    const sums = {
      "refunds.madeSum": sum("CONFIRMED", ({ amount }) => amount),
      "refunds.pendingSum": sum("PENDING", ({ amount }) => amount),
      "refunds.feeSum": sum("CONFIRMED", ({ feeAmount }) => feeAmount),
    };
    return Object.entries(sums).flatMap(([text, brl]) => (brl > 0 ? [t(text, { amount: showBrl(brl) })] : []));
  });
}

/** What each costs beside its amount, once it is made. */
function useFeeColumn(): Column<Refund> {
  const { t } = useTranslation();
  return {
    key: "fee",
    title: t("refunds.fee"),
    end: true,
    className: "quiet",
    cell: ({ status, feeAmount }) => <Money brl={status === "ERROR" ? null : feeAmount} />,
  };
}
