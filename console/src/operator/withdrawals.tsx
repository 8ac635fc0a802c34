import "./operator.css";
import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { useChange } from "../parts/change.ts";
import { Facts, Sums } from "../parts/facts.tsx";
import { Empty, Failure, Read } from "../parts/feedback.tsx";
import { ChoiceChip, StateTabs, useAddress } from "../parts/filters.tsx";
import { PagedList } from "../parts/list.tsx";
import { BigMoney, Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Panel } from "../parts/panel.tsx";
import { type Shape, State } from "../parts/state.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { AGAIN_MS, useAccounts, useBrakes, useInstitutions, useNames } from "./reads.ts";
import { latestWords, wordOf } from "./words.ts";

type Withdrawal = operator.OperatorWithdrawal;
const STATES = ["pending", "processing", "completed", "failed", "reversed"] as const;
const REASONS = ["paused", "awaiting_approval", "new_key", "limit", "awaiting_bank_approval"] as const;
const SHAPES: Record<Withdrawal["status"], Shape> = {
  pending: "waiting",
  processing: "moving",
  completed: "done",
  failed: "failed",
  reversed: "ended",
};

/** The withdrawals of all accounts. */
export default function OperatorWithdrawals() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const address = useAddress();
  const accounts = useAccounts();
  const institutions = useInstitutions();
  const choices = (items: readonly { id: string; name: string }[] | undefined) =>
    (items ?? []).slice(0, 50).map(({ id, name }) => ({ value: id, text: name }));
  const status = STATES.find((one) => one === address.get("status"));
  const pendingReason = REASONS.find((one) => one === address.get("reason"));
  const [accountId, institutionId, brakeId] = [
    address.get("account"),
    address.get("institution"),
    address.get("brake"),
  ];
  const brakes = useBrakes();
  const nameOf = useNames();
  return (
    <Page title={t("nav.operators.withdrawals")}>
      <StateTabs
        name="status"
        label={t("operator.withdrawals.states")}
        first={t("operator.withdrawals.all")}
        states={STATES}
        textOf={(one) => t(`operator.withdrawals.tab.${one}`)}
      />
      <div className="chips">
        <ChoiceChip name="account" label={t("operator.cases.account")} choices={choices(accounts.data)} />
        <ChoiceChip name="institution" label={t("operator.cases.institution")} choices={choices(institutions.data)} />
        <ChoiceChip
          name="reason"
          label={t("operator.withdrawals.reason")}
          choices={REASONS.map((value) => ({ value, text: wordOf("pending", value) }))}
        />
        <ChoiceChip
          name="brake"
          label={t("operator.withdrawals.brake")}
          choices={(brakes.data ?? []).flatMap(({ id, scope, targetId }) =>
            id === undefined
              ? []
              : [{ value: id, text: `${t(`operator.brakes.scope.${scope}`)} ${nameOf(targetId)}`.trim() }],
          )}
        />
      </div>
      <PagedList
        queryKey={["operator", "withdrawals", status, pendingReason, accountId, institutionId, brakeId]}
        againMs={AGAIN_MS}
        read={(cursor) =>
          operator.withdrawals
            .list({
              limit: 50,
              ...(status !== undefined && { status }),
              ...(pendingReason !== undefined && { pendingReason }),
              ...(accountId !== null && { accountId }),
              ...(institutionId !== null && { institutionId }),
              ...(brakeId !== null && { brakeId }),
              ...(cursor !== undefined && { cursor }),
            })
            .page()
        }
        keyOf={({ id }) => id}
        empty={<Empty>{t("operator.withdrawals.empty")}</Empty>}
      >
        {(rows) => <Rows rows={rows} />}
      </PagedList>
      <One id={address.get("open")} onClose={() => address.change({ open: null })} />
    </Page>
  );
}

const wordsOf = ({ status, pendingReason }: Withdrawal): string =>
  pendingReason === undefined ? wordOf("withdrawal", status) : wordOf("pending", pendingReason);

function Rows({ rows }: { rows: readonly Withdrawal[] }) {
  const { t } = useTranslation();
  const address = useAddress();
  const nameOf = useNames();
  const columns: readonly Column<Withdrawal>[] = [
    { key: "time", title: t("operator.withdrawals.asked"), cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { key: "account", title: t("operator.cases.account"), cell: ({ accountId }) => nameOf(accountId) },
    { key: "to", title: t("operator.withdrawals.to"), cell: ({ snapshotHolderName }) => snapshotHolderName },
    { key: "bank", title: t("operator.cases.institution"), cell: ({ institutionId }) => nameOf(institutionId) },
    {
      key: "state",
      title: t("operator.withdrawals.state"),
      cell: (one) => <State shape={SHAPES[one.status]}>{wordsOf(one)}</State>,
    },
    {
      key: "amount",
      title: t("operator.withdrawals.amount"),
      end: true,
      className: "lead",
      cell: ({ amount }) => <Money brl={amount} />,
    },
  ];
  return (
    <Table
      caption={t("nav.operators.withdrawals")}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ id }) => address.change({ open: id })}
      selected={address.get("open")}
      phone={(one) => [
        <>
          {one.snapshotHolderName} <span className="quiet">· {nameOf(one.accountId)}</span>
        </>,
        <Money key="amount" brl={one.amount} />,
        <State key="state" shape={SHAPES[one.status]}>
          {wordsOf(one)}
        </State>,
        <Moment key="time" at={one.createdAt} />,
      ]}
    />
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
        <State shape={SHAPES[one.status]}>{wordsOf(one)}</State>
      </div>
      <p className="note">
        {t(one.mayHaveLeft ? "operator.withdrawals.mayHaveLeft" : "operator.withdrawals.hasNotLeft")}
      </p>
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
          [t("operator.withdrawals.to"), one.snapshotHolderName],
          [t("operator.withdrawals.key"), one.snapshotPixKey],
          [t("operator.withdrawals.attempts"), one.attempts],
          [t("operator.withdrawals.next"), one.nextQueryAt && <Moment key="next" at={one.nextQueryAt} seconds />],
          [t("operator.withdrawals.lastWords"), one.latest && latestWords(one.latest)],
          [t("operator.withdrawals.failure"), one.failureReason],
          [t("operator.withdrawals.e2e"), one.pspReference],
          ["id", one.id],
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
      <Acts one={one} />
    </>
  );
}

/** Query the institution now; cancel what has not left. */
function Acts({ one: { id, status, amount, mayHaveLeft } }: { one: Withdrawal }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const act = useChange((what: "query" | "cancel") => operator.withdrawals[what](id));
  const may = session.installationRole === "finance" || session.installationRole === "admin";
  if (!may || (status !== "pending" && status !== "processing")) return null;
  return (
    <>
      {act.error && <Failure error={act.error} />}
      <div className="acts">
        {status === "processing" && (
          <Button variant="default" loading={act.isPending} onClick={() => act.mutate("query")}>
            {t("operator.withdrawals.query")}
          </Button>
        )}
        {!mayHaveLeft && (
          <Button color="red" variant="outline" loading={act.isPending} onClick={() => act.mutate("cancel")}>
            {t("operator.withdrawals.cancel", { amount: showBrl(amount) })}
          </Button>
        )}
      </div>
    </>
  );
}
