import "./operator.css";
import { Button } from "@mantine/core";
import { type operator, PENDING_REASONS, WITHDRAWAL_STATUSES } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { useChange } from "../parts/change.ts";
import { amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { CsvButton } from "../parts/csv-button.tsx";
import { showKey } from "../parts/document.ts";
import { Facts, Sums } from "../parts/facts.tsx";
import { Failure, Read } from "../parts/feedback.tsx";
import { useChoice, useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Id } from "../parts/id.tsx";
import { showWhen } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { BigMoney, Money } from "../parts/money.tsx";
import { Panel } from "../parts/panel.tsx";
import { usePeriod } from "../parts/period.tsx";
import { type Shape, State } from "../parts/state.tsx";
import { SureButton } from "../parts/sure.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { Leaves } from "../withdrawals/leaves.tsx";
import { useWithdrawalSums } from "../withdrawals/sums.ts";
import { isToOther } from "../withdrawals/words.ts";
import { useAccountFilter, useInstitutionFilter, useNamed } from "./named-filter.tsx";
import { countOpen, OpenWithdrawals, useOpenWithdrawals } from "./open-withdrawals.tsx";
import { AGAIN_MS, useBrakes, useNames } from "./reads.ts";
import { Routing } from "./routing.tsx";
import { latestWords, wordOf } from "./words.ts";

type Withdrawal = operator.OperatorWithdrawal;
const SHAPES: Record<Withdrawal["status"], Shape> = {
  pending: "waiting",
  processing: "moving",
  completed: "done",
  failed: "failed",
  reversed: "ended",
};

/** Its outcome is not known yet. */
const isOpen = ({ status }: Withdrawal): boolean => status === "pending" || status === "processing";

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
  const brakes = (useBrakes().data ?? []).flatMap(({ id, scope, targetId }) =>
    id === undefined ? [] : [{ id, name: `${t(`operator.brakes.scope.${scope}`)} ${nameOf(targetId)}`.trim() }],
  );
  const brake = useNamed("brake", t("operator.withdrawals.brake"), brakes);
  const isBraked = brakes.length > 0 || brake.value !== undefined;
  const asked = usePeriod("asked", t("operator.withdrawals.asked"));
  const query = {
    status: status.value,
    pendingReason: reason.value,
    accountId: account.value,
    institutionId: institution.value,
    brakeId: brake.value,
    from: asked.from,
    to: asked.to,
  };
  return { filters: [status, account, institution, reason, ...(isBraked ? [brake] : []), asked], query };
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
      above={(rows) => <OtherNames rows={rows} />}
      panel={(id, close) => <One id={id} onClose={close} />}
      columns={[
        timeColumn(t("operator.withdrawals.asked"), ({ createdAt }) => createdAt),
        { key: "account", title: t("operator.cases.account"), cell: ({ accountId }) => nameOf(accountId) },
        {
          key: "to",
          title: t("operator.withdrawals.to"),
          className: "lead",
          cell: (one) => <Receiver one={one} />,
          corner: "who",
          // A phone has whom it was asked for; that another name has the money says its state.
          phone: ({ snapshotHolderName, accountId }) => (
            <>
              <FreeText>{snapshotHolderName}</FreeText>{" "}
              <span className="quiet">
                · <FreeText>{nameOf(accountId)}</FreeText>
              </span>
            </>
          ),
        },
        { key: "bank", title: t("operator.cases.institution"), cell: ({ institutionId }) => nameOf(institutionId) },
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

/** How many of the rows that are shown another name has received. */
function OtherNames({ rows }: { rows: readonly Withdrawal[] }) {
  const { t } = useTranslation();
  const count = rows.filter(isToOther).length;
  if (count === 0) return null;
  return (
    <p className="small second gap-above gap-below">
      <State shape="needs">{t("operator.withdrawals.otherNames", { count })}</State>
    </p>
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

/** Who gets the money, whom the bank has paid where that is another name, and what the merchant calls it. */
function Receiver({ one }: { one: Withdrawal }) {
  const { t } = useTranslation();
  const { snapshotHolderName: asked, externalReference } = one;
  return (
    <>
      <FreeText>{asked}</FreeText>
      {isToOther(one) && <div className="small needs-text">{t("withdrawals.paidTo", { name: one.receiverName })}</div>}
      {externalReference !== undefined && (
        <div className="small quiet">
          <FreeText>{externalReference}</FreeText>
        </div>
      )}
    </>
  );
}

/** How it is, and since when; of one that is open, what comes next and when. `isBrief`: without when it ended. */
function WithdrawalState({ one, isBrief = false }: { one: Withdrawal; isBrief?: boolean }) {
  const { t, i18n } = useTranslation();
  const { status, pendingReason, processedAt, until, nextQueryAt } = one;
  const say = (key: string, at: string) =>
    t(`operator.withdrawals.${key}`, { when: showWhen(new Date(at), i18n.language) });
  const more =
    until !== undefined
      ? say("until", until)
      : nextQueryAt !== undefined && status === "processing"
        ? say("nextQuery", nextQueryAt)
        : processedAt !== undefined && !isBrief
          ? say("ended", processedAt)
          : null;
  const state = pendingReason === undefined ? wordOf("withdrawal", status) : wordOf("pendingOne", pendingReason);
  const isOther = status === "completed" && isToOther(one);
  return (
    <>
      <State shape={isOther ? "needs" : SHAPES[status]}>
        {isOther ? t("withdrawals.otherName", { state }) : state}
      </State>
      {more !== null && <span className="small quiet below-state">{more}</span>}
    </>
  );
}

function One({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const query = useQuery({
    queryKey: ["operator", "withdrawal", id],
    queryFn: () => operator.withdrawals.get(id ?? ""),
    enabled: id !== null,
    refetchInterval: AGAIN_MS,
  });
  return (
    <Panel title={t("operator.withdrawals.one")} opened={id !== null} onClose={onClose}>
      <Read query={query}>{(one) => <Details one={one} />}</Read>
    </Panel>
  );
}

function Details({ one }: { one: Withdrawal }) {
  const { t } = useTranslation();
  const nameOf = useNames();
  return (
    <>
      <BigMoney brl={one.amount} />
      <div>
        <WithdrawalState one={one} />
      </div>
      {isOpen(one) && (
        <p className="note">
          {t(one.mayHaveLeft ? "operator.withdrawals.mayHaveLeft" : "operator.withdrawals.hasNotLeft")}
        </p>
      )}
      {isToOther(one) && <p className="note">{t("operator.withdrawals.otherName", { name: one.receiverName })}</p>}
      <Sums
        lines={[
          [t("operator.withdrawals.amount"), one.amount],
          [t("operator.withdrawals.fee"), -one.feeAmount],
        ]}
        total={[t("operator.withdrawals.arrives"), one.netAmount]}
      />
      <Facts
        facts={[
          [
            t("operator.cases.account"),
            <Link key="account" href={`/operator/accounts/${one.accountId}`} className="link">
              {nameOf(one.accountId)}
            </Link>,
          ],
          [t("operator.cases.institution"), nameOf(one.institutionId)],
          [t("operator.withdrawals.to"), <Receiver key="to" one={one} />],
          [t("operator.withdrawals.key"), showKey(one.snapshotPixKeyType, one.snapshotPixKey)],
          [t("operator.withdrawals.requestedBy"), one.requestedByName ?? one.requestedBy],
          [t("operator.withdrawals.attempts"), one.attempts > 0 ? one.attempts : null],
          [
            t("operator.withdrawals.next"),
            isOpen(one) && one.nextQueryAt && <Moment key="next" at={one.nextQueryAt} seconds />,
          ],
          [t("operator.withdrawals.lastWords"), one.latest && latestWords(one.latest)],
          [t("operator.withdrawals.failure"), one.failureReason],
          [t("operator.withdrawals.e2e"), one.pspReference && <Id key="e2e">{one.pspReference}</Id>],
          [t("charge.id"), <Id key="id">{one.id}</Id>],
          [
            t("operator.withdrawals.case"),
            one.caseId && (
              <Link key="case" href={`/operator/cases?open=${one.caseId}`} className="link">
                {t("operator.withdrawals.openCase")}
              </Link>
            ),
          ],
        ]}
      />
      <Routing routing={one.routing} />
      <Acts one={one} />
    </>
  );
}

/** Query the institution now; cancel what has not left. */
function Acts({ one }: { one: Withdrawal }) {
  const { id, status, amount, accountId, mayHaveLeft } = one;
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const nameOf = useNames();
  const query = useChange(() => operator.withdrawals.query(id));
  const cancel = useChange(() => operator.withdrawals.cancel(id));
  const may = session.installationRole === "finance" || session.installationRole === "admin";
  if (!may || !isOpen(one)) return null;
  return (
    <>
      {query.error && <Failure error={query.error} />}
      {status === "processing" && (
        <div className="acts">
          <Button variant="default" loading={query.isPending} onClick={() => query.mutate()}>
            {t("operator.withdrawals.query")}
          </Button>
        </div>
      )}
      {!mayHaveLeft && (
        <SureButton
          text={t("operator.withdrawals.cancel", { amount: showBrl(amount) })}
          note={t("operator.withdrawals.cancelText", { name: nameOf(accountId) })}
          sure={t("operator.withdrawals.cancelSure", { amount: showBrl(amount) })}
          change={cancel}
        />
      )}
    </>
  );
}
