import "./operator.css";
import { BLOCK_STATUSES, BLOCK_TYPES, type operator } from "@pixgate/sdk";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { BlockType, leftColumn, useHeld } from "../blocks/blocks.tsx";
import { TimeLeft } from "../blocks/countdown.tsx";
import { BlockState } from "../blocks/state.tsx";
import { showBrl } from "../parts/amount.ts";
import { amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { CsvButton } from "../parts/csv-button.tsx";
import { Facts } from "../parts/facts.tsx";
import { useChoice, useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import { BigMoney } from "../parts/money.tsx";
import { shortId } from "../parts/short-id.ts";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { Answer } from "./answer.tsx";
import { InAccount } from "./in-account.tsx";
import { useAccountFilter, useInstitutionFilter } from "./named-filter.tsx";
import { AGAIN_MS, useNames } from "./reads.ts";
import { useUnanswered } from "./unanswered.tsx";

type Block = operator.OperatorBalanceBlock;
/** Deadlines that a filter names, in hours from now. */
const DEADLINES = ["12", "48", "168"] as const;
const HOUR_MS = 3_600_000;

/** The account answers, not who reads this. */
const stateText = (status: Block["status"], t: TFunction): string =>
  status === "awaiting_response" ? t("operator.disputes.awaits") : t(`blocks.state.${status}`);

/** The filters of the list, and what they ask of the API. */
function useFilters() {
  const { t } = useTranslation();
  const unanswered = useUnanswered();
  const waiting = unanswered === undefined || unanswered.more ? 0 : unanswered.count;
  const status = useTabs(BLOCK_STATUSES, {
    name: "status",
    label: t("operator.withdrawals.states"),
    first: t("operator.disputes.all"),
    textOf: (one) => t(`operator.disputes.tab.${one}`),
    countOf: (one) => (one === "awaiting_response" ? waiting : 0),
  });
  const within = useChoice("within", t("operator.disputes.deadline"), DEADLINES, (one) =>
    t(`operator.disputes.within.${one}`),
  );
  const type = useChoice("type", t("blocks.type"), BLOCK_TYPES, (one) => t(`blocks.types.${one}`));
  const account = useAccountFilter();
  const institution = useInstitutionFilter();
  const query = () => ({
    ...{ status: status.value, blockType: type.value, accountId: account.value, institutionId: institution.value },
    // What waits for an answer: what ends first comes first.
    ...((status.value === "awaiting_response" || within.value !== undefined) && { order: "deadline" as const }),
    ...(within.value !== undefined && {
      respondBefore: new Date(Date.now() + Number(within.value) * HOUR_MS).toISOString(),
    }),
  });
  return { filters: [status, within, type, account, institution], query };
}

/** Disputes and orders of all accounts, with the deadlines of their answers. */
export default function Disputes() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const { filters, query } = useFilters();
  return (
    <ListScreen<Block>
      title={t("nav.operators.disputes")}
      acts={
        <div className="of-some acts-of">
          <Csv query={query} />
        </div>
      }
      queryKey={["operator", "disputes"]}
      againMs={AGAIN_MS}
      filters={filters}
      read={(page) => operator.balanceBlocks.list({ ...page, ...query() })}
      keyOf={({ id }) => id}
      sumOf={useHeld("disputes")}
      empty={
        filters.some(({ value }) => value !== undefined) ? (
          t("operator.disputes.empty")
        ) : (
          <div className="of-all">
            <Answer then={t("operator.disputes.whenOpened")}>{t("operator.disputes.none")}</Answer>
          </div>
        )
      }
      panel={{ title: () => t("operator.disputes.one"), body: (block) => <Details block={block} /> }}
      columns={[
        timeColumn(t("blocks.since"), ({ createdAt }) => createdAt, { corner: undefined }),
        {
          key: "account",
          title: t("operator.cases.account"),
          cell: (block) => <Who block={block} />,
          phone: ({ accountName }) => accountName,
          corner: "who",
        },
        { key: "type", title: t("blocks.type"), cell: ({ blockType }) => <BlockType type={blockType} /> },
        stateColumn(t("operator.withdrawals.state"), (block) => <OneState block={block} />),
        leftColumn(t("operator.disputes.deadline"), true),
        amountColumn(t("charges.column.amount"), ({ amount }) => amount),
      ]}
    >
      <div className="answer-place with-then of-some">
        <Unanswered />
      </div>
    </ListScreen>
  );
}

/** Whose money is held; below it whose payment it was. */
function Who({ block: { accountName, payerName, externalReference } }: { block: Block }) {
  const below = [payerName, externalReference].filter(Boolean).join(" · ");
  return (
    <>
      <FreeText>{accountName}</FreeText>
      {below !== "" && (
        <div className="small quiet">
          <FreeText>{below}</FreeText>
        </div>
      )}
    </>
  );
}

/** Exactly the rows of the filters. */
function Csv({ query }: { query: ReturnType<typeof useFilters>["query"] }) {
  const { operator } = useSession();
  const nameOf = useNames();
  return (
    <CsvButton<Block>
      file="pixgate-disputes.csv"
      read={(most) => operator.balanceBlocks.list({ ...query(), limit: 100 }).toArray(most)}
      head={[
        ...["id", "createdAt", "respondBy", "account", "accountName", "payer", "reference", "type", "status"],
        ...["amount", "number", "endToEnd", "institution"],
      ]}
      rowOf={(one) => [
        ...[one.id, new Date(one.createdAt), one.respondBy ? new Date(one.respondBy) : undefined, one.accountId],
        ...[one.accountName, one.payerName, one.externalReference, one.blockType, one.status, one.amount],
        ...[one.referenceNumber, one.e2eId, nameOf(one.institutionId)],
      ]}
    />
  );
}

/** What waits for an account's answer: how much it is about, and how long the first of it waits. */
function Unanswered() {
  const { t } = useTranslation();
  const unanswered = useUnanswered();
  if (unanswered === undefined) return null;
  const { count, more, next, amount } = unanswered;
  if (count === 0)
    return (
      <Answer shape="done" then={t("operator.disputes.whenOpened")}>
        {t("operator.disputes.noneWaits")}
      </Answer>
    );
  return (
    <Answer
      shape="needs"
      then={
        next !== undefined && (
          <>
            {t("operator.disputes.firstDue")} <TimeLeft until={next} />. {t("operator.disputes.silence")}
          </>
        )
      }
    >
      <Link href="/operator/disputes?status=awaiting_response" className="link">
        {t(more ? "operator.disputes.manyWait" : "operator.disputes.wait", { count, sum: showBrl(amount) })}
      </Link>
    </Answer>
  );
}

function OneState({ block }: { block: Block }) {
  const { t } = useTranslation();
  // The merchant has nothing to answer about a bank's own hold.
  if (block.blockType === "precautionary") return <BlockState block={block} />;
  return <BlockState block={block} text={stateText(block.status, t)} />;
}

function Details({ block }: { block: Block }) {
  const { t } = useTranslation();
  const nameOf = useNames();
  const { transactionId, defense, resolvedAt } = block;
  const waits = block.status === "awaiting_response";
  const account = { accountId: block.accountId, name: block.accountName, subAccount: block.subAccount };
  return (
    <>
      <BigMoney brl={block.amount} />
      <div>
        <OneState block={block} />
      </div>
      {waits && block.blockType !== "precautionary" && <p className="note">{t("operator.disputes.answers")}</p>}
      <Facts
        facts={[
          [t("blocks.left"), waits && <TimeLeft key="left" until={block.respondBy ?? block.heldUntil} />],
          [t("blocks.type"), <BlockType key="type" type={block.blockType} />],
          [
            t("operator.cases.account"),
            <Link key="account" href={`/operator/accounts/${block.accountId}`} className="link">
              {block.accountName}
            </Link>,
          ],
          [t("operator.disputes.wallet"), block.subAccount],
          [
            t("operator.disputes.charge"),
            transactionId && (
              <InAccount key="charge" account={account} path={`/charges/${transactionId}`}>
                {block.externalReference ?? shortId(transactionId)}
              </InAccount>
            ),
          ],
          [
            t("operator.disputes.block"),
            <InAccount key="block" account={account} path={`/blocks/${block.id}`}>
              {t("operator.disputes.asMerchant")}
            </InAccount>,
          ],
          [t("operator.cases.institution"), nameOf(block.institutionId)],
          [t("blocks.number"), block.referenceNumber],
          [t("operator.disputes.reason"), block.reason],
          [t("operator.disputes.defence"), defense],
          [t("blocks.when"), resolvedAt && <Moment key="when" at={resolvedAt} seconds />],
          [t("blocks.words"), block.resolutionText],
          [t("charge.id"), block.id],
        ]}
      />
    </>
  );
}
