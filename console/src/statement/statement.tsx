import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { addBrl, type merchant, TRANSACTION_TYPES } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { FirstCharge } from "../charges/first-charge.tsx";
import { showBrl } from "../parts/amount.ts";
import { amountColumn, timeColumn } from "../parts/columns.tsx";
import { Empty } from "../parts/feedback.tsx";
import { type Filter, focusFilters, useAddress, useChoice, useTabs } from "../parts/filters.tsx";
import { Icon } from "../parts/icon.tsx";
import { dayOf } from "../parts/instant.ts";
import { PagedList } from "../parts/list.tsx";
import { Money } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { useDaysText, usePeriod } from "../parts/period.tsx";
import { Table } from "../parts/table.tsx";
import { isRefusal, SessionError } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { Explanation, WhyChip } from "./explanation.tsx";
import { Export } from "./export.tsx";
import { FEES, isFee } from "./fee-rows.ts";
import { useKindText } from "./kind.ts";
import { isNamed, KindText, SecondLine, WhatMoved } from "./movement.tsx";
import { eachLine, followedOf, type Movement, movementsOf } from "./movements.ts";
import type { Extent } from "./printed.tsx";

type Line = merchant.StatementItem;
type Query = NonNullable<merchant.StatementListData["query"]>;

/** The type whose lines alone are listed, as the API takes it. */
function useType(): Filter & { readonly query: Pick<Query, "type" | "kind"> | undefined } {
  const { t } = useTranslation();
  const sayKind = useKindText();
  const { value, control } = useChoice(
    ...(["type", t("transactions.type"), [...TRANSACTION_TYPES, "tax", ...FEES] as const] as const),
    (one) => (isFee(one) ? sayKind(one) : t(`transactions.types.${one}`)),
  );
  return { value, control, query: value && (isFee(value) ? { kind: value } : { type: value }) };
}

/** The payment or transaction that the address names, whose lines alone are listed. */
function useOne(): { readonly query: Query; readonly text: string } | null {
  const { t } = useTranslation();
  const address = useAddress();
  const [payment, transaction] = [address.get("payment"), address.get("transaction")];
  if (payment !== null)
    return { query: { originalTransactionId: payment }, text: t("print.ofPayment", { id: payment }) };
  if (transaction === null) return null;
  return { query: { transactionId: transaction }, text: t("print.ofTransaction", { id: transaction }) };
}

/** Every movement with the balance after it, and why the balance is what it was at any of them. */
export default function Statement() {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const period = usePeriod("period", t("statement.period"));
  const { days, from, to } = period;
  // What can be spent is asked for most; "all" are the lines of every balance as the ledger has them.
  const lines = useTabs(["held", "promotional", "all"], {
    ...{ name: "lines", label: t("statement.balances"), first: t("statement.in.available") },
    textOf: (one) => t(`statement.in.${one}`),
  });
  const type = useType();
  const one = useOne();
  // The lines of one payment are of any day.
  const query: Query = one?.query ?? { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const tab = lines.value ?? "available";
  const ofType = one === null ? type.query : undefined;
  // What a type came to is of the whole wallet, as in the monthly close.
  const balance = one === null && ofType === undefined && tab !== "all" ? tab : undefined;
  const narrow: Query = { ...(balance && { balance }), ...ofType };
  const today = dayOf(new Date());
  // A statement ends now, whatever day of the future the address names.
  const until = days.to !== null && days.to < today ? days.to : today;
  const inWords = useDaysText()({ from: days.from, to: until }) ?? "";
  const extent: Extent =
    one === null
      ? { heading: t("nav.statement"), name: t("statement.period"), text: inWords }
      : { heading: t("print.partial"), name: t("print.filter"), text: one.text };
  // What was read for other filters is not printed with these.
  const shown = `${JSON.stringify(query)} ${i18n.language}`;
  return (
    <Page
      title={t("nav.statement")}
      beside={<Available />}
      acts={
        <>
          <Button component={Link} variant="default" href="/statement/closing">
            {t("closing.link")}
          </Button>
          <Export key={shown} query={query} extent={extent} narrow={narrow} />
        </>
      }
    >
      <div className="split">
        <div className="statement-lines">
          {one === null && ofType === undefined && lines.control}
          <div className="chips">
            <WhyChip />
            {one === null && period.control}
            {one === null && type.control}
            {one !== null && (
              <button
                type="button"
                className="chip"
                onClick={() => {
                  focusFilters();
                  address.change({ transaction: null, payment: null });
                }}
              >
                {t("statement.ofCharge")} <Icon name="close" size={12} />
              </button>
            )}
          </div>
          <Lines query={{ ...query, ...narrow }} />
        </div>
        <Explanation />
      </div>
    </Page>
  );
}

/** What is available, where the explanation that begins with it is not beside the statement. */
function Available() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const isNarrow = useMediaQuery("(max-width: 1100px)", undefined, { getInitialValueInEffect: false });
  const { data } = useQuery({
    queryKey: [...scope, "balance"],
    queryFn: () => pixgate.account.get(),
    enabled: isNarrow && may("ACCOUNT:READ"),
  });
  if (data === undefined) return null;
  return (
    <span className="narrow-only second num">
      {t("statement.in.available")} <strong>{showBrl(data.balance.available.amountFormatted)}</strong>
    </span>
  );
}

/** Reads lines. A process of an earlier version refuses a type, and is asked again until none is left. */
async function readOfType<Read>({ type }: Query, read: () => Promise<Read>): Promise<Read> {
  try {
    return await read();
  } catch (error) {
    if (type === undefined || !isRefusal(error) || !isAboutType(error.details.issues)) throw error;
    throw new SessionError(503, "OLDER_VERSION", error.message, error.traceId);
  }
}

const isAboutType = (issues: unknown): boolean => Array.isArray(issues) && issues.some(({ path }) => path === "type");

/** The movements of one balance, or each line of all that is asked for. */
function Lines({ query }: { query: Query }) {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const rowsOf = (lines: readonly Line[], isWhole: boolean) =>
    query.balance === undefined ? eachLine(lines) : movementsOf(lines, isWhole);
  const { balance, ...filters } = query;
  const isFiltered = Object.keys(filters).length > 0 || balance === "held" || balance === "promotional";
  const isOfType = query.type !== undefined || query.kind !== undefined;
  const sumsOf = (lines: readonly Line[]): readonly string[] =>
    [1, -1].flatMap((sign) => {
      const sum = addBrl(0, ...lines.map(({ amount }) => Math.max(0, amount * sign)));
      return sum > 0 ? [t(sign > 0 ? "statement.came" : "statement.went", { amount: showBrl(sum) })] : [];
    });
  const sumOf = (lines: readonly Line[], isWhole: boolean): string => {
    const count = t("statement.lines", { count: lines.length });
    const shown =
      query.balance === undefined
        ? [count, ...(isOfType ? sumsOf(lines) : [])].join(" · ")
        : t("statement.movements", { count: rowsOf(lines, isWhole).length, lines: count });
    return isWhole ? shown : t("statement.andMore", { shown });
  };
  return (
    <PagedList<Line>
      queryKey={[...scope, "statement", query]}
      lines={24}
      read={(page) => readOfType(query, () => pixgate.statement.list({ ...query, ...page }).page())}
      keyOf={keyOf}
      empty={
        isFiltered ? (
          <Empty>{t("statement.empty")}</Empty>
        ) : (
          <Empty act={<FirstCharge />}>{t("statement.emptyYet")}</Empty>
        )
      }
      sumOf={sumOf}
    >
      {(lines, isWhole) => <Movements rows={rowsOf(lines, isWhole)} isGrouped={query.balance !== undefined} />}
    </PagedList>
  );
}

function Movements({ rows, isGrouped }: { rows: readonly Movement[]; isGrouped: boolean }) {
  const { t } = useTranslation();
  const address = useAddress();
  const followed = followedOf(isGrouped ? rows : []);
  return (
    <Table<Movement>
      caption={t("nav.statement")}
      rows={rows}
      keyOf={({ newest }) => keyOf(newest)}
      onOpen={({ newest: { bookedAt, balance } }) => address.change({ at: bookedAt, balance })}
      columns={[
        timeColumn(t("charges.column.time"), ({ newest }) => newest.bookedAt, { seconds: true, corner: undefined }),
        {
          key: "movement",
          title: t("statement.movement"),
          cell: (movement) => <WhatMoved movement={movement} followed={followed} isGrouped={isGrouped} />,
          corner: "who",
          phone: ({ main }) =>
            isNamed(main, isGrouped) ? main.counterpart : <KindText line={main} isGrouped={isGrouped} />,
        },
        {
          key: "cause",
          title: t("statement.movement"),
          cell: ({ main }) => <SecondLine line={main} isGrouped={isGrouped} />,
          corner: "state",
          isPhoneOnly: true,
        },
        amountColumn(t("charges.column.amount"), ({ amount }) => amount, { movement: true }),
        {
          key: "balance",
          title: t("statement.balance"),
          end: true,
          className: "quiet",
          cell: ({ newest }) => <Money brl={newest.balanceAfter} />,
          corner: "time",
        },
      ]}
    />
  );
}

const keyOf = ({ balance, line }: Line): string => `${balance} ${line}`;
