import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { Facts } from "../../parts/facts.tsx";
import { BigMoney, Money } from "../../parts/money.tsx";
import { Section } from "../../parts/page.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { useKindText } from "../../statement/kind.ts";
import { type Line, otherSideOf } from "./other-side.ts";

type Props = {
  accountId: string;
  name: string;
  line: Line;
  /** Of the wallet; null: main. */
  subAccount: string | null;
  /** Names the wallet of a reference. */
  nameOf: (reference: string) => string;
};

/** One line: both sides of its transfer, which sum to zero, and what caused it. */
export function LedgerLine(props: Props) {
  const { t } = useTranslation();
  const { line, subAccount, nameOf } = props;
  const say = useKindText();
  const side = otherSideOf(line);
  const wallet = nameOf(subAccount ?? "principal");
  const here = `${wallet}, ${t(`statement.in.${line.balance}`)}`;
  const there = () => {
    if (side === null) return t("operator.ledger.side.unknown");
    if (side === "available" || side === "held") return `${wallet}, ${t(`statement.in.${side}`)}`;
    if (side === "wallet" && line.counterpartSubAccount !== undefined) {
      return `${nameOf(line.counterpartSubAccount)}, ${t("statement.in.available")}`;
    }
    return t(`operator.ledger.side.${side}`);
  };
  return (
    <>
      <BigMoney brl={line.amount} />
      <p>{say(line.kind)}</p>
      <Section title={t("operator.ledger.sides")}>
        {[
          { key: "here", text: here, brl: line.amount },
          { key: "there", text: there(), brl: -line.amount },
        ].map(({ key, text, brl }) => (
          <p key={key} className="row-line">
            {text}
            <span className="row-end">
              <Money brl={brl} movement />
            </span>
          </p>
        ))}
        <p className="small quiet">{t("operator.ledger.zero")}</p>
      </Section>
      <Facts
        facts={[
          [t("operator.ledger.booked"), <Moment key="booked" at={line.bookedAt} seconds />],
          [t("operator.ledger.occurred"), <Moment key="occurred" at={line.occurredAt} seconds />],
          [t("operator.ledger.balanceAfter"), <Money key="after" brl={line.balanceAfter} />],
          [t("operator.ledger.number"), line.line],
          [t("operator.ledger.counterpart"), line.counterpart],
          [t("operator.withdrawals.e2e"), line.e2eId],
          [t("operator.ledger.source"), line.sourceId],
        ]}
      />
      <Cause {...props} />
    </>
  );
}

/** What moved the money: a withdrawal opens at the operator's, a charge as its account sees it. */
function Cause({ accountId, name, line, subAccount }: Props) {
  const { t } = useTranslation();
  const { see } = useSession();
  const [, go] = useLocation();
  if (line.withdrawalId !== undefined) {
    return (
      <Link href={`/operator/withdrawals?open=${line.withdrawalId}`} className="link">
        {t("operator.ledger.openWithdrawal")}
      </Link>
    );
  }
  const payment = line.originalTransactionId ?? line.transactionId;
  if (payment === undefined) return null;
  return (
    <>
      <p className="note">{t("operator.accounts.seeText")}</p>
      <Button
        variant="default"
        onClick={() => {
          see({ accountId, name }, subAccount);
          go(`/transactions?open=${payment}`);
        }}
      >
        {t("operator.ledger.openPayment")}
      </Button>
    </>
  );
}
