import { BLOCK_STATUSES, type merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import type { Column } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { TimeLeft } from "./countdown.tsx";
import { BlockState } from "./state.tsx";

type Block = merchant.BalanceBlock;

/** Money that is set aside for a dispute or an order. */
export default function Blocks() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const state = useTabs(BLOCK_STATUSES, { first: t("withdrawals.all"), textOf: (one) => t(`blocks.tab.${one}`) });
  return (
    <ListScreen<Block>
      title={t("nav.blocks")}
      queryKey={[...scope, "blocks"]}
      filters={[state]}
      read={(page) => pixgate.balanceBlocks.list({ ...page, status: state.value })}
      keyOf={({ id }) => id}
      {...(state.value && { amountOf: ({ amount }: Block) => amount })}
      empty={t("blocks.empty")}
      hrefOf={({ id }) => `/blocks/${id}`}
      columns={[
        timeColumn(t("blocks.since"), ({ createdAt }) => createdAt, { corner: undefined }),
        { key: "type", title: t("blocks.type"), cell: (block) => <TypeAndReason block={block} /> },
        {
          key: "reference",
          title: t("charges.column.reference"),
          className: "second",
          cell: ({ externalReference }) => externalReference ?? "–",
          corner: "who",
          phone: ({ externalReference, blockType }) => externalReference ?? <BlockType type={blockType} />,
        },
        stateColumn(t("charges.column.state"), (block) => <BlockState block={block} />),
        leftColumn(t("blocks.left"), true),
        amountColumn(t("charges.column.amount"), ({ amount }) => amount),
      ]}
    />
  );
}

/** Why it is held, in the bank's words where it gave any. */
function TypeAndReason({ block: { blockType, reason } }: { block: Block }) {
  return (
    <>
      <BlockType type={blockType} />
      {reason !== undefined && (
        <div className="label">
          <FreeText>{reason}</FreeText>
        </div>
      )}
    </>
  );
}

type Deadline = Pick<Block, "status" | "createdAt" | "respondBy" | "heldUntil">;

/**
 * What is left to answer, or of a bank's own hold; a dash after its end. A phone shows then when it began. `isDated`: with the date
 * below.
 */
export const leftColumn = (title: string, isDated = false): Column<Deadline> => ({
  key: "left",
  title,
  cell: ({ status, respondBy, heldUntil }) =>
    status === "awaiting_response" ? <TimeLeft until={respondBy ?? heldUntil} isDated={isDated} /> : "–",
  corner: "time",
  phone: ({ status, respondBy, heldUntil, createdAt }) =>
    status === "awaiting_response" ? <TimeLeft until={respondBy ?? heldUntil} /> : <Moment at={createdAt} />,
});

/** A kind of block that a newer gateway has is shown by its name. */
export function BlockType({ type }: { type: string }) {
  const { t, i18n } = useTranslation();
  return <>{i18n.exists(`blocks.types.${type}`) ? t(`blocks.types.${type}`) : type}</>;
}
