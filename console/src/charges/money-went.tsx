import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Sums } from "../parts/facts.tsx";
import { Read } from "../parts/feedback.tsx";
import { Section } from "../parts/page.tsx";
import { State } from "../parts/state.tsx";
import { useSession } from "../session/session.tsx";
import { useKindText } from "../statement/kind.ts";

type Charge = merchant.Transaction;
type Line = merchant.StatementItem;

/** Every ledger line of a payment and of what followed from it, the oldest first; null until they are read. */
export function useLinesOf(charge: Charge) {
  const { pixgate, scope } = useSession();
  return useQuery({
    queryKey: [...scope, "statement", "of-payment", charge.id],
    enabled: charge.status === "completed",
    queryFn: async () => {
      const { items } = await pixgate.statement.list({ originalTransactionId: charge.id }).page();
      return items.toReversed();
    },
  });
}

/** Where a payment's money is, from the ledger; before it is paid, where it will go. */
export function WhereTheMoneyWent({ charge, lines }: { charge: Charge; lines: ReturnType<typeof useLinesOf> }) {
  const { t } = useTranslation();
  if (charge.status === "pending") return <WhereItGoes charge={charge} />;
  if (charge.status !== "completed") return null;
  const all = (
    <Link href={`/statement?payment=${charge.id}`} className="act">
      {t("charge.lines")}
    </Link>
  );
  return (
    <Section title={t("charge.moneyWent")} end={all}>
      <Read query={lines} lines={4}>
        {(read) => <Booked charge={charge} lines={read} />}
      </Read>
    </Section>
  );
}

/** What a dispute holds of a payment, beside its state. */
export function Contested({ lines }: { lines: readonly Line[] | undefined }) {
  const { t } = useTranslation();
  const block = lines?.findLast(({ kind }) => kind === "block_held");
  const held = sumOf((lines ?? []).filter(({ balance, kind }) => balance === "held" && kind.startsWith("block_")));
  if (block?.blockId === undefined || held === 0) return null;
  return (
    <Link href={`/blocks/${block.blockId}`} className="link">
      <span style={{ fontSize: 15 }}>
        <State shape="needs">{t("charge.contested")}</State>
      </span>
    </Link>
  );
}

const sumOf = (lines: readonly Line[]): number => addBrl(...lines.map(({ amount }) => amount));

/**
 * What the payment brought and cost, one row for each kind of line. A line that only moves money between the balances of the wallet has
 * its twin in the other balance, and adds nothing: what is still held at the end is a row of its own.
 */
function Booked({ charge, lines }: { charge: Charge; lines: readonly Line[] }) {
  const { t } = useTranslation();
  const kindText = useKindText();
  const kinds = [...new Set(lines.map(({ kind }) => kind))];
  const rows = kinds.flatMap((kind): [string, number][] => {
    const sum = sumOf(lines.filter((line) => line.kind === kind));
    if (sum === 0) return [];
    const legs = kind === "charge_split" ? (charge.split ?? []) : [];
    if (legs.length > 0 && addBrl(...legs.map(({ amount }) => -amount)) === sum)
      return legs.map(({ subAccount, amount }) => [t("charge.splitTo", { wallet: subAccount }), -amount]);
    return [[kindText(kind), sum]];
  });
  const held = sumOf(lines.filter(({ balance }) => balance === "held"));
  if (held !== 0) rows.push([t("charge.held"), -held]);
  return <Sums lines={rows} total={[t("charge.net"), addBrl(sumOf(lines), -held)]} />;
}

function WhereItGoes({ charge }: { charge: Charge }) {
  const { t } = useTranslation();
  const { amount, feeAmount = 0, split = [], netAmount } = charge;
  const lines: (readonly [string, number])[] = [[t("charge.toPay"), amount]];
  if (netAmount !== undefined) lines.push([t("charge.fee"), -feeAmount]);
  for (const leg of split) lines.push([t("charge.splitTo", { wallet: leg.subAccount }), -leg.amount]);
  return (
    <Section title={t("charge.moneyGoes")} end={t("charge.whenPaid")}>
      {netAmount === undefined ? (
        <p className="small quiet" style={{ paddingTop: 12 }}>
          {t("charge.feeLater")}
        </p>
      ) : (
        <Sums lines={lines} total={[t("charge.net"), netAmount]} />
      )}
    </Section>
  );
}
