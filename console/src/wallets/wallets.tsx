import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Empty } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { Icon } from "../parts/icon.tsx";
import { PagedList } from "../parts/list.tsx";
import { Money } from "../parts/money.tsx";
import { Page, Section } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { NewTransfer } from "./new-transfer.tsx";
import { NewWallet } from "./new-wallet.tsx";
import { OneWallet } from "./one.tsx";
import { WalletState } from "./state.tsx";

/** The account's wallets, and what moved between them and the one that is shown. */
export default function Wallets() {
  const { t } = useTranslation();
  const { may } = useSession();
  const address = useAddress();
  return (
    <Page
      title={t("nav.wallets")}
      acts={
        <>
          {may("TRANSFER:WRITE") && (
            <Button variant="default" onClick={() => address.change({ transfer: "1" })}>
              {t("wallets.transfer")}
            </Button>
          )}
          {may("SUBACCOUNT:WRITE") && (
            <Button leftSection={<Icon name="plus" />} onClick={() => address.change({ new: "1" })}>
              {t("wallets.new")}
            </Button>
          )}
        </>
      }
    >
      <WalletList />
      <Transfers />
      <NewWallet opened={address.get("new") !== null} onClose={() => address.change({ new: null })} />
      <NewTransfer opened={address.get("transfer") !== null} onClose={() => address.change({ transfer: null })} />
      <OneWallet reference={address.get("open")} onClose={() => address.change({ open: null })} />
    </Page>
  );
}

function WalletList() {
  const { t } = useTranslation();
  const { pixgate, account } = useSession();
  const address = useAddress();
  return (
    <PagedList
      queryKey={[account.accountId, "wallets", "paged"]}
      name={t("nav.wallets")}
      lines={3}
      read={async (cursor, limit) => {
        const { data, nextCursor = null } = await pixgate.subAccounts
          .list({ limit, ...(cursor !== undefined && { cursor }) })
          .page();
        return { items: data, nextCursor };
      }}
      keyOf={({ reference }) => reference}
      empty={<Empty>{t("wallets.empty")}</Empty>}
    >
      {(wallets) => (
        <Table
          caption={t("nav.wallets")}
          rows={wallets}
          keyOf={({ reference }) => reference}
          selected={address.get("open")}
          onOpen={({ reference }) => address.change({ open: reference })}
          columns={[
            { key: "name", title: t("wallets.name"), cell: ({ name }) => name },
            {
              key: "reference",
              title: t("charges.column.reference"),
              cell: ({ reference }) => <span className="mono">{reference}</span>,
            },
            { key: "state", title: t("charges.column.state"), cell: (wallet) => <WalletState wallet={wallet} /> },
            {
              key: "time",
              title: t("wallets.opened"),
              end: true,
              className: "quiet",
              cell: ({ createdAt }) => <Moment at={createdAt} />,
            },
          ]}
          phone={(wallet) => [
            wallet.name,
            <span key="reference" className="mono">
              {wallet.reference}
            </span>,
            <WalletState key="state" wallet={wallet} />,
            <Moment key="time" at={wallet.createdAt} />,
          ]}
        />
      )}
    </PagedList>
  );
}

/** Transfers of the wallet that is shown, with a sign from its side. */
function Transfers() {
  const { t } = useTranslation();
  const { pixgate, scope, wallet } = useSession();
  const here = wallet ?? "principal";
  const nameOf = (reference: string) => (reference === "principal" ? t("shell.mainWallet") : reference);
  const signed = ({ from, amount }: merchant.Transfer) => (from === here ? -amount : amount);
  const route = ({ from, to }: merchant.Transfer) => `${nameOf(from)} → ${nameOf(to)}`;
  return (
    <Section title={t("wallets.transfers")} end={nameOf(here)}>
      <PagedList
        queryKey={[...scope, "transfers"]}
        name={t("wallets.transfers")}
        read={(cursor, limit) => pixgate.transfers.list({ limit, ...(cursor !== undefined && { cursor }) }).page()}
        keyOf={({ id }) => id}
        empty={<Empty>{t("wallets.noTransfers")}</Empty>}
      >
        {(transfers) => (
          <Table
            caption={t("wallets.transfers")}
            rows={transfers}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => `/statement?transaction=${id}`}
            columns={[
              {
                key: "time",
                title: t("charges.column.time"),
                className: "quiet",
                cell: ({ createdAt }) => <Moment at={createdAt} />,
              },
              { key: "route", title: t("wallets.route"), cell: route },
              {
                key: "reference",
                title: t("charges.column.reference"),
                className: "second",
                cell: ({ externalReference, description }) => externalReference ?? description ?? "–",
              },
              {
                key: "amount",
                title: t("charges.column.amount"),
                end: true,
                cell: (one) => <Money brl={signed(one)} movement />,
              },
            ]}
            phone={(one) => [
              route(one),
              <Money key="amount" brl={signed(one)} movement />,
              one.externalReference ?? one.description ?? "",
              <Moment key="time" at={one.createdAt} />,
            ]}
          />
        )}
      </PagedList>
    </Section>
  );
}
