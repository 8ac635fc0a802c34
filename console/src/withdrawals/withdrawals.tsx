import "./withdrawals.css";
import { Button } from "@mantine/core";
import { type merchant, WITHDRAWAL_STATUSES } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { FirstCharge } from "../charges/first-charge.tsx";
import { ReferenceChip, referenceNamed } from "../charges/typed-chips.tsx";
import { afterState, amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { CsvButton } from "../parts/csv-button.tsx";
import { maskKey } from "../parts/document.ts";
import { Empty } from "../parts/feedback.tsx";
import { useAddress, useChoice, useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { usePeriod } from "../parts/period.tsx";
import { Mark } from "../parts/state.tsx";
import { useSession } from "../session/session.tsx";
import { Available, useBalance } from "./available.tsx";
import { Leaves } from "./leaves.tsx";
import { NewWithdrawal } from "./new.tsx";
import { OneWithdrawal } from "./one.tsx";
import { receiverOf } from "./received.ts";
import { useWithdrawalSums } from "./sums.ts";
import { useWithdrawalWords } from "./words.ts";

type Withdrawal = merchant.Withdrawal;
type Query = NonNullable<merchant.WithdrawalsListData["query"]>;

/** The filters of the list, and what they ask of the API. */
function useFilters() {
  const { t } = useTranslation();
  const state = useTabs(WITHDRAWAL_STATUSES, {
    first: t("withdrawals.all"),
    textOf: (one) => t(`withdrawals.tab.${one}`),
  });
  const asked = usePeriod("asked", t("withdrawals.asked"));
  const externalReference = referenceNamed(useAddress().get("reference")) ?? undefined;
  const waitsFor = useChoice("waits", t("withdrawals.waitsFor"), ["person"], () => t("withdrawals.person"));
  const query: Query = {
    ...{ status: state.value, from: asked.from, to: asked.to, externalReference },
    ...(waitsFor.value !== undefined && { waitsForPerson: true }),
  };
  return { filters: [state, waitsFor, asked], query };
}

/** Money that leaves: what is happening to each withdrawal, in two lines. */
export default function Withdrawals() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const { filters, query } = useFilters();
  const isNothing = useIsNothing();
  const isFiltered = Object.values(query).some((value) => value !== undefined);
  return (
    <ListScreen<Withdrawal>
      title={t("nav.withdrawals")}
      besideTitle={<Available />}
      make={
        may("WITHDRAWAL:WRITE") && {
          text: t("withdrawals.new"),
          isQuiet: isNothing,
          panel: (opened, close) => <NewWithdrawal opened={opened} onClose={close} />,
        }
      }
      acts={
        <>
          <Csv query={query} />
          {may("WITHDRAWAL:WRITE") && <FromFile />}
        </>
      }
      queryKey={[...scope, "withdrawals", query.externalReference]}
      filters={filters}
      beside={<ReferenceChip />}
      read={(page) => pixgate.withdrawals.list({ ...page, ...query })}
      sumOf={useWithdrawalSums()}
      dueOf={({ nextQueryAt }) => nextQueryAt}
      keyOf={({ id }) => id}
      empty={isFiltered ? t("filters.none") : <NoWithdrawals />}
      panel={(id, close) => <OneWithdrawal id={id} onClose={close} />}
      columns={[
        timeColumn(t("withdrawals.asked"), ({ createdAt }) => createdAt),
        {
          key: "to",
          title: t("withdrawals.to"),
          cell: (one) => <Receiver withdrawal={one} />,
          corner: "who",
          phone: ({ snapshotHolderName }) => snapshotHolderName,
        },
        {
          key: "reference",
          title: t("charges.column.reference"),
          className: "second",
          cell: ({ externalReference }) => externalReference ?? "–",
        },
        stateColumn(t("withdrawals.happening"), (one) => <Happening withdrawal={one} />, {
          phone: (one) => (
            <>
              <Words withdrawal={one} />
              {(one.status !== "completed" || [null, "meant"].includes(receiverOf(one))) &&
                afterState(one.externalReference)}
            </>
          ),
        }),
        {
          ...amountColumn<Withdrawal>(t("withdrawals.leaves"), ({ amount }) => amount),
          cell: (one) => <Leaves withdrawal={one} />,
          phone: ({ amount }) => <Money brl={amount} />,
        },
      ]}
    />
  );
}

/** Whether it is known that nothing is available. */
function useIsNothing(): boolean {
  const { data } = useBalance();
  return data !== undefined && data.balance.available.amountFormatted <= 0;
}

/** Nothing was withdrawn yet: the next thing is a withdrawal, or, where nothing is available, a charge. */
function NoWithdrawals() {
  const { t } = useTranslation();
  const { may } = useSession();
  const isNothing = useIsNothing();
  const act = isNothing ? (
    <FirstCharge isMain />
  ) : (
    may("WITHDRAWAL:WRITE") && (
      <Button component={Link} variant="default" href="/withdrawals?new=1">
        {t("withdrawals.new")}
      </Button>
    )
  );
  return (
    <Empty act={act}>
      {t("withdrawals.empty")} {t(isNothing ? "withdrawals.nothingAvailable" : "withdrawals.emptyHow")}
    </Empty>
  );
}

/** To whom it goes, and below it the key. */
function Receiver({ withdrawal }: { withdrawal: Withdrawal }) {
  const { t } = useTranslation();
  const { snapshotHolderName, snapshotPixKey, snapshotPixKeyType: type } = withdrawal;
  return (
    <>
      <FreeText>{snapshotHolderName}</FreeText>
      <div className={type === "cpf" || type === "cnpj" ? "label unbroken-document" : "label"}>
        {t(`newWithdrawal.type.${type}`, { defaultValue: type })} {maskKey(type, snapshotPixKey)}
      </div>
    </>
  );
}

function FromFile() {
  const { t } = useTranslation();
  return (
    <Button variant="default" component={Link} href="/withdrawals/file">
      {t("payoutFile.act")}
    </Button>
  );
}

/** Exactly the rows of the filters as a file. */
function Csv({ query }: { query: Query }) {
  const { pixgate } = useSession();
  return (
    <CsvButton
      file="pixgate-withdrawals.csv"
      read={(most) => pixgate.withdrawals.list({ ...query, limit: 100 }).toArray(most)}
      head={[
        ...["id", "createdAt", "processedAt", "name", "document", "keyType", "key", "reference", "status"],
        ...["fee", "net", "amount", "endToEnd", "failure"],
      ]}
      rowOf={(one) => [
        ...[one.id, new Date(one.createdAt), one.processedAt ? new Date(one.processedAt) : undefined],
        ...[one.snapshotHolderName, one.snapshotHolderDocument, one.snapshotPixKeyType, one.snapshotPixKey],
        ...[one.externalReference, one.status, one.feeAmount, one.netAmount, one.amount],
        ...[one.pspReference ?? undefined, one.failureReason ?? undefined],
      ]}
    />
  );
}

function Happening(props: { withdrawal: Withdrawal }) {
  return (
    <span className="state-line">
      <Words {...props} />
    </span>
  );
}

function Words({ withdrawal }: { withdrawal: Withdrawal }) {
  const { shape, state, detail } = useWithdrawalWords(withdrawal);
  // On a phone too: what a person must do, or why nothing was paid.
  const isToHeed = shape === "needs" || shape === "failed";
  return (
    <span className="state">
      <Mark shape={shape} />
      <span className={isToHeed ? "whole" : ""}>
        {state}
        {detail && (
          <span className={isToHeed ? "" : "wide-only"}>
            <span className="label block">{detail}</span>
          </span>
        )}
      </span>
    </span>
  );
}
