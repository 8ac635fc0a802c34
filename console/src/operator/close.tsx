import "./operator.css";
import { TextInput } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { csvFormat } from "../parts/csv.ts";
import { Read } from "../parts/feedback.tsx";
import { FileButton } from "../parts/file-button.tsx";
import { useAddress } from "../parts/filters.tsx";
import { dayOf, daysBefore } from "../parts/instant.ts";
import { Money } from "../parts/money.tsx";
import { Page, Section } from "../parts/page.tsx";
import { Mark, State } from "../parts/state.tsx";
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
  const month = /^\d{4}-\d\d$/.test(address.get("month") ?? "") ? address.get("month") : null;
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
        <FileButton name={`pixgate-${month ?? day}.csv`} type="text/csv" read={readCsv}>
          CSV
        </FileButton>
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

function Institution({ one }: { one: operator.InstitutionClose }) {
  const { t } = useTranslation();
  const line = (name: string, brl: number | null) => (
    <p className="row-line">
      {name}
      <span className="row-end">
        <Money brl={brl} />
      </span>
    </p>
  );
  return (
    <Section title={one.name}>
      {line(t("operator.close.opening"), one.opening)}
      {one.movements.map(({ kind, late, in: came, out }) => (
        <p key={kind + String(late)} className="row-line small">
          {movementWord(kind)} {late && t("operator.close.late")} · {came.count + out.count}
          <span className="row-end">
            {came.count > 0 && <Money brl={came.amount} movement />}{" "}
            {out.count > 0 && <Money brl={-out.amount} movement />}
          </span>
        </p>
      ))}
      {line(t("operator.close.closing"), one.closing)}
      {line(t("operator.close.theirs"), one.theirs)}
      {one.enteredBy !== null && (
        <p className="quiet small">{t("operator.close.enteredBy", { name: one.enteredBy })}</p>
      )}
      {one.theirsMissing !== null && <p className="quiet small">{t(`operator.close.${one.theirsMissing}`)}</p>}
      <p className="row-line">
        <Mark shape={one.difference === null ? "waiting" : one.difference === 0 ? "done" : "needs"} />
        {t("operator.close.difference")}
        <strong className="row-end">
          <Money brl={one.difference} />
        </strong>
      </p>
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
