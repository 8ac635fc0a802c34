import { addBrl, BLOCK_STATUSES, type merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { EmptyToPaid } from "../charges/to-paid.tsx";
import { showBrl } from "../parts/amount.ts";
import { afterState, amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { Empty } from "../parts/feedback.tsx";
import { useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { ListScreen } from "../parts/list-screen.tsx";
import type { Column } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { TimeLeft } from "./countdown.tsx";
import { BlockState } from "./state.tsx";
import { useWaitingBlocks, Waiting } from "./waiting.tsx";

type Block = merchant.BalanceBlock;

/** Money that is set aside for a dispute or an order. */
export default function Blocks() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const waiting = useWaitingBlocks()?.length ?? 0;
  const state = useTabs(BLOCK_STATUSES, {
    first: t("withdrawals.all"),
    textOf: (one) => t(`blocks.tab.${one}`),
    countOf: (one) => (one === "awaiting_response" ? waiting : 0),
  });
  const held = useHeld("blocks");
  return (
    <ListScreen<Block>
      title={t("blocks.title")}
      queryKey={[...scope, "blocks"]}
      filters={[state]}
      read={(page) => pixgate.balanceBlocks.list({ ...page, status: state.value })}
      keyOf={({ id }) => id}
      sumOf={held}
      empty={state.value === undefined ? <NoBlocks /> : t("filters.none")}
      hrefOf={({ id }) => `/blocks/${id}`}
      columns={[
        timeColumn(t("blocks.since"), ({ createdAt }) => createdAt, { corner: undefined }),
        {
          key: "who",
          title: t("blocks.who"),
          cell: (block) => <Who block={block} />,
          corner: "who",
          phone: ({ payerName, blockType, externalReference }) => (
            <>
              {payerName ? <FreeText>{payerName}</FreeText> : <BlockType type={blockType} />}
              <span className="second">{afterState(externalReference)}</span>
            </>
          ),
        },
        {
          key: "reference",
          title: t("charges.column.reference"),
          className: "second in-one-line",
          cell: ({ externalReference }) => externalReference ?? "–",
        },
        stateColumn(t("charges.column.state"), (block) => <BlockState block={block} />),
        leftColumn(t("blocks.left"), true),
        amountColumn(t("charges.column.amount"), ({ amount }) => amount),
      ]}
    >
      <Waiting />
    </ListScreen>
  );
}

function NoBlocks() {
  const { t } = useTranslation();
  const { session } = useSession();
  if (session.environment !== "sandbox") return <Empty>{t("blocks.empty")}</Empty>;
  return (
    <EmptyToPaid>
      {t("blocks.empty")} {t("blocks.emptySandbox")}
    </EmptyToPaid>
  );
}

/** Whose payment it is about, where it is about one; below it what it is, and why. */
function Who({ block: { payerName, blockType, reason } }: { block: Block }) {
  const typeText = useBlockType();
  const below = [payerName && typeText(blockType), reason].filter(Boolean).join(" · ");
  return (
    <>
      <FreeText>{payerName ?? typeText(blockType)}</FreeText>
      {below !== "" && (
        <div className="label">
          <FreeText>{below}</FreeText>
        </div>
      )}
    </>
  );
}

/** How many there are, and what those that have not ended hold. */
export function useHeld(noun: "blocks" | "disputes") {
  const { t } = useTranslation();
  return useCounted<Pick<Block, "resolvedAt" | "amount">>(noun, (blocks) => {
    const held = addBrl(...blocks.filter(({ resolvedAt }) => resolvedAt === undefined).map(({ amount }) => amount));
    return held === 0 ? [] : [t("blocks.heldSum", { amount: showBrl(held) })];
  });
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

/** The kinds of blocks in words; one that a newer gateway has is shown by its name. */
function useBlockType(): (type: string) => string {
  const { t, i18n } = useTranslation();
  return (type) => (i18n.exists(`blocks.types.${type}`) ? t(`blocks.types.${type}`) : type);
}

export function BlockType({ type }: { type: string }) {
  return <>{useBlockType()(type)}</>;
}
