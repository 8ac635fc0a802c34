import "./operator.css";
import { Button, TextInput } from "@mantine/core";
import { addBrl, type operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { csvFormat } from "../parts/csv.ts";
import { Sums } from "../parts/facts.tsx";
import { Read } from "../parts/feedback.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { useAddress } from "../parts/filters.tsx";
import { dayOf, daysBefore, monthAfter, startOfDay } from "../parts/instant.ts";
import { Money } from "../parts/money.tsx";
import { Page, Section } from "../parts/page.tsx";
import { Mark, State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { isCloseDue, lastClosableDay } from "./close-due.ts";
import { movementWord, wordOf } from "./words.ts";

/** What a day or a month came to at each institution. */
export default function Closes() {
  const { t, i18n } = useTranslation();
  const { operator } = useSession();
  const address = useAddress();
  const yesterday = daysBefore(dayOf(new Date()), 1);
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(address.get("month") ?? "") ? address.get("month") : null;
  const day = address.get("day") ?? lastClosableDay();
  const query = useQuery({
    queryKey: ["operator", "close", month ?? day],
    queryFn: () => (month !== null ? operator.closes.month(month) : operator.closes.day(day)),
  });
  const format = csvFormat(i18n.language);
  const readCsv = () =>
    month !== null
      ? operator.closes.monthAs("text/csv", month, { format })
      : operator.closes.dayAs("text/csv", day, { format });
  return (
    <Page
      title={t("nav.operators.close")}
      acts={
        <>
          <Step month={month} day={day} by={-1} />
          <Step month={month} day={day} by={1} />
          <FileButton name={`pixgate-${month ?? day}.csv`} type="text/csv" read={readCsv}>
            CSV
          </FileButton>
        </>
      }
    >
      <div className="chips">
        <TextInput
          type="date"
          label={t("operator.close.day")}
          max={yesterday}
          value={month === null ? day : ""}
          onChange={({ currentTarget }) => address.change({ day: currentTarget.value, month: null })}
        />
        <TextInput
          type="month"
          label={t("operator.close.month")}
          value={month ?? ""}
          onChange={({ currentTarget }) => address.change({ month: currentTarget.value, day: null })}
        />
      </div>
      <Read query={query} lines={8}>
        {(close) => <Whole close={close} />}
      </Read>
    </Page>
  );
}

/** To the day or month before or after; none that is not over, and none from a day that is not typed to its end. */
function Step({ month, day, by }: { month: string | null; day: string; by: 1 | -1 }) {
  const { t } = useTranslation();
  const address = useAddress();
  const yesterday = daysBefore(dayOf(new Date()), 1);
  const isDay = !Number.isNaN(startOfDay(day).getTime());
  const [to, last] =
    month === null
      ? [isDay ? daysBefore(day, -by) : dayOf(new Date()), yesterday]
      : [monthAfter(month, by), yesterday.slice(0, 7)];
  return (
    <Button
      variant="default"
      disabled={to > last}
      onClick={() => address.change(month === null ? { day: to } : { month: to })}
    >
      {t(by < 0 ? "operator.close.before" : "operator.close.after")}
    </Button>
  );
}

function Whole({ close: { to, closed, closedAt, institutions } }: { close: operator.Close }) {
  const { t } = useTranslation();
  if (!closed && institutions.length === 0 && isCloseDue(to)) {
    return <State shape="ended">{t("operator.close.never")}</State>;
  }
  return (
    <>
      <State shape={closed ? "done" : "waiting"}>
        {t(closed ? "operator.close.closed" : "operator.close.open")} {closedAt !== null && <Moment at={closedAt} />}
      </State>
      {institutions.length === 0 && (
        <p className="quiet">{t(closed ? "operator.close.empty" : "operator.close.notYet")}</p>
      )}
      {institutions.map((one) => (
        <Institution key={one.institutionId} one={one} />
      ))}
    </>
  );
}

type Movement = operator.CloseMovement;

/** An institution's balances by the books, what moved them, and what it says itself. */
function Institution({ one }: { one: operator.InstitutionClose }) {
  const { t } = useTranslation();
  const { movements, theirs, difference, theirsMissing, enteredBy } = one;
  return (
    <Section title={one.name} end={difference === 0 ? t("operator.close.same") : undefined}>
      <Sums
        lines={[
          [t("operator.close.opening"), one.opening],
          [t("closing.in"), addBrl(0, ...movements.map((movement) => movement.in.amount))],
          [t("closing.out"), addBrl(0, ...movements.map(({ out }) => -out.amount))],
        ]}
        total={[t("operator.close.closing"), one.closing]}
      />
      {movements.length > 0 && <Movements caption={`${one.name}: ${t("closing.byType")}`} movements={movements} />}
      {theirs !== null && difference !== null && (
        <Sums lines={[[t("operator.close.theirs"), theirs]]} total={[t("operator.close.difference"), difference]} />
      )}
      {enteredBy !== null && <p className="quiet small">{t("operator.close.enteredBy", { name: enteredBy })}</p>}
      {theirsMissing !== null && <State shape="waiting">{t(`operator.close.${theirsMissing}`)}</State>}
      {one.cases.map(({ id, kind, amount }) => (
        <Link key={id} href={`/operator/cases?open=${id}`} className="row-line">
          <Mark shape="needs" />
          {wordOf("kind", kind)}
          <span className="row-end">
            <Money brl={amount} />
          </span>
        </Link>
      ))}
    </Section>
  );
}

/** Nothing where nothing came, and nothing went. */
const some = ({ count, amount }: Movement["in"], sign: 1 | -1): number | null => (count === 0 ? null : sign * amount);

function Movements({ caption, movements }: { caption: string; movements: readonly Movement[] }) {
  const { t } = useTranslation();
  return (
    <Table
      caption={caption}
      rows={movements}
      keyOf={({ kind, late }) => `${kind} ${late}`}
      columns={[
        {
          key: "kind",
          title: t("transactions.type"),
          corner: "who",
          cell: ({ kind, late }) => `${movementWord(kind)}${late ? ` ${t("operator.close.late")}` : ""}`,
        },
        {
          key: "count",
          title: t("closing.count"),
          end: true,
          corner: "state",
          cell: ({ in: came, out }) => String(came.count + out.count),
          phone: ({ in: came, out }) => t("closing.lines", { count: came.count + out.count }),
        },
        {
          key: "in",
          title: t("closing.in"),
          end: true,
          corner: "amount",
          cell: (row) => <Money brl={some(row.in, 1)} />,
          phone: (row) => <Money brl={addBrl(row.in.amount, -row.out.amount)} movement />,
        },
        { key: "out", title: t("closing.out"), end: true, cell: ({ out }) => <Money brl={some(out, -1)} /> },
      ]}
    />
  );
}
