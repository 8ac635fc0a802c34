import { addBrl, type merchant } from "@pixgate/sdk";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Sums } from "../parts/facts.tsx";
import { Read } from "../parts/feedback.tsx";
import { Section } from "../parts/page.tsx";
import { State } from "../parts/state.tsx";
import { Booked, sumOf, type useLinesOf } from "../statement/booked.tsx";

type Charge = merchant.Transaction;
type Line = merchant.StatementItem;

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
        {(read) => <BookedOf charge={charge} lines={read} />}
      </Read>
    </Section>
  );
}

/** That a payment is contested, as a link to its dispute; where the ledger holds nothing of it for one, `children`. */
export function Contested({ lines, children }: { lines: readonly Line[] | undefined; children: ReactNode }) {
  const { t } = useTranslation();
  const block = lines?.findLast(({ kind }) => kind === "block_held");
  const held = sumOf((lines ?? []).filter(({ balance, kind }) => balance === "held" && kind.startsWith("block_")));
  if (block?.blockId === undefined || held === 0) return children;
  return (
    <Link href={`/blocks/${block.blockId}`} className="link">
      <State shape="needs">{t("charge.contested")}</State>
    </Link>
  );
}

/** What the payment brought and cost; a split by its legs, where these are what was booked. */
function BookedOf({ charge: { split = [] }, lines }: { charge: Charge; lines: readonly Line[] }) {
  const { t } = useTranslation();
  const legsOf = (kind: string, sum: number) =>
    kind === "charge_split" && split.length > 0 && addBrl(...split.map(({ amount }) => -amount)) === sum
      ? split.map(({ subAccount, amount }): [string, number] => [t("charge.splitTo", { wallet: subAccount }), -amount])
      : null;
  return <Booked lines={lines} total={t("charge.net")} rowsOf={legsOf} />;
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
        <p className="small quiet pad-top">{t("charge.feeLater")}</p>
      ) : (
        <Sums lines={lines} total={[t("charge.net"), netAmount]} />
      )}
    </Section>
  );
}
