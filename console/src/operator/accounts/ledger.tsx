import "../operator.css";
import { addBrl, type operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "wouter";
import { showBrl } from "../../parts/amount.ts";
import { timeColumn } from "../../parts/columns.tsx";
import { useCounted } from "../../parts/counted.ts";
import { CsvButton } from "../../parts/csv-button.tsx";
import { Empty } from "../../parts/feedback.tsx";
import { ChoiceChip, useAddress, useTabs } from "../../parts/filters.tsx";
import { showMoment } from "../../parts/instant.ts";
import { PagedList } from "../../parts/list.tsx";
import { Money } from "../../parts/money.tsx";
import { Page } from "../../parts/page.tsx";
import { Panel } from "../../parts/panel.tsx";
import { usePeriod } from "../../parts/period.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { useSession } from "../../session/session.tsx";
import { useKindText } from "../../statement/kind.ts";
import { Answer } from "../answer.tsx";
import { LedgerLine } from "./ledger-line.tsx";
import { keyOf, type Line } from "./other-side.ts";

const OTHER_BALANCES = ["held", "promotional"] as const;

/** An account's lines: what left a balance, what came, and what it was after each, with the totals. */
export default function Ledger() {
  const { t } = useTranslation();
  const { id = "" } = useParams<{ id: string }>();
  const { operator } = useSession();
  const address = useAddress();
  const account = useQuery({ queryKey: ["operator", "account", id], queryFn: () => operator.accounts.get(id) });
  const wallets = useQuery({
    queryKey: ["operator", "account", id, "wallets"],
    queryFn: () => operator.accounts.balance(id, { limit: 20 }),
  });
  const inWords = (one: Line["balance"]) => t(`statement.in.${one}`);
  const balance = useTabs(OTHER_BALANCES, {
    name: "balance",
    label: t("operator.ledger.balances"),
    first: inWords("available"),
    textOf: inWords,
  });
  const subAccount = address.get("wallet");
  const shown = balance.value ?? "available";
  const booked = usePeriod("booked", t("operator.ledger.booked"));
  const choices = (wallets.data?.items ?? []).flatMap(({ subAccount: value, name }) =>
    value === null ? [] : [{ value, text: name ?? value }],
  );
  const nameOf = useWalletName(wallets.data?.items ?? []);
  const wallet = nameOf(subAccount ?? "principal");
  const read = async (cursor: string | undefined) => {
    const { from, to } = booked;
    const asked = { limit: 100, cursor, from, to, subAccount: subAccount ?? undefined };
    const { items, nextCursor } = await operator.accounts.statement(id, asked);
    return { items: items.filter((one) => one.balance === shown), nextCursor };
  };
  // The list below finds the answer, which stands above its filters.
  const [answerPlace, setAnswerPlace] = useState<HTMLElement | null>(null);
  const ofAccount = { accountId: id, name: account.data?.name ?? "" };
  return (
    <Page
      title={t("operator.ledger.title", { name: ofAccount.name, wallet })}
      crumb={{ href: `/operator/accounts/${id}`, text: account.data?.name ?? t("operator.accounts.one") }}
      acts={<Csv read={read} />}
    >
      <div className="answer-place with-then" ref={setAnswerPlace} />
      {balance.control}
      <div className="chips">
        {choices.length > 0 && <ChoiceChip name="wallet" label={t("operator.ledger.wallet")} choices={choices} />}
        {booked.control}
      </div>
      <PagedList
        queryKey={["operator", "account", id, "ledger", subAccount, shown, booked.value]}
        read={({ cursor }) => read(cursor)}
        keyOf={keyOf}
        sumOf={useCounted("lines")}
        empty={<Empty>{t("operator.ledger.empty")}</Empty>}
      >
        {(items) => (
          <div className="two-sides">
            {answerPlace && createPortal(<Agree lines={items} />, answerPlace)}
            <Lines nameOf={nameOf} lines={items} />
            <Opened {...ofAccount} items={items} subAccount={subAccount} nameOf={nameOf} />
          </div>
        )}
      </PagedList>
    </Page>
  );
}

type ReadPage = (cursor: string | undefined) => Promise<{ items: readonly Line[]; nextCursor: string | null }>;

/** Exactly the lines of the balance, the wallet and the days. */
function Csv({ read }: { read: ReadPage }) {
  return (
    <CsvButton<Line>
      file="pixgate-ledger.csv"
      read={async ({ limit }) => {
        const lines: Line[] = [];
        let next: string | undefined;
        do {
          const page = await read(next);
          lines.push(...page.items);
          next = page.nextCursor ?? undefined;
        } while (next !== undefined && lines.length < limit);
        return lines.slice(0, limit);
      }}
      head={["line", "bookedAt", "kind", "who", "reference", "debit", "credit", "balanceAfter", "sourceId"]}
      rowOf={(line) => [
        ...[String(line.line), new Date(line.bookedAt), line.kind],
        ...[line.counterpart ?? line.counterpartSubAccount, line.externalReference],
        ...[line.amount < 0 ? -line.amount : undefined, line.amount < 0 ? undefined : line.amount],
        ...[line.balanceAfter, line.sourceId],
      ]}
    />
  );
}

type NameOf = (reference: string) => string;
type OpenedProps = {
  accountId: string;
  name: string;
  items: readonly Line[];
  subAccount: string | null;
  nameOf: NameOf;
};

/** The line that the address names. */
function Opened({ items, ...props }: OpenedProps) {
  const { t } = useTranslation();
  const address = useAddress();
  const line = items.find((one) => keyOf(one) === address.get("line"));
  return (
    <Panel title={t("operator.ledger.line")} opened={line !== undefined} onClose={() => address.change({ line: null })}>
      {line && <LedgerLine {...props} line={line} />}
    </Panel>
  );
}

/** What a balance is, and what made it so: `lines` are of one balance, newest first. */
function Lines({ lines, nameOf }: { lines: readonly Line[]; nameOf: NameOf }) {
  const { t } = useTranslation();
  const address = useAddress();
  const columns = useColumns(nameOf);
  const [newest, oldest] = [lines[0], lines.at(-1)];
  if (newest === undefined || oldest === undefined) return <p className="quiet">{t("operator.ledger.none")}</p>;
  const before = addBrl(oldest.balanceAfter, -oldest.amount);
  const sumOf = (isDebit: boolean) =>
    addBrl(0, ...lines.flatMap(({ amount }) => (amount < 0 === isDebit ? [amount] : [])));
  const figures: readonly (readonly [string, number])[] = [
    [t("operator.ledger.before"), before],
    [t("operator.ledger.credits"), sumOf(false)],
    [t("operator.ledger.debits"), sumOf(true)],
    [t("operator.ledger.after"), newest.balanceAfter],
  ];
  return (
    <>
      <div className="verdict-figures">
        {figures.map(([name, brl], i) => (
          <div key={name}>
            <span className="small quiet">{name}</span>
            <strong>
              <Money brl={brl} movement={i === 1 || i === 2} />
            </strong>
          </div>
        ))}
      </div>
      <Table<Line>
        caption={t("operator.ledger.caption")}
        rows={lines}
        keyOf={keyOf}
        onOpen={(one) => address.change({ line: keyOf(one) })}
        selected={address.get("line")}
        columns={columns}
      />
    </>
  );
}

/** Whether each balance is the one before it and its line's amount, as far as the lines follow each other; the first of all follows zero. */
function Agree({ lines }: { lines: readonly Line[] }) {
  const { t } = useTranslation();
  const then = (
    <>
      {t("operator.ledger.text")}{" "}
      <Link href="/operator/books" className="link">
        {t("operator.ledger.check")}
      </Link>
    </>
  );
  const compared = lines.flatMap((line, i) => {
    const before = line.line === 1 ? { line: 0, balanceAfter: 0 } : lines[i + 1];
    return before?.line === line.line - 1 ? [addBrl(before.balanceAfter, line.amount) === line.balanceAfter] : [];
  });
  const count = compared.filter((agrees) => !agrees).length;
  if (compared.length === 0) return null;
  const isGood = count === 0;
  return (
    <Answer shape={isGood ? "done" : "failed"} then={then}>
      {isGood ? t("operator.ledger.agree", { count: compared.length }) : t("operator.ledger.differ", { count })}
    </Answer>
  );
}

/** Names the wallet of a reference, as a line has that of its other end. */
function useWalletName(wallets: readonly operator.WalletBalance[]): NameOf {
  const { t } = useTranslation();
  return (reference) =>
    reference === "principal"
      ? t("operator.accounts.mainWallet")
      : (wallets.find(({ subAccount }) => subAccount === reference)?.name ?? reference);
}

function useColumns(nameOf: NameOf): readonly Column<Line>[] {
  const { t, i18n } = useTranslation();
  const say = useKindText();
  /** Whose money it was; of a transfer between wallets, the other one, and what it was for. */
  const whoOf = ({ counterpart, counterpartSubAccount: other, description }: Line) =>
    other === undefined ? [counterpart] : [nameOf(other), description];
  return [
    timeColumn(t("operator.ledger.booked"), ({ bookedAt }) => bookedAt, {
      seconds: true,
      phone: ({ balanceAfter }) => t("operator.ledger.balanceNow", { amount: showBrl(balanceAfter) }),
    }),
    {
      key: "what",
      title: t("statement.movement"),
      corner: "who",
      cell: (line) => (
        <>
          {say(line.kind)}
          {whoOf(line)
            .filter(Boolean)
            .map((who) => (
              // A name is broken only where no line has room for it.
              <Fragment key={who}>
                {" "}
                <span className="name-part">
                  <bdi>{who}</bdi>
                </span>
              </Fragment>
            ))}
        </>
      ),
      phone: ({ kind }) => say(kind),
    },
    {
      key: "reference",
      title: t("charges.column.reference"),
      className: "second",
      corner: "state",
      cell: ({ externalReference }) => externalReference ?? "–",
      phone: (line) => (
        <span className="whole">
          {[showMoment(new Date(line.bookedAt), i18n.language, true), ...whoOf(line), line.externalReference]
            .filter(Boolean)
            .join(" · ")}
        </span>
      ),
    },
    sideColumn("debit", t("operator.ledger.debit"), ({ amount }) => (amount < 0 ? -amount : undefined)),
    sideColumn("credit", t("operator.ledger.credit"), ({ amount }) => (amount < 0 ? undefined : amount)),
    {
      ...sideColumn("after", t("operator.ledger.balanceAfter"), ({ balanceAfter }) => balanceAfter),
      className: "lead",
      corner: "amount",
      phone: ({ amount }) => <Money brl={amount} movement />,
    },
  ];
}

/** Empty on the other side: a dash before the balance would read as its minus. */
const sideColumn = (key: string, title: string, brlOf: (line: Line) => number | undefined): Column<Line> => ({
  key,
  title,
  end: true,
  cell: (line) => {
    const brl = brlOf(line);
    return brl === undefined ? "" : <Money brl={brl} />;
  },
});
