import "./withdrawals.css";
import { Button } from "@mantine/core";
import { type merchant, WITHDRAWAL_STATUSES } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { showKey } from "../parts/document.ts";
import { useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import { usePeriod } from "../parts/period.tsx";
import { Mark } from "../parts/state.tsx";
import { useSession } from "../session/session.tsx";
import { NewWithdrawal } from "./new.tsx";
import { OneWithdrawal } from "./one.tsx";
import { useWithdrawalWords } from "./words.ts";

type Withdrawal = merchant.Withdrawal;

/** Money that leaves: what is happening to each withdrawal, in two lines. */
export default function Withdrawals() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const state = useTabs(WITHDRAWAL_STATUSES, {
    first: t("withdrawals.all"),
    textOf: (one) => t(`withdrawals.tab.${one}`),
  });
  const asked = usePeriod("asked", t("withdrawals.asked"));
  return (
    <ListScreen<Withdrawal>
      title={t("nav.withdrawals")}
      make={
        may("WITHDRAWAL:WRITE") && {
          text: t("withdrawals.new"),
          panel: (opened, close) => <NewWithdrawal opened={opened} onClose={close} />,
        }
      }
      acts={
        may("WITHDRAWAL:WRITE") && (
          <Button variant="default" component={Link} href="/withdrawals/file">
            {t("payoutFile.act")}
          </Button>
        )
      }
      queryKey={[...scope, "withdrawals"]}
      filters={[state, asked]}
      read={(page) => pixgate.withdrawals.list({ ...page, status: state.value, from: asked.from, to: asked.to })}
      amountOf={({ amount }) => amount}
      dueOf={({ nextQueryAt }) => nextQueryAt}
      keyOf={({ id }) => id}
      empty={t("withdrawals.empty")}
      panel={(id, close) => <OneWithdrawal id={id} onClose={close} />}
      columns={[
        timeColumn(t("withdrawals.asked"), ({ createdAt }) => createdAt),
        {
          key: "to",
          title: t("withdrawals.to"),
          cell: ({ snapshotHolderName, snapshotPixKey, snapshotPixKeyType }) => (
            <>
              <FreeText>{snapshotHolderName}</FreeText>
              <div className="label">
                {t(`newWithdrawal.type.${snapshotPixKeyType}`, { defaultValue: "" })}{" "}
                {showKey(snapshotPixKeyType, snapshotPixKey)}
              </div>
            </>
          ),
          corner: "who",
          phone: ({ snapshotHolderName }) => snapshotHolderName,
        },
        stateColumn(t("withdrawals.happening"), (one) => <Words withdrawal={one} />),
        amountColumn(t("withdrawals.leaves"), ({ amount }) => amount),
      ]}
    />
  );
}

function Words({ withdrawal }: { withdrawal: Withdrawal }) {
  const { shape, state, detail } = useWithdrawalWords(withdrawal);
  return (
    <span className="state state-line">
      <Mark shape={shape} />
      <span>
        {state}
        {detail && (
          <span className="wide-only">
            <span className="label block">{detail}</span>
          </span>
        )}
      </span>
    </span>
  );
}
