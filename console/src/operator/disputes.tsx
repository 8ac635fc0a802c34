import "./operator.css";
import type { operator } from "@pixgate/sdk";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { BlockType } from "../blocks/blocks.tsx";
import { TimeLeft } from "../blocks/countdown.tsx";
import { BlockState } from "../blocks/state.tsx";
import { Facts } from "../parts/facts.tsx";
import { Empty } from "../parts/feedback.tsx";
import { ChoiceChip, StateTabs, useAddress } from "../parts/filters.tsx";
import { PagedList } from "../parts/list.tsx";
import { BigMoney, Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Panel } from "../parts/panel.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { AGAIN_MS, useAccounts, useInstitutions, useNames } from "./reads.ts";

type Block = operator.OperatorBalanceBlock;
const STATES = ["awaiting_response", "defended", "approved", "rejected"] as const;
const TYPES = ["med", "judicial", "administrative"] as const;
/** Deadlines that a filter names, in hours from now. */
const DEADLINES = ["12", "48", "168"] as const;
const HOUR_MS = 3_600_000;

/** The account answers, not who reads this. */
const stateText = (status: Block["status"], t: TFunction): string =>
  status === "awaiting_response" ? t("operator.disputes.awaits") : t(`blocks.state.${status}`);

/** Disputes and orders of all accounts, with the deadlines of their answers. */
export default function Disputes() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const address = useAddress();
  const accounts = useAccounts();
  const institutions = useInstitutions();
  const choices = (items: readonly { id: string; name: string }[] | undefined) =>
    (items ?? []).slice(0, 50).map(({ id, name }) => ({ value: id, text: name }));
  const status = STATES.find((one) => one === address.get("status"));
  const blockType = TYPES.find((one) => one === address.get("type"));
  const within = DEADLINES.find((one) => one === address.get("within"));
  const [accountId, institutionId] = [address.get("account"), address.get("institution")];
  return (
    <Page title={t("nav.operators.disputes")}>
      <StateTabs
        name="status"
        label={t("charges.states")}
        first={t("operator.disputes.all")}
        states={STATES}
        textOf={(one) => stateText(one, t)}
      />
      <div className="chips">
        <ChoiceChip
          name="within"
          label={t("operator.disputes.deadline")}
          choices={DEADLINES.map((value) => ({ value, text: t(`operator.disputes.within.${value}`) }))}
        />
        <ChoiceChip
          name="type"
          label={t("blocks.type")}
          choices={TYPES.map((value) => ({ value, text: t(`blocks.types.${value}`) }))}
        />
        <ChoiceChip name="account" label={t("operator.cases.account")} choices={choices(accounts.data)} />
        <ChoiceChip name="institution" label={t("operator.cases.institution")} choices={choices(institutions.data)} />
      </div>
      <PagedList
        queryKey={["operator", "disputes", status, blockType, within, accountId, institutionId]}
        againMs={AGAIN_MS}
        read={(cursor, limit) =>
          operator.balanceBlocks
            .list({
              limit,
              ...(status !== undefined && { status }),
              // What waits for an answer: what ends first comes first.
              ...((status === "awaiting_response" || within !== undefined) && { order: "deadline" }),
              ...(blockType !== undefined && { blockType }),
              ...(within !== undefined && {
                respondBefore: new Date(Date.now() + Number(within) * HOUR_MS).toISOString(),
              }),
              ...(accountId !== null && { accountId }),
              ...(institutionId !== null && { institutionId }),
              ...(cursor !== undefined && { cursor }),
            })
            .page()
        }
        keyOf={({ id }) => id}
        empty={<Empty>{t("operator.disputes.empty")}</Empty>}
      >
        {(blocks) => <Blocks blocks={blocks} />}
      </PagedList>
    </Page>
  );
}

/** What is left to answer; a dash once it was answered or has ended. */
const left = ({ status, respondBy }: Block) => (status === "awaiting_response" ? <TimeLeft until={respondBy} /> : "–");

function OneState({ block }: { block: Block }) {
  const { t } = useTranslation();
  return <BlockState block={block} text={stateText(block.status, t)} />;
}

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  const { t } = useTranslation();
  const address = useAddress();
  const open = address.get("open");
  const columns: readonly Column<Block>[] = [
    { key: "time", title: t("blocks.since"), className: "quiet", cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { key: "account", title: t("operator.cases.account"), cell: ({ accountName }) => accountName },
    { key: "type", title: t("blocks.type"), cell: ({ blockType }) => <BlockType type={blockType} /> },
    { key: "state", title: t("charges.column.state"), cell: (block) => <OneState block={block} /> },
    { key: "left", title: t("blocks.left"), cell: left },
    {
      key: "amount",
      title: t("charges.column.amount"),
      end: true,
      className: "lead",
      cell: ({ amount }) => <Money brl={amount} />,
    },
  ];
  return (
    <>
      <Table
        caption={t("nav.operators.disputes")}
        columns={columns}
        rows={blocks}
        keyOf={({ id }) => id}
        onOpen={({ id }) => address.change({ open: id })}
        selected={open}
        phone={(block) => [
          block.accountName,
          <Money key="amount" brl={block.amount} />,
          <OneState key="state" block={block} />,
          block.status === "awaiting_response" ? left(block) : <Moment key="time" at={block.createdAt} />,
        ]}
      />
      <One block={blocks.find(({ id }) => id === open)} onClose={() => address.change({ open: null })} />
    </>
  );
}

function One({ block, onClose }: { block: Block | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Panel title={t("operator.disputes.one")} opened={block !== undefined} onClose={onClose}>
      {block && <Details block={block} />}
    </Panel>
  );
}

function Details({ block }: { block: Block }) {
  const { t } = useTranslation();
  const nameOf = useNames();
  const { transactionId, defense, resolvedAt } = block;
  return (
    <>
      <BigMoney brl={block.amount} />
      <div>
        <OneState block={block} />
      </div>
      {block.status === "awaiting_response" && <p className="note">{t("operator.disputes.answers")}</p>}
      <Facts
        facts={[
          [t("blocks.left"), block.status === "awaiting_response" && left(block)],
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
              <InAccount key="charge" block={block} path={`/charges/${transactionId}`}>
                {block.externalReference ?? `${transactionId.slice(0, 8)}…`}
              </InAccount>
            ),
          ],
          [
            t("operator.disputes.block"),
            <InAccount key="block" block={block} path={`/blocks/${block.id}`}>
              {t("operator.disputes.asMerchant")}
            </InAccount>,
          ],
          [t("operator.cases.institution"), nameOf(block.institutionId)],
          [t("blocks.number"), block.referenceNumber],
          [t("operator.disputes.reason"), block.reason],
          [t("operator.disputes.defence"), defense],
          [t("blocks.when"), resolvedAt && <Moment key="when" at={resolvedAt} seconds />],
          [t("blocks.words"), block.resolutionText],
          ["id", block.id],
        ]}
      />
    </>
  );
}

/** Opens a merchant's screen of the account that the block is in, to read. */
function InAccount({ block, path, children }: { block: Block; path: string; children: string }) {
  const { see } = useSession();
  const [, go] = useLocation();
  return (
    <button
      type="button"
      className="act"
      onClick={() => {
        see({ accountId: block.accountId, name: block.accountName }, block.subAccount);
        go(path);
      }}
    >
      {children}
    </button>
  );
}
