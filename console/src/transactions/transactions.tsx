import { addBrl, type merchant, TRANSACTION_STATUSES, TRANSACTION_TYPES } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Today } from "../charges/today.tsx";
import { showBrl } from "../parts/amount.ts";
import { stateColumn, timeColumn } from "../parts/columns.tsx";
import { useChoice, useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { usePeriod } from "../parts/period.tsx";
import type { Column } from "../parts/table.tsx";
import { useSession } from "../session/session.tsx";
import { OtherWallet } from "../wallets/other-wallet.tsx";
import { OneTransaction } from "./one.tsx";
import { RefundedTo } from "./refunded-to.tsx";
import { TransactionState, TypeText } from "./words.tsx";

type Transaction = merchant.Transaction;

/** Whom these are with, the API does not name. */
const UNNAMED: ReadonlySet<string> = new Set(["internal_transfer", "refund", "chargeback"]);

/** Everything that comes into the wallet or leaves it. */
export default function Transactions() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const state = useTabs(TRANSACTION_STATUSES, { textOf: (one) => t(`transactions.tab.${one}`) });
  const type = useChoice("type", t("transactions.type"), TRANSACTION_TYPES, (one) => t(`transactions.types.${one}`));
  const created = usePeriod("created", t("charges.created"));
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
      columns={useTransactionColumns()}
    >
      <Today />
    </ListScreen>
  );
}

function useTransactionColumns(): readonly Column<Transaction>[] {
  const { t } = useTranslation();
  const none = <span className="quiet">–</span>;
  return [
    timeColumn(t("charges.column.time"), ({ createdAt }) => createdAt),
    { key: "type", title: t("transactions.type"), cell: (one) => <TypeText of={one} /> },
    {
      key: "who",
      title: t("transactions.who"),
      cell: (one) => {
        const { counterpartName, type } = one;
        const unnamed = UNNAMED.has(type) ? t(`transactions.unnamed.${type}`) : null;
        if (type === "internal_transfer") return <OtherWallet of={one} otherwise={unnamed ?? ""} />;
        if (type === "refund") return <RefundedTo of={one} otherwise={unnamed ?? ""} />;
        return counterpartName ?? unnamed ?? none;
      },
      corner: "who",
      phone: (one) => one.counterpartName ?? <TypeText of={one} />,
    },
    {
      key: "reference",
      title: t("charges.column.reference"),
      className: "second",
      // A fee's description is the gateway's own, in English.
      cell: ({ type, externalReference, description }) => (
        <FreeText>{externalReference ?? (type === "fee" ? undefined : description) ?? "–"}</FreeText>
      ),
    },
    {
      ...stateColumn<Transaction>(t("charges.column.state"), (one) => <TransactionState transaction={one} />),
      // First the state, which must not be cut off. What has no counterpart says its type above.
      phone: (one) => (
        <>
          <TransactionState transaction={one} />
          {one.counterpartName && (
            <>
              {" · "}
              <TypeText of={one} />
            </>
          )}
          <OtherWallet of={one} before=" · " />
          {one.type === "refund" && <RefundedTo of={one} before=" · " />}
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
  ];
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
