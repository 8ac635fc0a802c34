import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { showDayTime, showElapsed, showInFull } from "../parts/instant.ts";

const HOUR_MS = 3_600_000;
/** What is left is shown in minutes, or in hours where there are days. */
const TICK_MS = 20_000;

/** What is left until an instant: amber in the last 48 hours, red in the last twelve. */
export function TimeLeft({ until, isDated = false }: { until: string | undefined; isDated?: boolean }) {
  const { t, i18n } = useTranslation();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  if (until === undefined) return <span className="quiet">{t("blocks.noDeadline")}</span>;
  const end = new Date(until);
  const ms = end.getTime() - now;
  const urgency = ms < 12 * HOUR_MS ? " failed-text" : ms < 48 * HOUR_MS ? " needs-text" : "";
  return (
    <time className={`num${urgency}`} dateTime={until} title={showInFull(end, i18n.language)}>
      {ms <= 0 ? t("blocks.over") : showElapsed(ms, i18n.language)}
      {isDated && <span className="label block">{t("blocks.until", { when: showDayTime(end, i18n.language) })}</span>}
    </time>
  );
}
