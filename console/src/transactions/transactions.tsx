import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Empty } from "../parts/feedback.tsx";
import { ChoiceChip, PeriodChip, StateTabs, useAddress } from "../parts/filters.tsx";
import { periodStart } from "../parts/instant.ts";
import { PagedList } from "../parts/list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { OneTransaction } from "./one.tsx";
import { TransactionState, TypeText } from "./words.tsx";

type Transaction = merchant.Transaction;
type Query = NonNullable<merchant.TransactionsListData["query"]>;
const STATES = ["pending", "completed", "cancelled", "failed"] as const;
const TYPES = ["payment", "withdrawal", "refund", "internal_transfer", "adjustment"] as const;

/** Everything that comes into the wallet or leaves it. */
export default function Transactions() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const state = address.get("state") as Query["status"] | null;
  const type = address.get("type") as Query["type"] | null;
  const from = periodStart(address.get("created"));
  const query: Query = {
    ...(state && { status: state }),
    ...(type && { type }),
    ...(from !== null && { from }),
  };
  return (
    <Page title={t("nav.transactions")}>
      <StateTabs
        label={t("charges.states")}
        first={t("charges.all")}
        states={STATES}
        textOf={(one) => t(`transactions.tab.${one}`)}
      />
      <div className="chips">
        <ChoiceChip
          name="type"
          label={t("transactions.type")}
          choices={TYPES.map((value) => ({ value, text: t(`transactions.types.${value}`) }))}
        />
        <PeriodChip name="created" label={t("charges.created")} />
      </div>
      <PagedList
        queryKey={[...scope, "transactions", query]}
        read={(cursor, limit) =>
          pixgate.transactions.list({ ...query, limit, ...(cursor !== undefined && { cursor }) }).page()
        }
        keyOf={({ id }) => id}
        empty={<Empty>{t("transactions.empty")}</Empty>}
      >
        {(transactions) => <TransactionTable transactions={transactions} />}
      </PagedList>
      <OneTransaction id={address.get("open")} onClose={() => address.change({ open: null })} />
    </Page>
  );
}

function TransactionTable({ transactions }: { transactions: readonly Transaction[] }) {
  const { t } = useTranslation();
  const address = useAddress();
  const who = (one: Transaction) => one.counterpartName ?? <span className="quiet">–</span>;
  return (
    <Table
      caption={t("nav.transactions")}
      rows={transactions}
      keyOf={({ id }) => id}
      selected={address.get("open")}
      onOpen={({ id }) => address.change({ open: id })}
      columns={[
        {
          key: "time",
          title: t("charges.column.time"),
          className: "quiet",
          cell: ({ createdAt }) => <Moment at={createdAt} />,
        },
        { key: "type", title: t("transactions.type"), cell: (one) => <TypeText type={one.type} /> },
        { key: "who", title: t("transactions.who"), cell: who },
        {
          key: "reference",
          title: t("charges.column.reference"),
          className: "second",
          cell: ({ externalReference }) => externalReference ?? <span className="quiet">–</span>,
        },
        { key: "state", title: t("charges.column.state"), cell: (one) => <TransactionState transaction={one} /> },
        {
          key: "amount",
          title: t("charges.column.amount"),
          end: true,
          cell: (one) => <SignedAmount transaction={one} />,
        },
      ]}
      phone={(one) => [
        one.counterpartName ?? <TypeText key="type" type={one.type} />,
        <SignedAmount key="amount" transaction={one} />,
        <TransactionState key="state" transaction={one} />,
        <Moment key="time" at={one.createdAt} />,
      ]}
    />
  );
}

/** With a sign once the money has moved. */
function SignedAmount({ transaction: { amount, direction, status } }: { transaction: Transaction }) {
  if (status !== "completed" || direction === undefined) return <Money brl={amount} />;
  return <Money brl={direction === "out" ? -amount : amount} movement />;
}
