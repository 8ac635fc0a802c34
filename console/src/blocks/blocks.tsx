import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Empty } from "../parts/feedback.tsx";
import { StateTabs, useAddress } from "../parts/filters.tsx";
import { PagedList } from "../parts/list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { TimeLeft } from "./countdown.tsx";
import { BlockState } from "./state.tsx";

type Block = merchant.BalanceBlock;
const STATES = ["awaiting_response", "defended", "approved", "rejected"] as const;

/** Money that is set aside for a dispute or an order. */
export default function Blocks() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const state = useAddress().get("state") as Block["status"] | null;
  return (
    <Page title={t("nav.blocks")}>
      <StateTabs
        label={t("charges.states")}
        first={t("withdrawals.all")}
        states={STATES}
        textOf={(one) => t(`blocks.state.${one}`)}
      />
      <PagedList
        queryKey={[...scope, "blocks", state]}
        read={async (cursor, limit) => {
          const { items, nextCursor = null } = await pixgate.balanceBlocks
            .list({ ...(state !== null && { status: state }), limit, ...(cursor !== undefined && { cursor }) })
            .page();
          return { items, nextCursor };
        }}
        keyOf={({ id }) => id}
        empty={<Empty>{t("blocks.empty")}</Empty>}
      >
        {(blocks) => <BlockTable blocks={blocks} />}
      </PagedList>
    </Page>
  );
}

function BlockTable({ blocks }: { blocks: readonly Block[] }) {
  const { t } = useTranslation();
  const left = (block: Block) => (block.status === "awaiting_response" ? <TimeLeft until={block.respondBy} /> : "–");
  return (
    <Table
      caption={t("nav.blocks")}
      rows={blocks}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/blocks/${id}`}
      columns={[
        {
          key: "time",
          title: t("blocks.since"),
          className: "quiet",
          cell: ({ createdAt }) => <Moment at={createdAt} />,
        },
        { key: "type", title: t("blocks.type"), cell: ({ blockType }) => <BlockType type={blockType} /> },
        {
          key: "reference",
          title: t("charges.column.reference"),
          className: "second",
          cell: ({ externalReference }) => externalReference ?? "–",
        },
        { key: "state", title: t("charges.column.state"), cell: (block) => <BlockState block={block} /> },
        { key: "left", title: t("blocks.left"), cell: left },
        {
          key: "amount",
          title: t("charges.column.amount"),
          end: true,
          className: "lead",
          cell: ({ amount }) => <Money brl={amount} />,
        },
      ]}
      phone={(block) => [
        block.externalReference ?? <BlockType key="type" type={block.blockType} />,
        <Money key="amount" brl={block.amount} />,
        <BlockState key="state" block={block} />,
        block.status === "awaiting_response" ? left(block) : <Moment key="time" at={block.createdAt} />,
      ]}
    />
  );
}

/** A kind of block that a newer gateway has is shown by its name. */
export function BlockType({ type }: { type: string }) {
  const { t, i18n } = useTranslation();
  return <>{i18n.exists(`blocks.types.${type}`) ? t(`blocks.types.${type}`) : type}</>;
}
