import { type UseQueryResult, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "wouter";
import { isRefusal } from "../session/calls.ts";
import { Boundary } from "./boundary.tsx";
import { copy } from "./copy.ts";
import { useHasWaited } from "./has-passed.ts";
import { isOperators } from "./screen.ts";
import { State } from "./state.tsx";

/** Nothing here yet: one sentence, one button. */
export function Empty({ children, act }: { children: ReactNode; act?: ReactNode }) {
  return (
    <div className="feedback">
      <p>{children}</p>
      {act}
    </div>
  );
}

/** Grey lines of the final size, once the page has waited for 200 ms; `areRows`: those of a table. */
export function Loading({ lines = 5, areRows = false }: { lines?: number; areRows?: boolean }) {
  const { t } = useTranslation();
  const shown = useHasWaited(200);
  return (
    <div className={areRows ? "bones of-rows" : "bones"} aria-busy="true">
      <span className="hidden">{t("feedback.loading")}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <div key={line} className={shown ? "bone" : "bone unseen"} />
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

/** Whether asking again may bring it: no answer, or a fault of the server. `LiveProvider` asks again by itself. */
export const isPassing = (error: unknown): boolean => !isRefusal(error) || error.status >= 500;

/** The case of a call that waits for a second person; null for any other error. */
const caseOf = (error: unknown): string | null =>
  isRefusal(error) && typeof error.details.caseId === "string" ? error.details.caseId : null;

type Failed = {
  error: unknown;
  retry?: () => void;
  /** Something was not read, which is read again by itself; else the error is that of something that was done. */
  isUnread?: boolean;
};

/** An error in its place: what could not be read, how to repeat, what to quote. */
export function Failure(failed: Failed) {
  const asksFirst = isRefusal(failed.error) && failed.error.code === "FRESH_SIGN_IN_REQUIRED";
  return (
    <div className={asksFirst ? "feedback small asks-first" : "feedback small"} role="alert">
      <p>
        <FailureWords {...failed} />
      </p>
    </div>
  );
}

/** The words of an error, within a text. */
export function FailureWords({ error, retry, isUnread }: Failed) {
  const { t } = useTranslation();
  const say = useErrorText();
  const trace = traceOf(error);
  const forbidden = isForbidden(error);
  const caseId = caseOf(error);
  const [path] = useLocation();
  return (
    <>
      {forbidden ? t(isOperators(path) ? "feedback.forbiddenOperator" : "feedback.forbidden") : say(error)}{" "}
      {isUnread && isPassing(error) && `${t("feedback.again")} `}
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
        <span className="quiet num block">
          {t("feedback.trace")} <span className="mono trace">{trace}</span>{" "}
          <button type="button" className="act" onClick={() => copy(trace)}>
            {t("feedback.copy")}
          </button>
        </span>
      )}
    </>
  );
}

/** What the part of the page around is called. */
export const PartName = createContext("");

/** What could not be read, as a sentence: by its name with its article, which is among the texts that its screen has loaded; any other stands below its title. */
function useUnreadText(): string {
  const { t } = useTranslation();
  const title = useContext(PartName).toLowerCase();
  const named = ["feedback.names", "unreadNames", "operator.unreadNames"]
    .flatMap((key) => t(key).split("|"))
    .find((name) => name.toLowerCase().replace(/^\S+ /, "") === title);
  return t("feedback.unread", { what: named ?? t("feedback.part") });
}

/**
 * In place of what could not be read: what it is, and how to read it again, with all else that could not be read.
 *
 * `children`: in place of the sentence and the act, such as of a whole screen.
 */
export function NotRead({ error, children }: { error: unknown; children?: (retry: () => void) => ReactNode }) {
  const queries = useQueryClient();
  const text = useUnreadText();
  const retry = () => void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.error !== null });
  if (isForbidden(error) || isMissing(error)) return <Failure error={error} />;
  return (
    <div className="feedback unread" role="alert">
      {children?.(retry) ?? <State shape="failed">{text}</State>}
      <p className="small second">
        <FailureWords error={error} retry={children ? undefined : retry} isUnread />
      </p>
    </div>
  );
}

type Asked = Pick<UseQueryResult, "data" | "error" | "errorUpdateCount">;

/** Why a query has nothing to show; null while it has not failed. It stays while the query is read again, which would blink. */
export function useUnread({ data, error, errorUpdateCount }: Asked): unknown {
  const last = useRef<unknown>(null);
  if (error) last.current = error;
  return data === undefined && errorUpdateCount > 0 ? last.current : null;
}

/** Loading, error, or what was read. */
export function Read<T>({
  query,
  children,
  ...bones
}: {
  query: Pick<UseQueryResult<T>, keyof Asked>;
  lines?: number;
  /** The lines are a table's rows. */
  areRows?: boolean;
  children: (data: T) => ReactNode;
}) {
  const error = useUnread(query);
  if (query.data !== undefined) return <Boundary>{children(query.data)}</Boundary>;
  if (error !== null) return <NotRead error={error} />;
  return <Loading {...bones} />;
}
