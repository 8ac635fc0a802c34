import type { UseQueryResult } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { isRefusal } from "../session/calls.ts";
import { Boundary } from "./boundary.tsx";
import { useHasPassed } from "./has-passed.ts";
import { isOperators } from "./screen.ts";

/** Nothing here yet: one sentence, one button. */
export function Empty({ children, act }: { children: ReactNode; act?: ReactNode }) {
  return (
    <div className="feedback">
      <p>{children}</p>
      {act}
    </div>
  );
}

/** Grey lines of the final size, after 200 ms. */
export function Loading({ lines = 5 }: { lines?: number }) {
  const { t } = useTranslation();
  const shown = useHasPassed(200);
  return (
    <div className="bones" aria-busy="true">
      <span className="hidden">{t("feedback.loading")}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <div key={line} className={shown ? "bone" : "bone unseen"} style={{ width: `${92 - ((line * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

/** What went wrong, in words, with the trace id where there is one. */
export function useErrorText(): (error: unknown) => string {
  const { t, i18n } = useTranslation();
  return (error) => {
    if (isRefusal(error)) {
      const key = `errors.${error.code}`;
      return i18n.exists(key) ? t(key, { message: error.message }) : error.message;
    }
    return t("errors.noAnswer");
  };
}

const traceOf = (error: unknown): string | null => (isRefusal(error) ? error.traceId : null);

/** Whether the person's role forbids the call: the one reason for a 403 that another role would end. */
export const isForbidden = (error: unknown): boolean => isRefusal(error) && error.code === "PERMISSION_DENIED";

/** Whether there is no such thing: asking again brings none. */
const isMissing = (error: unknown): boolean => isRefusal(error) && error.code === "RESOURCE_NOT_FOUND";

/** The case of a call that waits for a second person; null for any other error. */
const caseOf = (error: unknown): string | null =>
  isRefusal(error) && typeof error.details.caseId === "string" ? error.details.caseId : null;

type Failed = {
  error: unknown;
  retry?: () => void;
  /** What was not read; none: the error is that of something that was done. */
  unread?: string;
};

/** An error in its place: what could not be read, how to repeat, what to quote. */
export function Failure(failed: Failed) {
  return (
    <div className="feedback small" role="alert">
      <p>
        <FailureWords {...failed} />
      </p>
    </div>
  );
}

/** The words of an error, within a text. */
export function FailureWords({ error, retry, unread }: Failed) {
  const { t } = useTranslation();
  const say = useErrorText();
  const trace = traceOf(error);
  const forbidden = isForbidden(error);
  const caseId = caseOf(error);
  const [path] = useLocation();
  return (
    <>
      {unread && !forbidden && !isMissing(error) && `${t("feedback.unread", { what: unread })} `}
      {forbidden ? t(isOperators(path) ? "feedback.forbiddenOperator" : "feedback.forbidden") : say(error)}{" "}
      {retry && !forbidden && !isMissing(error) && (
        <button type="button" className="act" onClick={retry}>
          {t("feedback.retry")}
        </button>
      )}
      {caseId && (
        <Link className="link" href={`/operator/cases?open=${caseId}`}>
          {t("feedback.openCase")}
        </Link>
      )}
      {trace && (
        <span className="quiet">
          {" "}
          · {t("feedback.trace")} <span className="mono">{trace}</span>
        </span>
      )}
    </>
  );
}

/** What the part of the page around is called. */
export const PartName = createContext("");

/** In place of what could not be read: what it is, and how to read it again. */
export function NotRead(failed: { error: unknown; retry: () => void }) {
  return <Failure {...failed} unread={useContext(PartName)} />;
}

/** Loading, error, or what was read. */
export function Read<T>({
  query,
  lines,
  children,
}: {
  query: Pick<UseQueryResult<T>, "data" | "error" | "refetch">;
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return <Boundary>{children(query.data)}</Boundary>;
  if (query.error) return <NotRead error={query.error} retry={() => void query.refetch()} />;
  return <Loading lines={lines} />;
}
