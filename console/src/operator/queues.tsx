import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showElapsed, showInFull } from "../parts/instant.ts";
import { Section } from "../parts/page.tsx";
import { Mark } from "../parts/state.tsx";

/** Where one finds what waits in a queue. */
const SCREENS: Readonly<Record<string, string>> = {
  withdrawals: "/operator/withdrawals?status=processing",
};

/** What the gateway has still to do: how many, and how old the oldest is beside its limit. */
export function Queues({ queues }: { queues: readonly operator.QueueState[] | null }) {
  const { t, i18n } = useTranslation();
  const isEmpty = ({ waiting, late }: operator.QueueState) => waiting === 0 && !late;
  const empty = (queues ?? []).filter(isEmpty);
  const busy = (queues ?? []).filter((queue) => !isEmpty(queue));
  const names = empty.map(({ name }) => t(`operator.queues.short.${name}`, { defaultValue: name }));
  return (
    <Section title={t("operator.queues.title")} end={busy.length > 0 && t("operator.queues.end")}>
      {queues === null && <p className="row-line small quiet">{t("operator.overview.unread")}</p>}
      {busy.map((queue) => (
        <Queue key={queue.name} queue={queue} />
      ))}
      {empty.length > 0 && (
        <p className="row-line">
          <Mark shape={busy.length === 0 ? "done" : "ended"} />
          <span className="second">
            {t("operator.queues.empty", { list: new Intl.ListFormat(i18n.language).format(names) })}
          </span>
        </p>
      )}
    </Section>
  );
}

function Queue({ queue: { name, waiting, since, limitSeconds, late } }: { queue: operator.QueueState }) {
  const { t, i18n } = useTranslation();
  const age = since === null ? 0 : Math.max(0, Date.now() - new Date(since).getTime());
  const href = SCREENS[name];
  const said = (
    <>
      <Mark shape={late ? "failed" : waiting > 0 ? "moving" : "ended"} />
      <span className="queue-name">{t(`operator.queues.of.${name}`, { defaultValue: name })}</span>
      <span className="num second">{waiting.toLocaleString(i18n.language)}</span>
      <span className="queue-age" data-late={late || undefined} aria-hidden="true">
        <span style={{ width: `${Math.min(100, (age / limitSeconds / 1_000) * 100)}%` }} />
      </span>
      <span className="row-end num queue-end" title={since === null ? "" : showInFull(new Date(since), i18n.language)}>
        {since === null ? "–" : showElapsed(age, i18n.language)}{" "}
        <span className="quiet">/ {showElapsed(limitSeconds * 1_000, i18n.language)}</span>
      </span>
    </>
  );
  if (href === undefined) return <div className="row-line">{said}</div>;
  return (
    <Link href={href} className="row-line">
      {said}
    </Link>
  );
}
