import { useTranslation } from "react-i18next";
import { showInFull, showMoment } from "./instant.ts";

/** A time: by the clock today, the day otherwise; the whole instant in its title. */
export function Moment({ at, seconds = false }: { at: string; seconds?: boolean }) {
  const { i18n } = useTranslation();
  const date = new Date(at);
  return (
    <time className="num" dateTime={at} title={showInFull(date, i18n.language)}>
      {showMoment(date, i18n.language, seconds)}
    </time>
  );
}
