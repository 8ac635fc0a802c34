import { useTranslation } from "react-i18next";
import { showInFull, showStamp } from "./instant.ts";

/** A time among other facts: its date and the clock with seconds, also on paper; with its zone in the title. */
export function Stamp({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const date = new Date(at);
  return (
    <time className="num" dateTime={at} title={showInFull(date, i18n.language)}>
      {showStamp(date, i18n.language)}
    </time>
  );
}
