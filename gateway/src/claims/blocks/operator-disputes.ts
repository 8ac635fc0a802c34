import { type Static, Type } from "typebox";
import type { Context } from "../../context.ts";
import { AnswerObject, OrNull, ref } from "../../http/contract.ts";
import { isTime, PageQuery, pageOf, readPeriod, readSortedPage } from "../../http/pages.ts";
import type { OperatorRoutes } from "../../http/scopes/operator.ts";
import { PRINCIPAL } from "../../http/wallet.ts";
import { isUuid } from "../../lib/ids.ts";
import { BalanceBlock, toBalanceBlock } from "./block.ts";
import { type AnyBlock, BLOCK_ORDERS, listAllBlocks } from "./list-all.ts";
import { BLOCK_STATUSES, BLOCK_TYPES } from "./row.ts";

const OperatorBalanceBlock = AnswerObject("OperatorBalanceBlock", "A balance block as the operator sees it.", {
  ...BalanceBlock.properties,
  accountId: Type.String({ format: "uuid", description: "Whose money it is." }),
  accountName: Type.String({ description: "Name of the account." }),
  subAccount: OrNull(Type.String(), "Reference of its wallet; null: the main account."),
  institutionId: Type.String({
    format: "uuid",
    description: "The institution that pays it out when it is approved.",
  }),
});
const OperatorBalanceBlockPage = pageOf(OperatorBalanceBlock, "A page of the balance blocks of all accounts.");
const Query = Type.Object({
  open: Type.Optional(
    Type.Boolean({ description: "`true`: only those that have not ended; `false`: only those that have." }),
  ),
  status: Type.Optional(Type.Enum([...BLOCK_STATUSES], { type: "string", description: "Only this status." })),
  blockType: Type.Optional(Type.Enum([...BLOCK_TYPES], { type: "string", description: "Only this kind." })),
  accountId: Type.Optional(Type.String({ format: "uuid", description: "Only of this account." })),
  institutionId: Type.Optional(Type.String({ format: "uuid", description: "Only of this institution." })),
  respondBefore: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Only those that nobody has answered, and whose deadline is before this.",
    }),
  ),
  respondAfter: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Only those that nobody has answered, and whose deadline is at this time or later.",
    }),
  ),
  order: Type.Optional(
    Type.Enum([...BLOCK_ORDERS], {
      type: "string",
      default: "newest",
      description: "`deadline`: the nearest deadline first, those without one last. The cursor is of this order.",
    }),
  ),
  ...PageQuery,
});
/** A cursor of one order is refused in the other. */
const LISTS = { newest: "all balance blocks", deadline: "all balance blocks by deadline" } as const;
/** Deadline in milliseconds (0: none), and id. */
const fits = (position: readonly unknown[]): position is readonly [number, string] =>
  position.length === 2 && isTime(position[0]) && isUuid(position[1]);

/** Whether a page may read many blocks: only those that nobody has answered have an index by their deadline. */
const isSearch = (query: Static<typeof Query>): boolean => {
  const isUnanswered =
    (query.respondBefore ?? query.respondAfter) !== undefined || query.status === "awaiting_response";
  const { open, status, blockType, institutionId, order } = query;
  return !isUnanswered && (order === "deadline" || (open ?? status ?? blockType ?? institutionId) !== undefined);
};

/** `/balance-blocks` of all accounts: disputes (MED) and orders, with their deadlines. */
export function disputeRoutes(route: OperatorRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/balance-blocks",
    operationId: "balanceBlocks.list",
    summary: "List the balance blocks of all accounts",
    description:
      "Disputes (MED) and orders, newest first or by deadline. `respondBy` is the deadline of the merchant's answer: `respondBefore` finds those that are about to miss it.",
    role: "finance",
    readsHistory: isSearch,
    query: Query,
    answer: ref(OperatorBalanceBlockPage),
    handle({ query }) {
      const { open, order = "newest", ...same } = query;
      return readSortedPage(LISTS[order], query, {
        isPosition: fits,
        async read(after, count) {
          const [respondAfter, respondBefore] = readPeriod(query, ["respondAfter", "respondBefore"]);
          const filter = {
            ...same,
            ...{ isOpen: open, order, respondAfter, respondBefore },
            after: after && { respondBy: after[0] === 0 ? null : new Date(after[0]), blockId: after[1] },
          };
          return { rows: await listAllBlocks(isSearch(query) ? ctx.history : ctx.db, filter, count) };
        },
        show: toOperatorBlock,
        positionOf: ({ respondBy, blockId }) => [respondBy?.getTime() ?? 0, blockId],
      });
    },
  });
}

const toOperatorBlock = (block: AnyBlock) => ({
  ...toBalanceBlock(block),
  accountId: block.accountId,
  accountName: block.accountName,
  subAccount: block.reference === PRINCIPAL ? null : block.reference,
  institutionId: block.institutionId,
});
