import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Sums } from "../parts/facts.tsx";
import { useSession } from "../session/session.tsx";
import { useKindText } from "./kind.ts";

/** Of one transaction and what followed: a refund in parts has four, so those of 250 refunds. */
const MOST_LINES = 1_000;

type Line = merchant.StatementItem;
type Row = readonly [name: string, brl: number];

/** Whether the lines of what followed a transaction are read too: those of a payment or withdrawal. The other types have only their own lines. */
export const isWhole = (type: string): boolean => type === "payment" || type === "withdrawal";

/** Every ledger line of a transaction and of what followed from it, the oldest first; null until they are read. */
export function useLinesOf({ id, type }: Pick<merchant.Transaction, "id" | "type">, isBooked = true) {
  const { pixgate, scope } = useSession();
  return useQuery({
    queryKey: [...scope, "statement", "of-transaction", id],
    enabled: isBooked && id !== "",
    queryFn: async () => {
      const lines = pixgate.statement.list({
        ...(isWhole(type) ? { originalTransactionId: id } : { transactionId: id }),
        limit: 100,
      });
      return (await lines.toArray({ limit: MOST_LINES })).toReversed();
    },
  });
}

export const sumOf = (lines: readonly Line[]): number => addBrl(...lines.map(({ amount }) => amount));

/** Lines by their kinds, in the order of the first of each, with their sum; without the kinds that add nothing. */
function sumsByKind(lines: readonly Line[]): (readonly [kind: string, sum: number])[] {
  const kinds = [...new Set(lines.map(({ kind }) => kind))];
  return kinds
    .map((kind) => [kind, sumOf(lines.filter((line) => line.kind === kind))] as const)
    .filter(([, sum]) => sum !== 0);
}

/**
 * What a transaction brought and cost, one row for each kind of line. Money that moves from one balance of the wallet to another has a
 * line in each, and the two add up to nothing. What is still held at the end is a row of its own. What was held and has been given
 * back is shown only where there is no other row.
 *
 * @param holds false where what these lines hold has left by another transaction: the fee that a refund holds leaves as a transaction
 * of its own, and a chargeback takes what its payment holds.
 * @param rowsOf the rows of a kind in place of its sum; null: its sum.
 */
export function Booked(props: {
  lines: readonly Line[];
  total: string;
  holds?: boolean;
  rowsOf?: (kind: string, sum: number) => readonly Row[] | null;
}) {
  const { t } = useTranslation();
  const kindText = useKindText();
  const { lines, total, holds = true, rowsOf } = props;
  const held = holds ? sumOf(lines.filter(({ balance }) => balance === "held")) : 0;
  const sums = sumsByKind(lines);
  // Where everything held has been given back, the rows are what was held.
  const shown = sums.length > 0 || held !== 0 ? sums : sumsByKind(lines.filter(({ balance }) => balance !== "held"));
  const rows = shown.flatMap(([kind, sum]): readonly Row[] => rowsOf?.(kind, sum) ?? [[kindText(kind), sum]]);
  const stillHeld: readonly Row[] = held === 0 ? [] : [[t("charge.held"), -held]];
  return <Sums lines={[...rows, ...stillHeld]} total={[total, addBrl(sumOf(lines), -held)]} />;
}
