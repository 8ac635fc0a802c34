import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { useAddress } from "../parts/filters.tsx";
import { MakingPage, TableList } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { Section } from "../parts/page.tsx";
import type { Column } from "../parts/table.tsx";
import { useSession } from "../session/session.tsx";
import { NewTransfer } from "./new-transfer.tsx";
import { NewWallet } from "./new-wallet.tsx";
import { MAIN, OneWallet } from "./one.tsx";
import { WalletState } from "./state.tsx";

/** A wallet with its balances, where this person may read them. */
type Listed = Pick<merchant.MerchantWalletBalance, "subAccount" | "name" | "status"> &
  Partial<Pick<merchant.MerchantWalletBalance, "available" | "held" | "total">>;

const referenceOf = ({ subAccount }: Listed): string => subAccount ?? MAIN;

/** The account's wallets with their balances, and what moved between them and the one that is shown. */
export default function Wallets() {
  const { t } = useTranslation();
  const { pixgate, account, may } = useSession();
  const address = useAddress();
  const title = t("nav.wallets");
  const columns = useWalletColumns();
  return (
    <MakingPage
      title={title}
      acts={
        may("TRANSFER:WRITE") && (
          <Button variant="default" onClick={() => address.change({ transfer: "1" })}>
            {t("wallets.transfer")}
          </Button>
        )
      }
      make={
        may("SUBACCOUNT:WRITE") && {
          text: t("wallets.new"),
          panel: (opened, close) => <NewWallet opened={opened} onClose={close} />,
        }
      }
    >
      <TableList<Listed>
        caption={title}
        queryKey={[account.accountId, "wallets", "paged"]}
        name={title}
        lines={3}
        read={async (page) => {
          if (may("ACCOUNT:READ") && may("SUBACCOUNT:READ")) return pixgate.balance.list(page).page();
          const { data, nextCursor = null } = await pixgate.subAccounts.list(page).page();
          return { items: data.map((one) => ({ ...one, subAccount: one.reference })), nextCursor };
        }}
        amountOf={({ total = 0 }) => total}
        keyOf={referenceOf}
        empty={t("wallets.empty")}
        panel={(reference, close) => <OneWallet reference={reference} onClose={close} />}
        columns={columns}
      />
      <Transfers />
      <NewTransfer opened={address.get("transfer") !== null} onClose={() => address.change({ transfer: null })} />
    </MakingPage>
  );
}

function useWalletColumns(): readonly Column<Listed>[] {
  const { t } = useTranslation();
  return [
    {
      key: "name",
      title: t("wallets.name"),
      cell: ({ subAccount, name }) => (subAccount === null ? t("shell.mainWallet") : name),
      corner: "who",
    },
    {
      key: "reference",
      title: t("charges.column.reference"),
      cell: (one) => <span className="mono">{referenceOf(one)}</span>,
    },
    stateColumn(t("charges.column.state"), (wallet) => <WalletState wallet={wallet} />),
    {
      key: "held",
      title: t("home.held"),
      end: true,
      className: "quiet",
      cell: ({ held }) => <Money brl={held || null} />,
      corner: "time",
      phone: ({ held }) => (held ? `${t("home.held")} ${showBrl(held)}` : null),
    },
    {
      key: "available",
      title: t("statement.in.available"),
      end: true,
      className: "lead",
      cell: ({ available }) => <Money brl={available} />,
      corner: "amount",
    },
  ];
}

/** Transfers of the wallet that is shown, with a sign from its side. */
function Transfers() {
  const { t } = useTranslation();
  const { pixgate, scope, wallet } = useSession();
  const here = wallet ?? MAIN;
  const nameOf = (reference: string) => (reference === MAIN ? t("shell.mainWallet") : reference);
  const about = ({ externalReference, description }: merchant.Transfer) => externalReference ?? description;
  return (
    <Section title={t("wallets.transfers")} end={nameOf(here)}>
      <TableList<merchant.Transfer>
        caption={t("wallets.transfers")}
        queryKey={[...scope, "transfers"]}
        name={t("wallets.transfers")}
        read={(page) => pixgate.transfers.list(page)}
        keyOf={({ id }) => id}
        empty={t("wallets.noTransfers")}
        hrefOf={({ id }) => `/statement?transaction=${id}`}
        columns={[
          timeColumn(t("charges.column.time"), ({ createdAt }) => createdAt),
          {
            key: "route",
            title: t("wallets.route"),
            cell: ({ from, to }) => `${nameOf(from)} → ${nameOf(to)}`,
            corner: "who",
          },
          {
            key: "reference",
            title: t("charges.column.reference"),
            className: "second",
            cell: (one) => about(one) ?? "–",
            corner: "state",
            phone: about,
          },
          amountColumn(t("charges.column.amount"), ({ from, amount }) => (from === here ? -amount : amount), {
            movement: true,
          }),
        ]}
      />
    </Section>
  );
}
