import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";

/** What a kind of event says; its name in the API where a later gateway has more of them. */
export const eventWord = (t: TFunction, kind: string): string => t(`events.of.${kind}`, { defaultValue: kind });

/** A kind of event in words, and below them as the API names it. */
export function EventKind({ kind }: { kind: string }) {
  const { t } = useTranslation();
  return (
    <>
      {eventWord(t, kind)}
      <div className="small quiet mono">{kind}</div>
    </>
  );
}
