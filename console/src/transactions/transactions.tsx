import { useMediaQuery } from "@mantine/hooks";
import { addBrl, type merchant, TRANSACTION_STATUSES, TRANSACTION_TYPES } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { FirstCharge } from "../charges/first-charge.tsx";
import { AmountChip, amountNamed, ReferenceChip, referenceNamed } from "../charges/typed-chips.tsx";
import { showBrl } from "../parts/amount.ts";
import { afterState, stateColumn, timeColumn } from "../parts/columns.tsx";
import { CsvButton } from "../parts/csv-button.tsx";
import { Empty } from "../parts/feedback.tsx";
import { useAddress, useChoice, useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { dayOf } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { usePeriod } from "../parts/period.tsx";
import type { Column } from "../parts/table.tsx";
import { useSession } from "../session/session.tsx";
import { useThisMonth } from "../statement/this-month.ts";
import { OtherWallet } from "../wallets/other-wallet.tsx";
import { OneTransaction } from "./one.tsx";
import { TransactionState, TypeText } from "./words.tsx";

type Transaction = merchant.Transaction;
type Query = NonNullable<merchant.TransactionsListData["query"]>;

/** Whom these are with, the API does not always name. */
const UNNAMED: ReadonlySet<string> = new Set(["internal_transfer", "refund", "chargeback"]);

/** Everything that comes into the wallet or leaves it. */
export default function Transactions() {
  const { t } = useTranslation();
  const { pixgate, scope, session } = useSession();
  const state = useTabs(TRANSACTION_STATUSES, { textOf: (one) => t(`transactions.tab.${one}`) });
  const type = useChoice("type", t("transactions.type"), TRANSACTION_TYPES, (one) => t(`transactions.types.${one}`));
  const created = usePeriod("created", t("charges.created"));
  const address = useAddress();
  const query: Query = {
    ...{ status: state.value, type: type.value, from: created.from, to: created.to },
    externalReference: referenceNamed(address.get("reference")) ?? undefined,
    minAmount: amountNamed(address.get("min")) ?? undefined,
    maxAmount: amountNamed(address.get("max")) ?? undefined,
  };
  const isFiltered = Object.values(query).some((value) => value !== undefined);
  return (
    <ListScreen<Transaction>
      title={t("nav.transactions")}
      acts={<Csv query={query} />}
      queryKey={[...scope, "transactions", query]}
      filters={[state, type, created]}
      beside={
        <>
          <ReferenceChip />
          <AmountChip />
        </>
      }
      read={(page) => pixgate.transactions.list({ ...page, ...query })}
      keyOf={({ id }) => id}
      sumOf={useSum()}
      empty={
        isFiltered ? (
          t("filters.none")
        ) : (
          <Empty act={<FirstCharge />}>
            {t(session.environment === "sandbox" ? "transactions.emptySandbox" : "transactions.empty")}
          </Empty>
        )
      }
      panel={(id, close) => <OneTransaction id={id} onClose={close} />}
      columns={useTransactionColumns()}
    >
      <ThisMonth />
    </ListScreen>
  );
}

/** The merchant's reference; of what belongs to a payment, that of the payment. */
const referenceOf = ({ externalReference, originalExternalReference }: Transaction): string | undefined =>
  externalReference ?? originalExternalReference;

/** Its reference, or what it was for; a fee's description is the gateway's own, in English. */
const aboutOf = (one: Transaction): string | undefined =>
  referenceOf(one) ?? (one.type === "fee" ? undefined : one.description);

function useTransactionColumns(): readonly Column<Transaction>[] {
  const { t } = useTranslation();
  const isNarrow = useMediaQuery("(max-width: 1100px)", undefined, { getInitialValueInEffect: false });
  const none = <span className="quiet">–</span>;
  return [
    timeColumn(t("charges.column.time"), ({ createdAt }) => createdAt),
    { key: "type", title: t("transactions.type"), cell: (one) => <TypeText of={one} /> },
    {
      key: "who",
      title: t("transactions.who"),
      cell: (one) => {
        const { counterpartName, expectedName, type } = one;
        if (counterpartName === undefined && expectedName !== undefined) return <Expected name={expectedName} />;
        const unnamed = UNNAMED.has(type) ? t(`transactions.unnamed.${type}`) : none;
        return counterpartName ?? <OtherWallet of={one} otherwise={unnamed} />;
      },
      corner: "who",
      phone: (one) =>
        one.counterpartName ?? (one.expectedName ? <Expected name={one.expectedName} /> : <TypeText of={one} />),
    },
    {
      key: "reference",
      title: t("charges.column.reference"),
      className: "second",
      cell: (one) => <FreeText>{aboutOf(one) ?? "–"}</FreeText>,
    },
    {
      ...stateColumn<Transaction>(t("charges.column.state"), (one) => <TransactionState transaction={one} />),
      // First the state, which must not be cut off. What has no counterpart says its type above.
      phone: (one) => (
        <>
          <TransactionState transaction={one} />
          {(one.counterpartName ?? one.expectedName) && (
            <>
              {" · "}
              <TypeText of={one} />
            </>
          )}
          <OtherWallet of={one} before=" · " />
          {afterState(aboutOf(one))}
        </>
      ),
    },
    {
      key: "fee",
      title: t("charges.column.fee"),
      isPhoneOnly: isNarrow,
      end: true,
      className: "quiet",
      cell: (one) => <Money brl={one.status === "completed" && feeOf(one) > 0 ? feeOf(one) : null} />,
    },
    {
      key: "amount",
      title: t("charges.column.amount"),
      end: true,
      cell: (one) => <SignedAmount transaction={one} />,
      corner: "amount",
    },
  ];
}

/** Who is to pay or to receive. */
const Expected = ({ name }: { name: string }) => (
  <span className="quiet">
    <FreeText>{name}</FreeText>
  </span>
);

/** What came in and what went out this month, as the monthly close has it, which says more. Its line is always there. */
function ThisMonth() {
  const { t } = useTranslation();
  const data = useThisMonth();
  const sum = (side: "in" | "out") => showBrl(addBrl(0, ...(data?.items ?? []).map((item) => item[side])));
  return (
    <p className="today second num">
      {data && (
        <>
          {t("transactions.month")}{" "}
          <Link href="/statement/closing">{t("transactions.cameAndWent", { came: sum("in"), went: sum("out") })}</Link>
        </>
      )}
    </p>
  );
}

/**
 * How many there are, and what those of them that are completed brought and took, as the monthly close counts it: what went out has
 * every fee and tax in it. Those of a payment are no transactions of their own, that of a withdrawal is in its amount.
 */
function useSum() {
  const { t } = useTranslation();
  return (transactions: readonly Transaction[], isWhole: boolean): string => {
    const completed = transactions.filter(({ status }) => status === "completed");
    const sumOf = (of: (one: Transaction) => number) => addBrl(0, ...completed.map(of));
    const inside = (text: string, brl: number) => (brl === 0 ? [] : [t(text, { amount: showBrl(brl) })]);
    const came = sumOf(({ direction, amount }) => (direction === "in" ? amount : 0));
    const went = sumOf((one) => (one.direction === "out" ? one.amount : one.type === "payment" ? keptOf(one) : 0));
    const what = [
      ...inside(
        "transactions.fees",
        sumOf((one) => (one.type === "fee" ? one.amount : feeOf(one))),
      ),
      ...inside(
        "transactions.withheld",
        sumOf(({ withheldAmount = 0 }) => withheldAmount),
      ),
    ].join(" + ");
    const sum = t("transactions.sum", { count: transactions.length, came: showBrl(came), went: showBrl(went) });
    const shown = what === "" ? sum : t("transactions.including", { shown: sum, what });
    return isWhole ? shown : t("statement.andMore", { shown });
  };
}

/** The fee that is no transaction of its own; that of a refund is one. */
const feeOf = ({ type, feeAmount = 0 }: Transaction): number =>
  type === "payment" || type === "withdrawal" ? feeAmount : 0;
/** What of a payment's amount was kept: its fee and its tax. */
const keptOf = ({ feeAmount = 0, withheldAmount = 0 }: Transaction): number => addBrl(feeAmount, withheldAmount);

/** Exactly the rows of the filters as a file. */
function Csv({ query }: { query: Query }) {
  const { pixgate } = useSession();
  return (
    <CsvButton
      file="pixgate-transactions.csv"
      read={(most) => pixgate.transactions.list({ ...query, limit: 100 }).toArray(most)}
      head={[
        ...["id", "createdAt", "paidAt", "type", "direction", "counterpart", "reference", "status", "fee", "net"],
        ...["amount", "createdOn", "endToEnd", "payment"],
      ]}
      rowOf={(one) => [
        ...[one.id, new Date(one.createdAt), one.paidAt ? new Date(one.paidAt) : undefined, one.type, one.direction],
        ...[one.counterpartName ?? one.counterpartSubAccount, referenceOf(one), one.status, one.feeAmount],
        ...[one.netAmount, one.amount, dayOf(new Date(one.createdAt)), one.e2eId, one.originalTransactionId],
      ]}
    />
  );
}

/** With a sign once the money has moved. */
function SignedAmount({ transaction: { amount, direction, status } }: { transaction: Transaction }) {
  if (status !== "completed" || direction === undefined) {
    return (
      <span className="quiet">
        <Money brl={amount} />
      </span>
    );
  }
  return <Money brl={direction === "out" ? -amount : amount} movement />;
}
