import "./operator.css";
import { type operator, PENDING_REASONS, WITHDRAWAL_STATUSES } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { CsvButton } from "../parts/csv-button.tsx";
import { useChoice, useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { usePeriod } from "../parts/period.tsx";
import { useSession } from "../session/session.tsx";
import { Leaves } from "../withdrawals/leaves.tsx";
import { useWithdrawalSums } from "../withdrawals/sums.ts";
import { useAccountFilter, useInstitutionFilter, useNamed } from "./named-filter.tsx";
import { countOpen, OpenWithdrawals, TO_OTHER, useOpenWithdrawals } from "./open-withdrawals.tsx";
import { AGAIN_MS, useBrakes, useNames } from "./reads.ts";
import { OneWithdrawal } from "./withdrawal.tsx";
import { Receiver, WithdrawalState } from "./withdrawal-state.tsx";
import { wordOf } from "./words.ts";

type Withdrawal = operator.OperatorWithdrawal;

/** The filters of the list, and what they ask of the API. */
function useFilters() {
  const { t } = useTranslation();
  const nameOf = useNames();
  const open = useOpenWithdrawals();
  const status = useTabs(WITHDRAWAL_STATUSES, {
    name: "status",
    label: t("operator.withdrawals.states"),
    first: t("operator.withdrawals.all"),
    textOf: (one) => t(`operator.withdrawals.tab.${one}`),
    countOf: (one) => countOpen(open, one),
  });
  const account = useAccountFilter();
  const institution = useInstitutionFilter();
  const reason = useChoice("reason", t("operator.withdrawals.reason"), PENDING_REASONS, (one) =>
    wordOf("pending", one),
  );
  const receivedBy = useChoice(TO_OTHER.filter, t("operator.withdrawals.receivedBy"), TO_OTHER.values, (one) =>
    t(`operator.withdrawals.${one === "other" ? "anotherName" : "unchecked"}`),
  );
  const brakes = (useBrakes().data ?? []).flatMap(({ id, scope, targetId }) =>
    id === undefined ? [] : [{ id, name: `${t(`operator.brakes.scope.${scope}`)} ${nameOf(targetId)}`.trim() }],
  );
  const brake = useNamed("brake", t("operator.withdrawals.brake"), brakes);
  const isBraked = brakes.length > 0 || brake.value !== undefined;
  // Those that another name has received are sought by when they were paid.
  const when = receivedBy.value === undefined ? "asked" : "paid";
  const asked = usePeriod("asked", t(`operator.withdrawals.${when}`));
  const query = {
    status: status.value,
    pendingReason: reason.value,
    accountId: account.value,
    institutionId: institution.value,
    brakeId: brake.value,
    ...(receivedBy.value !== undefined && { paidToOther: true }),
    ...(receivedBy.value === "unchecked" && { receiverMeant: false }),
    from: asked.from,
    to: asked.to,
  };
  return { filters: [status, account, institution, reason, receivedBy, ...(isBraked ? [brake] : []), asked], query };
}

/** The withdrawals of all accounts. */
export default function OperatorWithdrawals() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const { filters, query } = useFilters();
  const nameOf = useNames();
  const sum = useWithdrawalSums();
  return (
    <ListScreen<Withdrawal>
      title={t("nav.operators.withdrawals")}
      acts={<Csv query={query} />}
      queryKey={["operator", "withdrawals"]}
      againMs={AGAIN_MS}
      filters={filters}
      sumOf={sum}
      read={(page) => operator.withdrawals.list({ ...query, ...page })}
      keyOf={({ id }) => id}
      empty={t(`operator.withdrawals.${filters.some(({ value }) => value !== undefined) ? "empty" : "none"}`)}
      panel={(id, close) => <OneWithdrawal id={id} onClose={close} />}
      columns={[
        timeColumn(t("operator.withdrawals.asked"), ({ createdAt }) => createdAt),
        {
          key: "account",
          title: t("operator.cases.account"),
          cell: ({ accountId, institutionId }) => (
            <>
              {nameOf(accountId)}
              <span className="small quiet block">{nameOf(institutionId)}</span>
            </>
          ),
        },
        {
          key: "to",
          title: t("operator.withdrawals.to"),
          className: "lead",
          cell: (one) => <Receiver one={one} />,
          corner: "who",
          // A phone has whom it was asked for; which other name has the money says its state.
          phone: ({ snapshotHolderName, accountId }) => (
            <>
              <FreeText>{snapshotHolderName}</FreeText>{" "}
              <span className="quiet">
                · <FreeText>{nameOf(accountId)}</FreeText>
              </span>
            </>
          ),
        },
        stateColumn(t("operator.withdrawals.state"), (one) => <WithdrawalState one={one} />, {
          phone: (one) => <WithdrawalState one={one} isBrief />,
        }),
        {
          ...amountColumn<Withdrawal>(t("operator.withdrawals.amount"), ({ amount }) => amount),
          cell: (one) => <Leaves withdrawal={one} />,
          phone: ({ amount }) => <Money brl={amount} />,
        },
      ]}
    >
      <div className="answer-place with-then">
        <OpenWithdrawals />
      </div>
    </ListScreen>
  );
}

/** Exactly the rows of the filters. */
function Csv({ query }: { query: ReturnType<typeof useFilters>["query"] }) {
  const { operator } = useSession();
  const nameOf = useNames();
  return (
    <CsvButton<Withdrawal>
      file="pixgate-withdrawals.csv"
      read={(most) => operator.withdrawals.list({ ...query, limit: 100 }).toArray(most)}
      head={[
        ...["id", "createdAt", "processedAt", "account", "accountName", "receiver", "reference"],
        ...["status", "pendingReason", "fee", "amount", "endToEnd", "institution"],
      ]}
      rowOf={(one) => [
        ...[one.id, new Date(one.createdAt), one.processedAt ? new Date(one.processedAt) : undefined],
        ...[one.accountId, nameOf(one.accountId), one.snapshotHolderName, one.externalReference, one.status],
        ...[one.pendingReason, one.feeAmount, one.amount, one.pspReference ?? undefined, nameOf(one.institutionId)],
      ]}
    />
  );
}
