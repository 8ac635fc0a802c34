import "./operator.css";
import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import type { Answers } from "../generated/answers.ts";
import { ACTION_KINDS } from "../generated/values.ts";
import { useCounted } from "../parts/counted.ts";
import { CsvButton } from "../parts/csv-button.tsx";
import { Empty } from "../parts/feedback.tsx";
import { ChoiceChip, type Filter, useAddress, useTabs } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { dayOf, showClock, showDay, showInFull, showWeekday } from "../parts/instant.ts";
import { PagedList } from "../parts/list.tsx";
import { Filters } from "../parts/list-screen.tsx";
import { Page } from "../parts/page.tsx";
import { usePeriod } from "../parts/period.tsx";
import { Moment } from "../parts/time.tsx";
import { callConsole, unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { amountText, useAboutText } from "./about-text.ts";
import { Said } from "./audit-said.tsx";
import { Today } from "./audit-today.tsx";
import { changesOf, hrefOf, isAboutMoney, reasonIn, toldOf } from "./audited.ts";
import { useAccountFilter } from "./named-filter.tsx";
import { AGAIN_MS } from "./reads.ts";
import { actorName, personOf, wordOf } from "./words.ts";

type Entry = operator.AuditEntry;

/** Who changed what, as sentences; each opens into what changed. */
export default function AuditLog() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const account = useAccountFilter();
  const actor = useActorFilter();
  const kind = useKindFilter();
  const made = usePeriod("made", t("operator.auditLog.when"));
  const money = useTabs(["money"], {
    ...{ name: "about", label: t("operator.auditLog.about"), first: t("operator.auditLog.everything") },
    textOf: () => t("operator.auditLog.money"),
  });
  const filters = [money, actor, kind, account, made];
  // A period that has ended gets no entry any more.
  const isOver = made.to !== undefined && Date.parse(made.to) <= Date.now();
  const isFiltered = filters.some(({ value }) => value !== undefined);
  const query = {
    accountId: account.value,
    actor: actor.value,
    action: kind.value && `${kind.value}.*`,
    from: made.from,
    to: made.to,
    ...(money.value !== undefined && { aboutMoney: true }),
  };
  return (
    <Page
      title={t("nav.operators.auditLog")}
      acts={
        <CsvButton<Entry>
          file="pixgate-audit-log.csv"
          read={(most) => operator.auditLog.list({ ...query, limit: 100 }).toArray(most)}
          head={["id", "at", "actor", "action", "account", "object", "before", "after"]}
          rowOf={({ id, createdAt, actor, action, accountId, objectId, before, after }) => [
            ...[id, new Date(createdAt), actor, action, accountId ?? undefined, objectId ?? undefined],
            ...[before, after].map((state) => (state === null ? undefined : JSON.stringify(state))),
          ]}
        />
      }
    >
      <div className="answer-place with-then">
        <Today />
      </div>
      <Filters filters={filters} />
      <PagedList
        queryKey={["operator", "auditLog", ...filters.map(({ value }) => value)]}
        {...(!isOver && { againMs: AGAIN_MS })}
        read={(page) => operator.auditLog.list({ ...query, ...page })}
        keyOf={({ id }) => id}
        sumOf={useCounted("entries")}
        empty={<Empty>{t(isFiltered ? "operator.auditLog.noneSuch" : "operator.auditLog.empty")}</Empty>}
      >
        {(entries) => <Days entries={entries} />}
      </PagedList>
    </Page>
  );
}

/** How the log names a person. */
const actorOf = ({ name, email, personId }: { name: string; email?: string | null; personId: string }): string =>
  `${name} <${email ?? personId}>`;

/** Those who may be named: people and tokens as far as this person may read them, and whoever the address names. */
function useActorFilter(): Filter {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const { get } = useAddress();
  const query = useQuery({
    queryKey: ["operator", "actors"],
    queryFn: async () => {
      const [people, tokens] = await Promise.all([
        unlessForbidden(callConsole<Answers["listPeople"]>("GET", "/people")),
        unlessForbidden(operator.tokens.list({ limit: 100 }).page()),
      ]);
      return [...(people?.items ?? []).map(actorOf), ...(tokens?.items ?? []).map(({ name }) => name)];
    },
  });
  const chosen = get("actor");
  const self = actorOf({ personId: session.person.id, ...session.person });
  const names = [...new Set([self, ...(query.data ?? []), ...(chosen === null ? [] : [chosen])])];
  const isAlone = (one: string) => names.filter((other) => personOf(other) === personOf(one)).length === 1;
  const choices = names.map((value) => ({ value, text: isAlone(value) ? personOf(value) : value }));
  return {
    value: chosen ?? undefined,
    control: <ChoiceChip name="actor" label={t("operator.auditLog.person")} choices={choices} />,
  };
}

function useKindFilter(): Filter {
  const { t } = useTranslation();
  const { get } = useAddress();
  const choices = ACTION_KINDS.map((value) => ({ value, text: t(`operator.auditedKind.${value}`) }));
  return {
    value: ACTION_KINDS.find((one) => one === get("kind")),
    control: <ChoiceChip name="kind" label={t("operator.auditLog.kind")} choices={choices} />,
  };
}

/** The entries, newest first, each day of them under its date. */
function Days({ entries }: { entries: readonly Entry[] }) {
  const { i18n } = useTranslation();
  const told = toldOf(entries);
  return told.map(({ entry, before: earlier }, i) => {
    const at = new Date(entry.createdAt);
    const last = told[i - 1]?.entry;
    const begins = last === undefined || dayOf(new Date(last.createdAt)) !== dayOf(at);
    return (
      <Fragment key={entry.id}>
        {begins && (
          <h2 className="entry-day">
            {showWeekday(at, i18n.language)} {showDay(at, i18n.language)}
          </h2>
        )}
        <Line entry={entry} earlier={earlier} />
      </Fragment>
    );
  });
}

function Line({ entry, earlier }: { entry: Entry; earlier: readonly Entry[] }) {
  const { t, i18n } = useTranslation();
  const aboutText = useAboutText();
  const { actor, createdAt } = entry;
  const reason = reasonIn(entry);
  const amount = amountText(entry);
  /** Without the amount that the line has already. */
  const effectOf = (one: Entry) =>
    [aboutText(one), amountText(one)].filter((part) => part !== "" && part !== amount).join(", ");
  return (
    <details className="entry">
      <summary className="row-line">
        <time
          className="entry-at small quiet num"
          dateTime={createdAt}
          title={showInFull(new Date(createdAt), i18n.language)}
        >
          {showClock(new Date(createdAt), i18n.language, true)}
        </time>
        <span className="entry-what">
          <strong>{actorName(actor)}</strong> <Said entry={entry} earlier={earlier} />
          {reason !== null && <span className="small quiet block">{t("operator.auditLog.because", { reason })}</span>}
          {earlier.slice(1).map((one) => (
            <span key={one.id} className="small quiet block">
              {[wordOf("audited", one.action), effectOf(one)].filter((part) => part !== "").join(": ")}
            </span>
          ))}
        </span>
        <span className={`entry-amount num ${isAboutMoney(entry) ? "heavy" : "quiet"}`}>{amount}</span>
      </summary>
      {[...earlier, entry].map((one) => (
        <Fragment key={one.id}>
          {earlier.length > 0 && (
            <p className="small">
              <Moment at={one.createdAt} seconds /> {wordOf("audited", one.action)}
            </p>
          )}
          <Details entry={one} />
        </Fragment>
      ))}
    </details>
  );
}

function Details({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const { actor, action, objectId, before, after } = entry;
  const changes = changesOf(entry);
  const href = hrefOf(entry);
  return (
    <>
      <p className="small quiet words">
        {t("operator.auditLog.by")} <bdi className="mono">{actor}</bdi> · {t("operator.auditLog.code")}{" "}
        <span className="mono">{action}</span>
        {objectId !== null && (
          <>
            {" "}
            · {t("operator.auditLog.object")}{" "}
            {href === null ? (
              <span className="mono">{objectId}</span>
            ) : (
              <Link href={href} className="link mono">
                {objectId}
              </Link>
            )}
          </>
        )}
      </p>
      {changes.length > 0 && (
        <dl className="entry-changes">
          {changes.map(({ name, was, is }) => (
            <div key={name}>
              <dt className="mono">{name}</dt>
              <dd>
                {before !== null && (
                  <>
                    <span className="quiet">
                      <FreeText>{was}</FreeText>
                    </span>{" "}
                    →{" "}
                  </>
                )}
                <FreeText>{is}</FreeText>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <details className="entry-raw">
        <summary className="small">{t("operator.auditLog.raw")}</summary>
        <div className="desk-even">
          <div>
            <span className="small quiet">{t("operator.auditLog.before")}</span>
            <pre className="code">{JSON.stringify(before, null, 2)}</pre>
          </div>
          <div>
            <span className="small quiet">{t("operator.auditLog.after")}</span>
            <pre className="code">{JSON.stringify(after, null, 2)}</pre>
          </div>
        </div>
      </details>
    </>
  );
}
