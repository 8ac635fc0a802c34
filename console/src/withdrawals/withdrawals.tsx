import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Empty } from "../parts/feedback.tsx";
import { StateTabs, useAddress } from "../parts/filters.tsx";
import { Icon } from "../parts/icon.tsx";
import { PagedList } from "../parts/list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Mark } from "../parts/state.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { NewWithdrawal } from "./new.tsx";
import { OneWithdrawal } from "./one.tsx";
import { useWithdrawalWords } from "./words.ts";

type Withdrawal = merchant.Withdrawal;
const STATES = ["pending", "processing", "completed", "failed", "reversed"] as const;

/** Money that leaves: what is happening to each withdrawal, in two lines. */
export default function Withdrawals() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const address = useAddress();
  const state = address.get("state") as (typeof STATES)[number] | null;
  const make = may("WITHDRAWAL:WRITE") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => address.change({ new: "1" })}>
      {t("withdrawals.new")}
    </Button>
  );
  return (
    <Page title={t("nav.withdrawals")} acts={make}>
      <StateTabs
        label={t("charges.states")}
        first={t("withdrawals.all")}
        states={STATES}
        textOf={(one) => t(`withdrawals.tab.${one}`)}
      />
      <PagedList
        queryKey={[...scope, "withdrawals", state]}
        read={(cursor, limit) =>
          pixgate.withdrawals
            .list({ ...(state !== null && { status: state }), limit, ...(cursor !== undefined && { cursor }) })
            .page()
        }
        amountOf={({ amount }) => amount}
        dueOf={({ nextQueryAt }) => nextQueryAt}
        keyOf={({ id }) => id}
        empty={<Empty>{t("withdrawals.empty")}</Empty>}
      >
        {(withdrawals) => <WithdrawalTable withdrawals={withdrawals} />}
      </PagedList>
      <NewWithdrawal opened={address.get("new") !== null} onClose={() => address.change({ new: null })} />
      <OneWithdrawal id={address.get("open")} onClose={() => address.change({ open: null })} />
    </Page>
  );
}

function WithdrawalTable({ withdrawals }: { withdrawals: readonly Withdrawal[] }) {
  const { t } = useTranslation();
  const address = useAddress();
  const columns: readonly Column<Withdrawal>[] = [
    {
      key: "time",
      title: t("withdrawals.asked"),
      className: "quiet",
      cell: ({ createdAt }) => <Moment at={createdAt} />,
    },
    {
      key: "to",
      title: t("withdrawals.to"),
      cell: ({ snapshotHolderName, snapshotPixKey }) => (
        <>
          {snapshotHolderName}
          <div className="label">{snapshotPixKey}</div>
        </>
      ),
    },
    { key: "state", title: t("withdrawals.happening"), cell: (one) => <Words withdrawal={one} /> },
    {
      key: "amount",
      title: t("withdrawals.leaves"),
      end: true,
      className: "lead",
      cell: ({ amount }) => <Money brl={amount} />,
    },
  ];
  return (
    <Table
      caption={t("nav.withdrawals")}
      columns={columns}
      rows={withdrawals}
      keyOf={({ id }) => id}
      onOpen={({ id }) => address.change({ open: id })}
      selected={address.get("open")}
      phone={(one) => [
        one.snapshotHolderName,
        <Money key="amount" brl={one.amount} />,
        <Words key="words" withdrawal={one} />,
        <Moment key="time" at={one.createdAt} />,
      ]}
    />
  );
}

function Words({ withdrawal }: { withdrawal: Withdrawal }) {
  const { shape, state, detail } = useWithdrawalWords(withdrawal);
  return (
    <span className="state" style={{ alignItems: "baseline", padding: "8px 0" }}>
      <Mark shape={shape} />
      <span>
        {state}
        {detail && (
          <span className="wide-only">
            <span className="label" style={{ display: "block" }}>
              {detail}
            </span>
          </span>
        )}
      </span>
    </span>
  );
}
