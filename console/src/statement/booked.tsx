import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Sums } from "../parts/facts.tsx";
import { useSession } from "../session/session.tsx";
import { useKindText } from "./kind.ts";

type Line = merchant.StatementItem;
type Row = readonly [name: string, brl: number];

/** Every ledger line of a transaction and of what followed from it, the oldest first; null until they are read. */
export function useLinesOf({ id, type }: Pick<merchant.Transaction, "id" | "type">, isBooked = true) {
  const { pixgate, scope } = useSession();
  // Of a refund, a transfer or an adjustment nothing follows.
  const isWhole = type === "payment" || type === "withdrawal";
  return useQuery({
    queryKey: [...scope, "statement", "of-transaction", id],
    enabled: isBooked && id !== "",
    queryFn: async () => {
      const { items } = await pixgate.statement
        .list(isWhole ? { originalTransactionId: id } : { transactionId: id })
        .page();
      return items.toReversed();
    },
  });
}

export const sumOf = (lines: readonly Line[]): number => addBrl(...lines.map(({ amount }) => amount));

/**
 * What a transaction brought and cost, one row for each kind of line. A line that only moves money between the balances of the wallet
 * has its twin in the other balance, and adds nothing: what is still held at the end is a row of its own.
 *
 * @param rowsOf other rows for a kind; null: its sum.
 */
export function Booked(props: {
  lines: readonly Line[];
  total: string;
  rowsOf?: (kind: string, sum: number) => readonly Row[] | null;
}) {
  const { t } = useTranslation();
  const kindText = useKindText();
  const { lines, total, rowsOf } = props;
  const kinds = [...new Set(lines.map(({ kind }) => kind))];
  const rows = kinds.flatMap((kind): readonly Row[] => {
    const sum = sumOf(lines.filter((line) => line.kind === kind));
    return sum === 0 ? [] : (rowsOf?.(kind, sum) ?? [[kindText(kind), sum]]);
  });
  const held = sumOf(lines.filter(({ balance }) => balance === "held"));
  const stillHeld: readonly Row[] = held === 0 ? [] : [[t("charge.held"), -held]];
  return <Sums lines={[...rows, ...stillHeld]} total={[total, addBrl(sumOf(lines), -held)]} />;
}
