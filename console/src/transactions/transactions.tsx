import { addBrl, type merchant, TRANSACTION_STATUSES, TRANSACTION_TYPES } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { stateColumn, timeColumn } from "../parts/columns.tsx";
import { useChoice, useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { usePeriod } from "../parts/period.tsx";
import { useSession } from "../session/session.tsx";
import { OneTransaction } from "./one.tsx";
import { TransactionState, TypeText } from "./words.tsx";

type Transaction = merchant.Transaction;

/** Everything that comes into the wallet or leaves it. */
export default function Transactions() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const state = useTabs(TRANSACTION_STATUSES, { textOf: (one) => t(`transactions.tab.${one}`) });
  const type = useChoice("type", t("transactions.type"), TRANSACTION_TYPES, (one) => t(`transactions.types.${one}`));
  const created = usePeriod("created", t("charges.created"));
  const none = <span className="quiet">–</span>;
  return (
    <ListScreen<Transaction>
      title={t("nav.transactions")}
      queryKey={[...scope, "transactions"]}
      filters={[state, type, created]}
      read={(page) =>
        pixgate.transactions.list({
          ...page,
          status: state.value,
          type: type.value,
          from: created.from,
          to: created.to,
        })
      }
      keyOf={({ id }) => id}
      sumOf={useSum()}
      empty={t("transactions.empty")}
      panel={(id, close) => <OneTransaction id={id} onClose={close} />}
      columns={[
        timeColumn(t("charges.column.time"), ({ createdAt }) => createdAt),
        { key: "type", title: t("transactions.type"), cell: (one) => <TypeText type={one.type} /> },
        {
          key: "who",
          title: t("transactions.who"),
          cell: ({ counterpartName }) => counterpartName ?? none,
          corner: "who",
          phone: ({ counterpartName, type }) => counterpartName ?? <TypeText type={type} />,
        },
        {
          key: "reference",
          title: t("charges.column.reference"),
          className: "second",
          cell: ({ externalReference, description }) => <FreeText>{externalReference ?? description ?? "–"}</FreeText>,
        },
        {
          ...stateColumn<Transaction>(t("charges.column.state"), (one) => <TransactionState transaction={one} />),
          phone: (one) => (
            <>
              <TypeText type={one.type} /> · <TransactionState transaction={one} />
            </>
          ),
        },
        {
          key: "amount",
          title: t("charges.column.amount"),
          end: true,
          cell: (one) => <SignedAmount transaction={one} />,
          corner: "amount",
        },
      ]}
    />
  );
}

/** How many there are, and what those of them that are completed brought and took. */
function useSum() {
  const { t } = useTranslation();
  return (transactions: readonly Transaction[], isWhole: boolean): string => {
    const sumOf = (direction: Transaction["direction"]) =>
      addBrl(
        ...transactions
          .filter((one) => one.status === "completed" && one.direction === direction)
          .map(({ amount }) => amount),
      );
    const shown = t("transactions.sum", {
      ...{ count: transactions.length, came: showBrl(sumOf("in")), went: showBrl(sumOf("out")) },
    });
    return isWhole ? shown : t("statement.andMore", { shown });
  };
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
