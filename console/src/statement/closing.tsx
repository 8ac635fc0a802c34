import "@mantine/core/styles/ActionIcon.css";
import { ActionIcon, Button } from "@mantine/core";
import { addBrl, type merchant } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { FirstCharge } from "../charges/first-charge.tsx";
import { showBrl } from "../parts/amount.ts";
import { csvFormat } from "../parts/csv.ts";
import { Sums } from "../parts/facts.tsx";
import { Empty, Read } from "../parts/feedback.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { useAddress } from "../parts/filters.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { dayOf, lastDayOf, monthAfter, showDay, showDayAndClock, showMonth, startOfDay } from "../parts/instant.ts";
import { BigMoney, Money } from "../parts/money.tsx";
import { Page, Section } from "../parts/page.tsx";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { useSession } from "../session/session.tsx";
import { feeRows } from "./fee-rows.ts";
import { useKindText } from "./kind.ts";
import { MadeAt, Paper, PaperHead } from "./paper.tsx";
import { useWhose } from "./whose.ts";
import "./closing.css";

type Summary = merchant.StatementSummary;
type Shown = {
  readonly summary: Summary;
  readonly account: merchant.AccountAndBalance["account"];
  readonly balance: merchant.AccountAndBalance["balance"];
  readonly readAt: Date;
};

/** The month in the address, which a person may have typed; the current month where it is none of this century or in the future. */
const monthNamed = (text: string | null, current: string): string =>
  text !== null && /^20\d\d-(0[1-9]|1[0-2])$/.test(text) && text <= current ? text : current;

/** A month: its balances, what came in and went out by type, and its fees, all equal to the ledger. On the screen and on paper. */
export default function Closing() {
  const { t, i18n } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const current = dayOf(new Date()).slice(0, 7);
  const month = monthNamed(address.get("month"), current);
  const query = useQuery({
    queryKey: [...scope, "closing", month],
    queryFn: async (): Promise<Shown> => {
      const readAt = new Date();
      const [summary, { account, balance }] = await Promise.all([
        pixgate.statement.summary({ month }),
        pixgate.account.get(),
      ]);
      return { summary, account, balance, readAt };
    },
  });
  const step = (months: number, icon: IconName, text: string) => (
    <ActionIcon
      variant="subtle"
      aria-label={text}
      disabled={months > 0 && month === current}
      onClick={() => address.change({ month: monthAfter(month, months) })}
    >
      <Icon name={icon} />
    </ActionIcon>
  );
  return (
    <Page
      title={t("closing.title", { month: showMonth(month, i18n.language) })}
      crumb={{ href: "/statement", text: t("nav.statement") }}
      beside={
        <span className="month-steps">
          {step(-1, "left", t("closing.previous"))}
          {step(1, "right", t("closing.next"))}
        </span>
      }
      acts={
        <>
          <Button
            variant="default"
            disabled={!query.isSuccess || !isEqual(query.data.summary)}
            onClick={() => window.print()}
          >
            {t("closing.print")}
          </Button>
          <FileButton
            name={`pixgate-${month}.pdf`}
            type="application/pdf"
            read={() => pixgate.statement.summaryAs("application/pdf", { month, language: csvFormat(i18n.language) })}
          >
            {t("closing.pdf")}
          </FileButton>
        </>
      }
    >
      <Read query={query} lines={8}>
        {(shown) => <Month {...shown} />}
      </Read>
    </Page>
  );
}

/** What came in and what went out, BRL. */
const sumsOf = ({ items }: Summary) => ({
  came: addBrl(0, ...items.map((item) => item.in)),
  went: addBrl(0, ...items.map(({ out }) => out)),
});
/** Whether the types add up to the difference between the balances, to the centavo. */
function isEqual(summary: Summary): boolean {
  const { came, went } = sumsOf(summary);
  return addBrl(summary.openingBalance, came, -went) === summary.closingBalance;
}

function Month(shown: Shown) {
  const { t, i18n } = useTranslation();
  const { summary, balance, readAt } = shown;
  const { month, openingBalance, closingBalance, items, fees, closed } = summary;
  const { came, went } = sumsOf(summary);
  if (!isEqual(summary)) return <State shape="failed">{t("closing.unequal")}</State>;
  const period = `from=${month}-01&to=${lastDayOf(month)}`;
  return (
    <>
      <div className="small second">
        {closed
          ? t("closing.final", { day: showDay(startOfDay(lastDayOf(month)), i18n.language) })
          : t("closing.soFar")}
      </div>
      <BigMoney brl={closingBalance} />
      {/* The balance of a month that is over may be spent by now. */}
      {!closed && closingBalance !== 0 && closingBalance === balance.total.amountFormatted && (
        <p className="small second">
          {t("closing.parts", {
            available: showBrl(balance.available.amountFormatted),
            held: showBrl(balance.held.amountFormatted),
          })}
        </p>
      )}
      <p className="small second">
        <State shape={closed ? "done" : "waiting"}>
          {closed ? t("closing.over") : t("closing.running", { at: showDayAndClock(readAt, i18n.language) })}
        </State>
      </p>
      {items.length === 0 ? (
        <Empty act={!closed && <FirstCharge />}>{t("closing.empty")}</Empty>
      ) : (
        <>
          <div className="closing-sums">
            <Section
              title={t("closing.balance")}
              end={
                <Link className="link" href={`/statement?${period}`}>
                  {t("closing.movements")}
                </Link>
              }
            >
              <Sums
                lines={[
                  [t("print.opening"), openingBalance],
                  [t("closing.in"), came],
                  [t("closing.out"), -went],
                ]}
                total={[t(closed ? "print.closing" : "closing.soFar"), closingBalance]}
              />
              <p className="small second">
                <State shape="done">{t("closing.adds")}</State>
              </p>
            </Section>
            {fees.length > 0 && <Fees summary={summary} period={period} />}
          </div>
          <Section title={t("closing.byType")} end={fees.length > 0 && t("closing.feesApart")}>
            <Types items={items} period={period} />
          </Section>
        </>
      )}
      <OnPaper {...shown} />
    </>
  );
}

/** What each operation's fees came to; each opens its lines. */
function Fees({ summary, period }: { summary: Summary; period: string }) {
  const { t } = useTranslation();
  const sayKind = useKindText();
  const { rows, total } = feeRows(summary);
  const isBack = rows.some(({ amount }) => amount < 0);
  return (
    <Section title={t("closing.fees")} end={t(isBack ? "closing.feesInBoth" : "closing.feesAbove")}>
      <Sums
        lines={rows.map(({ kind, count, amount }) => [
          <Link key={kind} className="link" href={`/statement?${period}&type=${kind}`}>
            {count === null ? sayKind(kind) : t(`closing.fee.${kind.slice(0, -"_fee".length)}`, { count })}
          </Link>,
          amount,
        ])}
        total={[t("closing.feesTotal"), total]}
      />
    </Section>
  );
}

/** Null for zero, which the table leaves empty. */
const some = (brl: number): number | null => (brl === 0 ? null : brl);

/** What came in before what went out. A type that a newer gateway has stands last. */
const ORDER = [
  "payment",
  "referral_commission",
  "refund",
  "chargeback",
  "withdrawal",
  "internal_transfer",
  "fee",
  "tax",
];
function inOrder(items: Summary["items"]): Summary["items"] {
  const place = ({ type }: Summary["items"][number]) => (ORDER.indexOf(type) + ORDER.length + 1) % (ORDER.length + 1);
  return items.toSorted((a, b) => place(a) - place(b));
}

/** What each type came to; a row opens its lines. */
function Types({ items, period }: { items: Summary["items"]; period: string }) {
  const { t } = useTranslation();
  return (
    <Table
      caption={t("closing.byType")}
      rows={inOrder(items)}
      keyOf={({ type }) => type}
      hrefOf={({ type }) => `/statement?${period}&type=${type}`}
      columns={[
        {
          key: "type",
          title: t("transactions.type"),
          corner: "who",
          cell: ({ type }) => t(`transactions.types.${type}`),
        },
        {
          key: "count",
          title: t("closing.count"),
          end: true,
          corner: "state",
          cell: ({ count }) => String(count),
          phone: ({ count }) => t("closing.lines", { count }),
        },
        {
          key: "in",
          title: t("closing.in"),
          end: true,
          corner: "amount",
          cell: (item) => <Money brl={some(item.in)} />,
          phone: (item) => <Money brl={addBrl(item.in, -item.out)} />,
        },
        { key: "out", title: t("closing.out"), end: true, cell: ({ out }) => <Money brl={some(-out)} /> },
      ]}
    />
  );
}

function OnPaper({ summary, account, readAt }: Shown) {
  const { t, i18n } = useTranslation();
  const { account: shown, wallet } = useSession();
  const { whose, money } = useWhose()(account);
  const { month, openingBalance, closingBalance, items, fees, closed } = summary;
  const { came, went } = sumsOf(summary);
  const heading = t("closing.title", { month: showMonth(month, i18n.language) });
  const amount = (brl: number | null) => <td className="end">{brl === null ? "–" : showBrl(brl)}</td>;
  const total = (name: string, brl: number) => (
    <tr className="total">
      <th scope="row" colSpan={3}>
        {name}
      </th>
      {amount(brl)}
    </tr>
  );
  return (
    <Paper name={`${heading} ${shown.name} ${wallet ?? ""}`.trim()} heading={heading}>
      <PaperHead facts={[...whose, [t("closing.state"), t(closed ? "closing.over" : "closing.partial")], money]} />
      <table>
        <thead>
          <tr>
            <th scope="col">{t("transactions.type")}</th>
            {["count", "in", "out"].map((name) => (
              <th key={name} scope="col" className="end">
                {t(`closing.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {total(t("print.opening"), openingBalance)}
          {inOrder(items).map((item) => (
            <tr key={item.type}>
              <td>{t(`transactions.types.${item.type}`)}</td>
              <td className="end">{item.count}</td>
              {amount(some(item.in))}
              {amount(some(-item.out))}
            </tr>
          ))}
          <tr className="total">
            <th scope="row" colSpan={2}>
              {t("closing.sum")}
            </th>
            {amount(came)}
            {amount(-went)}
          </tr>
          {total(t("print.closing"), closingBalance)}
          {fees.map(({ operation, count, amount: taken }) => (
            <tr key={operation}>
              <td colSpan={3}>{t(`closing.fee.${operation}`, { count })}</td>
              {amount(taken)}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="foot">{t("closing.equal")}</p>
      <MadeAt at={readAt} />
    </Paper>
  );
}
