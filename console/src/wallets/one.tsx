import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { showDocument } from "../parts/document.ts";
import { Facts } from "../parts/facts.tsx";
import { Failure, Read } from "../parts/feedback.tsx";
import { BigMoney, Money } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { WalletState } from "./state.tsx";

/** A wallet: its balance, whose it is; showing it in every screen, suspending it. */
export function OneWallet({ reference, onClose }: { reference: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { pixgate, account } = useSession();
  const query = useQuery({
    queryKey: [account.accountId, "wallet", reference],
    queryFn: () => pixgate.subAccounts.get(reference ?? ""),
    enabled: reference !== null,
  });
  return (
    <Panel title={query.data?.name ?? t("wallets.one")} opened={reference !== null} onClose={onClose}>
      <Read query={query}>{(wallet) => <Details wallet={wallet} />}</Read>
    </Panel>
  );
}

function Details({ wallet }: { wallet: merchant.SubAccount }) {
  const { t } = useTranslation();
  const { pixgate, account, choose, may } = useSession();
  const active = wallet.status === "approved";
  const balance = useQuery({
    queryKey: [account.accountId, "wallet", wallet.reference, "balance"],
    queryFn: () => pixgate.subAccount(wallet.reference).account.get(),
    enabled: active && may("ACCOUNT:READ"),
  });
  const change = useChange((status: merchant.SubAccount["status"]) =>
    pixgate.subAccounts.update(wallet.reference, { status }),
  );
  return (
    <>
      {active && may("ACCOUNT:READ") && (
        <Read query={balance} lines={2}>
          {({ balance: { available, held } }) => (
            <>
              <BigMoney brl={available.amountFormatted} />
              <p className="small second">
                {t("home.held")} <Money brl={held.amountFormatted} />
              </p>
            </>
          )}
        </Read>
      )}
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
      {active && (
        <Button variant="default" onClick={() => choose(account.accountId, wallet.reference)}>
          {t("wallets.show")}
        </Button>
      )}
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
