import "../operator.css";
import { addBrl, type operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "wouter";
import { Empty } from "../../parts/feedback.tsx";
import { ChoiceChip, useAddress, useTabs } from "../../parts/filters.tsx";
import { PagedList } from "../../parts/list.tsx";
import { Money } from "../../parts/money.tsx";
import { Page } from "../../parts/page.tsx";
import { Panel } from "../../parts/panel.tsx";
import { usePeriod } from "../../parts/period.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { useKindText } from "../../statement/kind.ts";
import { LedgerLine } from "./ledger-line.tsx";
import { keyOf, type Line } from "./other-side.ts";

const OTHER_BALANCES = ["held", "promotional"] as const;

/** The account's lines as a T: what left a balance on the left, what came on the right, with the totals of both. */
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
  const wallet = choices.find(({ value }) => value === subAccount)?.text ?? t("operator.accounts.mainWallet");
  return (
    <Page
      title={t("operator.ledger.title", { name: account.data?.name ?? "", wallet })}
      crumb={{ href: `/operator/accounts/${id}`, text: account.data?.name ?? t("operator.accounts.one") }}
    >
      <p className="second small gap-below">{t("operator.ledger.text")}</p>
      {balance.control}
      <div className="chips">
        {choices.length > 0 && <ChoiceChip name="wallet" label={t("operator.ledger.wallet")} choices={choices} />}
        {booked.control}
      </div>
      <PagedList
        queryKey={["operator", "account", id, "ledger", subAccount, shown, booked.value]}
        read={async ({ cursor }) => {
          const { from, to } = booked;
          const asked = { limit: 100, cursor, from, to, subAccount: subAccount ?? undefined };
          const { items, nextCursor } = await operator.accounts.statement(id, asked);
          return { items: items.filter((one) => one.balance === shown), nextCursor };
        }}
        keyOf={keyOf}
        empty={<Empty>{t("operator.ledger.empty")}</Empty>}
      >
        {(items) => (
          <>
            <LedgerT lines={items} onOpen={(one) => address.change({ line: keyOf(one) })} />
            <Opened accountId={id} name={account.data?.name ?? ""} items={items} subAccount={subAccount} />
          </>
        )}
      </PagedList>
      <p className="small">
        <Link href="/operator/books" className="link">
          {t("operator.ledger.check")}
        </Link>
      </p>
    </Page>
  );
}

type OpenedProps = { accountId: string; name: string; items: readonly Line[]; subAccount: string | null };

/** The line that the address names. */
function Opened({ accountId, name, items, subAccount }: OpenedProps) {
  const { t } = useTranslation();
  const address = useAddress();
  const line = items.find((one) => keyOf(one) === address.get("line"));
  return (
    <Panel title={t("operator.ledger.line")} opened={line !== undefined} onClose={() => address.change({ line: null })}>
      {line && <LedgerLine accountId={accountId} name={name} line={line} subAccount={subAccount} />}
    </Panel>
  );
}

/** What a balance is, and what made it so: `lines` are of one balance, newest first, and are read from the oldest on. */
function LedgerT({ lines, onOpen }: { lines: readonly Line[]; onOpen: (line: Line) => void }) {
  const { t } = useTranslation();
  const [newest, oldest] = [lines[0], lines.at(-1)];
  if (newest === undefined || oldest === undefined) return <p className="quiet">{t("operator.ledger.none")}</p>;
  const before = addBrl(oldest.balanceAfter, -oldest.amount);
  const [debits, credits] = [true, false].map((isDebit) =>
    lines.filter(({ amount }) => amount < 0 === isDebit).reverse(),
  );
  const sumOf = (some: readonly Line[] = []) => addBrl(...some.map(({ amount }) => amount));
  const figures: readonly (readonly [string, number])[] = [
    [t("operator.ledger.before"), before],
    [t("operator.ledger.credits"), sumOf(credits)],
    [t("operator.ledger.debits"), sumOf(debits)],
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
      <div className="ledger-t">
        <Side title={t("operator.ledger.debits")} lines={debits ?? []} onOpen={onOpen} />
        <Side title={t("operator.ledger.credits")} lines={credits ?? []} onOpen={onOpen} />
      </div>
    </>
  );
}

type SideProps = { title: string; lines: readonly operator.StatementItem[]; onOpen: (line: Line) => void };

function Side({ title, lines, onOpen }: SideProps) {
  const { t } = useTranslation();
  const say = useKindText();
  return (
    <section>
      <h2 className="small">{title}</h2>
      {lines.map((line) => (
        <button key={keyOf(line)} type="button" className="row-line" onClick={() => onOpen(line)}>
          <span className="shrinks">
            {[say(line.kind), line.counterpart].filter(Boolean).join(" · ")}
            <span className="small quiet block">
              <Moment at={line.bookedAt} seconds />
              {line.externalReference && ` · ${line.externalReference}`}
            </span>
          </span>
          <span className="row-end">
            <Money brl={Math.abs(line.amount)} />
          </span>
        </button>
      ))}
      <p className="row-line">
        {t("operator.ledger.total")}
        <strong className="row-end">
          <Money brl={Math.abs(addBrl(...lines.map(({ amount }) => amount)))} />
        </strong>
      </p>
    </section>
  );
}
