import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { showClock, showElapsed, showInFull } from "./instant.ts";
import { Mark, type Shape } from "./state.tsx";
import "./timeline.css";

/** Something that happened, or (without a time) that is waited for. */
export type Step = {
  readonly key: string;
  readonly at: string | null;
  readonly shape: Shape;
  readonly fact: ReactNode;
  readonly detail?: ReactNode;
};

/** What follows within a second happened at once for whoever reads it. */
const LEAST_APART_MS = 1_000;

/** Time, shape, fact, detail, distance to what happened before. `newestFirst`: a log of several things, whose distances say nothing. */
export function Timeline({ steps, newestFirst = false }: { steps: readonly Step[]; newestFirst?: boolean }) {
  const { i18n } = useTranslation();
  return (
    <ol className="timeline">
      {steps.map(({ key, at, shape, fact, detail }, i) => {
        const before = (newestFirst ? null : steps[i - 1]?.at) ?? null;
        const apart = at !== null && before !== null ? new Date(at).getTime() - new Date(before).getTime() : 0;
        return (
          <li key={key}>
            <span className="small quiet num" title={at === null ? undefined : showInFull(new Date(at), i18n.language)}>
              {at !== null && showClock(new Date(at), i18n.language, true)}
            </span>
            <Mark shape={shape} />
            <div>
              <div className="heavy">{fact}</div>
              {detail && <div className="small quiet">{detail}</div>}
            </div>
            <span className="small quiet num apart">
              {apart >= LEAST_APART_MS && `+ ${showElapsed(apart, i18n.language)}`}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
