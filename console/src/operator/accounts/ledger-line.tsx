import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { Facts } from "../../parts/facts.tsx";
import { Failure } from "../../parts/feedback.tsx";
import { BigMoney, Money } from "../../parts/money.tsx";
import { Section } from "../../parts/page.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { useKindText } from "../../statement/kind.ts";
import { type Line, otherSideOf } from "./other-side.ts";

/** Lines of one cause are booked in one transaction: all within this time after the line, milliseconds. */
const BOOKED_WITHIN = 1_000;

/** One line: both sides of its transfer, which sum to zero, and what caused it. `subAccount`: of the wallet; null: main. */
export function LedgerLine(props: { accountId: string; name: string; line: Line; subAccount: string | null }) {
  const { t } = useTranslation();
  const { line, subAccount } = props;
  const say = useKindText();
  const other = useOtherWallet(props);
  const side = otherSideOf(line);
  const main = t("operator.accounts.mainWallet");
  const here = `${subAccount ?? main}, ${t(`statement.in.${line.balance}`)}`;
  const there = () => {
    if (side === null) return t("operator.ledger.side.unknown");
    if (side === "available" || side === "held") return `${subAccount ?? main}, ${t(`statement.in.${side}`)}`;
    if (side === "wallet" && other.data) return `${other.data.name}, ${t("statement.in.available")}`;
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
      {other.error && <Failure error={other.error} retry={() => void other.refetch()} />}
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
function Cause({ accountId, name, line, subAccount }: Parameters<typeof LedgerLine>[0]) {
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

/** The wallet that has the same transfer with the other sign; undefined while it is searched, null where none is found. */
function useOtherWallet({ accountId, line, subAccount }: Parameters<typeof LedgerLine>[0]) {
  const { t } = useTranslation();
  const { operator } = useSession();
  return useQuery({
    queryKey: ["operator", "account", accountId, "other", line.sourceId, line.kind, line.leg, subAccount],
    enabled: otherSideOf(line) === "wallet",
    queryFn: async () => {
      const { items } = await operator.accounts.balance(accountId, { limit: 20 });
      const from = line.bookedAt;
      const to = new Date(new Date(from).getTime() + BOOKED_WITHIN).toISOString();
      for (const wallet of items.filter((one) => one.subAccount !== subAccount)) {
        const kind = line.kind as "charge_split" | "transfer";
        const of = wallet.subAccount === null ? {} : { subAccount: wallet.subAccount };
        const page = await operator.accounts.statement(accountId, { kind, from, to, limit: 100, ...of });
        const isIt = (one: Line) => one.sourceId === line.sourceId && one.leg === line.leg;
        if (page.items.some(isIt)) {
          return {
            name: wallet.subAccount === null ? t("operator.accounts.mainWallet") : (wallet.name ?? wallet.subAccount),
          };
        }
      }
      return null;
    },
  });
}
