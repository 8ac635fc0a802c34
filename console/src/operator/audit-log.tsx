import "./operator.css";
import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import type { Answers } from "../generated/answers.ts";
import { ACTION_KINDS } from "../generated/values.ts";
import { Empty } from "../parts/feedback.tsx";
import { ChoiceChip, type Filter, useAddress } from "../parts/filters.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { PagedList } from "../parts/list.tsx";
import { Filters } from "../parts/list-screen.tsx";
import { Page } from "../parts/page.tsx";
import { usePeriod } from "../parts/period.tsx";
import { Moment } from "../parts/time.tsx";
import { callConsole, unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { changesOf, hrefOf, isOfAccount, reasonIn, subjectIn } from "./audited.ts";
import { useAccountFilter } from "./named-filter.tsx";
import { AGAIN_MS, useNames } from "./reads.ts";
import { personOf, wordOf } from "./words.ts";

type Entry = operator.AuditEntry;

/** Who changed what, as sentences; each opens into what changed. */
export default function AuditLog() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const account = useAccountFilter();
  const actor = useActorFilter();
  const kind = useKindFilter();
  const made = usePeriod("made", t("operator.auditLog.when"));
  const filters = [actor, kind, account, made];
  // A period that has ended gets no entry any more.
  const isOver = made.to !== undefined && Date.parse(made.to) <= Date.now();
  const isFiltered = filters.some(({ value }) => value !== undefined);
  return (
    <Page title={t("nav.operators.auditLog")}>
      <Filters filters={filters} />
      <PagedList
        queryKey={["operator", "auditLog", ...filters.map(({ value }) => value)]}
        {...(!isOver && { againMs: AGAIN_MS })}
        read={(page) =>
          operator.auditLog.list({
            ...page,
            accountId: account.value,
            actor: actor.value,
            action: kind.value && `${kind.value}.*`,
            from: made.from,
            to: made.to,
          })
        }
        keyOf={({ id }) => id}
        empty={<Empty>{t(isFiltered ? "operator.auditLog.noneSuch" : "operator.auditLog.empty")}</Empty>}
      >
        {(entries) => entries.map((entry) => <Line key={entry.id} entry={entry} />)}
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

function Line({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const nameOf = useNames();
  const { actor, action, accountId, createdAt } = entry;
  const ofAccount = isOfAccount(entry);
  const subject = ofAccount ? nameOf(accountId) : subjectIn(entry);
  const reason = reasonIn(entry);
  return (
    <details className="entry">
      <summary className="row-line">
        <span className="entry-what">
          <strong>{personOf(actor)}</strong> <span title={action}>{wordOf("audited", action)}</span>
          {subject !== null && (
            <>
              {" "}
              “<FreeText>{subject}</FreeText>”
            </>
          )}
          {accountId !== null && !ofAccount && <> {t("operator.auditLog.inAccount", { name: nameOf(accountId) })}</>}.
          {reason !== null && <span className="small quiet block">{t("operator.auditLog.because", { reason })}</span>}
        </span>
        <span className="row-end small quiet">
          <Moment at={createdAt} seconds />
        </span>
      </summary>
      <Details entry={entry} />
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
