import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Read } from "../../parts/feedback.tsx";
import { showDayTime, showElapsed } from "../../parts/instant.ts";
import { Section } from "../../parts/page.tsx";
import { Mark } from "../../parts/state.tsx";
import { useSession } from "../../session/session.tsx";

type History = operator.InstitutionHealth;
const PERIODS = ["day", "week"] as const;
/** How often the history is read again, ms. */
const AGAIN_MS = 30_000;

/**
 * How an institution answered in the last 24 hours or seven days: a strip, and its outages in words. `isIll`: it does not
 * answer well now, which the panel says above.
 */
export function HealthHistory({ id, isIll }: { id: string; isIll: boolean }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const [period, setPeriod] = useState<(typeof PERIODS)[number]>("day");
  const query = useQuery({
    queryKey: ["operator", "health", id, period],
    queryFn: () => operator.institutions.health(id, { period }),
    refetchInterval: AGAIN_MS,
  });
  return (
    <Section
      title={t("operator.history.title")}
      end={
        <span className="periods">
          {PERIODS.map((one) => (
            <button
              key={one}
              type="button"
              className="chip"
              aria-pressed={one === period}
              onClick={() => setPeriod(one)}
            >
              {t(`operator.history.period.${one}`)}
            </button>
          ))}
        </span>
      }
    >
      <Read query={query} lines={3}>
        {(history) => <Shown history={history} isIll={isIll} />}
      </Read>
    </Section>
  );
}

function Shown({ history: { from, steps, outages }, isIll }: { history: History; isIll: boolean }) {
  const { t, i18n } = useTranslation();
  const hasUnknown = steps.some(({ state }) => state === "unknown");
  const began = new Date(from);
  return (
    <>
      {/* Its text is the list of outages below. */}
      <div className="health-strip" aria-hidden="true">
        {steps.map(({ at, state }) => (
          <span key={at} className={state} title={showDayTime(new Date(at), i18n.language)} />
        ))}
      </div>
      <p className="health-ends small quiet" aria-hidden="true">
        <span>{showDayTime(began, i18n.language)}</span>
        <span>{t("operator.history.now")}</span>
      </p>
      {outages.length === 0 && !isIll && <p className="small">{t("operator.history.none")}</p>}
      {outages
        .filter(({ until }) => until !== null || !isIll)
        .map((one) => (
          <Outage key={one.from} outage={one} />
        ))}
      {hasUnknown && <p className="small quiet gap-above">{t("operator.history.unknown")}</p>}
    </>
  );
}

function Outage({ outage: { from, until, state } }: { outage: History["outages"][number] }) {
  const { t, i18n } = useTranslation();
  const show = (at: Date) => showDayTime(at, i18n.language, true);
  const [began, ended] = [new Date(from), until === null ? null : new Date(until)];
  const kind = state === "down" ? "down" : "trying";
  return (
    <p className="row-line small">
      <Mark shape={kind === "down" ? "failed" : "needs"} />
      <span>
        {ended === null
          ? t(`operator.history.${kind}Since`, { from: show(began) })
          : `${t(`operator.history.${kind}`)} ${t("operator.history.between", { from: show(began), until: show(ended) })}`}
      </span>
      {/* How long one has lasted that goes on, the panel says above. */}
      {ended !== null && (
        <span className="row-end quiet">{showElapsed(ended.getTime() - began.getTime(), i18n.language)}</span>
      )}
    </p>
  );
}
