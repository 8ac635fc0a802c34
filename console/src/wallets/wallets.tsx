import { Button } from "@mantine/core";
import { addBrl, type merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { amountColumn, timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { useAddress } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { MakingPage, TableList } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { Section } from "../parts/page.tsx";
import type { Column } from "../parts/table.tsx";
import { useSession } from "../session/session.tsx";
import { NewTransfer } from "./new-transfer.tsx";
import { NewWallet } from "./new-wallet.tsx";
import { OneWallet } from "./one.tsx";
import { MAIN, useHasOnlyMain, useWalletName } from "./other-wallet.tsx";
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
  const sumOf = useSum();
  const isOnly = useHasOnlyMain();
  return (
    <MakingPage
      title={title}
      acts={
        may("TRANSFER:WRITE") && (
          <Button variant="default" disabled={isOnly} onClick={() => address.change({ transfer: "1" })}>
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
      <p className="second gap-below">{t("wallets.lead")}</p>
      <TableList<Listed>
        caption={title}
        queryKey={[account.accountId, "wallets", "paged"]}
        name={title}
        lines={3}
        read={async (page) => {
          if (may("ACCOUNT:READ") && may("SUBACCOUNT:READ")) {
            const { items, nextCursor } = await pixgate.balance.list(page).page();
            // The main wallet first: it is what everybody asks for.
            return {
              items: items.toSorted((a, b) => Number(b.subAccount === null) - Number(a.subAccount === null)),
              nextCursor,
            };
          }
          const { data, nextCursor = null } = await pixgate.subAccounts.list(page).page();
          return { items: data.map((one) => ({ ...one, subAccount: one.reference })), nextCursor };
        }}
        sumOf={sumOf}
        keyOf={referenceOf}
        empty={t("wallets.empty")}
        panel={(reference, close) => <OneWallet reference={reference} onClose={close} />}
        columns={columns}
      />
      <Transfers isOnly={isOnly} />
      <NewTransfer
        opened={address.get("transfer") !== null}
        to={address.get("transfer")}
        onClose={() => address.change({ transfer: null })}
      />
    </MakingPage>
  );
}

function useWalletColumns(): readonly Column<Listed>[] {
  const { t } = useTranslation();
  return [
    {
      key: "name",
      title: t("wallets.name"),
      className: "lead",
      cell: (wallet) => (
        <>
          <FreeText>{wallet.subAccount === null ? t("shell.mainWallet") : wallet.name}</FreeText>
          {wallet.status !== "approved" && (
            <div className="small">
              <WalletState wallet={wallet} />
            </div>
          )}
        </>
      ),
      corner: "who",
      phone: ({ subAccount, name }) => (subAccount === null ? t("shell.mainWallet") : name),
    },
    {
      key: "reference",
      title: t("charges.column.reference"),
      cell: ({ subAccount }) => (subAccount === null ? "–" : <span className="mono">{subAccount}</span>),
      corner: "state",
      phone: (wallet) => (wallet.status === "approved" ? wallet.subAccount : <WalletState wallet={wallet} />),
    },
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

/** How many there are, and the sums of their balances, for who may read them. */
function useSum() {
  const { t } = useTranslation();
  return useCounted<Listed>("wallets", (wallets) => {
    if (wallets.some(({ available }) => available === undefined)) return [];
    const sum = (of: "available" | "held") => addBrl(...wallets.map((one) => one[of] ?? 0));
    const held = sum("held");
    return [
      t("wallets.availableSum", { amount: showBrl(sum("available")) }),
      ...(held > 0 ? [t("wallets.heldSum", { amount: showBrl(held) })] : []),
    ];
  });
}

/** Transfers of the wallet that is shown, with a sign from its side; `isOnly`: there is no other one to move money to. */
function Transfers({ isOnly }: { isOnly: boolean }) {
  const { t } = useTranslation();
  const { pixgate, scope, wallet } = useSession();
  const here = wallet ?? MAIN;
  const nameOf = useWalletName();
  const counted = useCounted<merchant.Transfer>("transfers");
  const about = ({ externalReference, description }: merchant.Transfer) => externalReference ?? description;
  return (
    <Section title={here === MAIN ? t("wallets.transfersOfMain") : t("wallets.transfersOf", { wallet: nameOf(here) })}>
      <TableList<merchant.Transfer>
        caption={t("wallets.transfers")}
        queryKey={[...scope, "transfers"]}
        name={t("wallets.transfers")}
        read={(page) => pixgate.transfers.list(page)}
        keyOf={({ id }) => id}
        sumOf={counted}
        empty={isOnly ? t("wallets.noOther") : t("wallets.noTransfers")}
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
            title: t("wallets.about"),
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
