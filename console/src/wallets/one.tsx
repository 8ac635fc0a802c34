import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useChange } from "../parts/change.ts";
import { showDocument } from "../parts/document.ts";
import { Facts } from "../parts/facts.tsx";
import { Failure, Read } from "../parts/feedback.tsx";
import { useAddress } from "../parts/filters.tsx";
import { BigMoney, Money } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { MAIN } from "./other-wallet.tsx";
import { WalletState } from "./state.tsx";

/** A wallet: its balance, whose it is; moving money, its statement, suspending it. */
export function OneWallet({ reference, onClose }: { reference: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, account } = useSession();
  const query = useQuery({
    queryKey: [account.accountId, "wallet", reference],
    queryFn: () => pixgate.subAccounts.get(reference ?? ""),
    enabled: reference !== null && reference !== MAIN,
  });
  const name = reference === MAIN ? t("shell.mainWallet") : query.data?.name;
  return (
    <Panel title={name ?? t("wallets.one")} opened={reference !== null} onClose={onClose}>
      {reference === MAIN ? (
        <>
          <Balance reference={MAIN} />
          <Use wallet={null} />
        </>
      ) : (
        <Read query={query}>{(wallet) => <Details wallet={wallet} />}</Read>
      )}
    </Panel>
  );
}

/** What is in a wallet, for people who may read it. */
function Balance({ reference }: { reference: string }) {
  const { t } = useTranslation();
  const { pixgate, account, may } = useSession();
  const balance = useQuery({
    queryKey: [account.accountId, "wallet", reference, "balance"],
    queryFn: () => pixgate.subAccount(reference).account.get(),
    enabled: may("ACCOUNT:READ"),
  });
  if (!may("ACCOUNT:READ")) return null;
  return (
    <Read query={balance} lines={2}>
      {({ balance: { available, held } }) => (
        <div>
          <p className="small quiet">{t("statement.in.available")}</p>
          <BigMoney brl={available.amountFormatted} />
          {held.amountFormatted > 0 && (
            <p className="small second">
              {t("home.held")} <Money brl={held.amountFormatted} />
            </p>
          )}
        </div>
      )}
    </Read>
  );
}

/** What is done with a wallet: money to it or from it, and its statement, for which every screen changes to it; null: the main one. */
function Use({ wallet }: { wallet: string | null }) {
  const { t } = useTranslation();
  const { account, choose, may, wallet: shown } = useSession();
  const address = useAddress();
  const [, go] = useLocation();
  const show = () => choose(account.accountId, wallet);
  const isShown = shown === wallet;
  return (
    <div className="flow">
      {may("TRANSFER:WRITE") && (
        <Button onClick={() => address.change({ open: null, transfer: isShown ? "1" : (wallet ?? MAIN) })}>
          {t(isShown ? "wallets.transfer" : "wallets.transferTo")}
        </Button>
      )}
      {may("ACCOUNT:READ") ? (
        <Button
          variant="default"
          onClick={() => {
            show();
            go("/statement");
          }}
        >
          {t(isShown ? "nav.statement" : "wallets.statement")}
        </Button>
      ) : (
        !isShown && (
          <Button variant="default" onClick={show}>
            {t("wallets.show")}
          </Button>
        )
      )}
      {!isShown && <p className="small second">{t("wallets.showText")}</p>}
    </div>
  );
}

function Details({ wallet }: { wallet: merchant.SubAccount }) {
  const { t } = useTranslation();
  const { pixgate, may } = useSession();
  const active = wallet.status === "approved";
  const change = useChange((status: merchant.SubAccount["status"]) =>
    pixgate.subAccounts.update(wallet.reference, { status }),
  );
  return (
    <>
      {active && <Balance reference={wallet.reference} />}
      <WalletState wallet={wallet} />
      <Facts
        facts={[
          [
            t("charges.column.reference"),
            <span key="reference" className="mono">
              {wallet.reference}
            </span>,
          ],
          [t("charge.document"), showDocument(wallet.document)],
          [t("wallets.opened"), <Moment key="opened" at={wallet.createdAt} />],
        ]}
      />
      {active && <Use wallet={wallet.reference} />}
      {may("SUBACCOUNT:WRITE") && wallet.suspendedBy !== "operator" && (
        <>
          <p className="note">{active ? t("wallets.suspendText") : t("wallets.approveText")}</p>
          {change.error && <Failure error={change.error} />}
          <Button
            variant="default"
            loading={change.isPending}
            onClick={() => change.mutate(active ? "suspended" : "approved")}
          >
            {active ? t("wallets.suspend", { name: wallet.name }) : t("wallets.approve", { name: wallet.name })}
          </Button>
        </>
      )}
      {wallet.suspendedBy === "operator" && <p className="note">{t("wallets.byOperator")}</p>}
    </>
  );
}
