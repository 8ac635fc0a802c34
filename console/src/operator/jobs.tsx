import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Read } from "../parts/feedback.tsx";
import { showDay, showElapsed, startOfDay } from "../parts/instant.ts";
import { Section } from "../parts/page.tsx";
import { Mark, type Shape } from "../parts/state.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { AGAIN_MS, useNames } from "./reads.ts";
import { personOf, wordOf } from "./words.ts";

type Job = operator.Job;
type Kind = NonNullable<NonNullable<operator.JobsListData["query"]>["kind"]>;

/** While a job runs its progress is read this often, ms. */
const RUNNING_MS = 1_000;
const SHOWN = 5;

/** The work of some kinds that runs, with its progress, and what ran last: whoever starts the same meanwhile joins it. */
export function Jobs({ kinds, isStarted }: { kinds: readonly Kind[]; isStarted: boolean }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const may = session.installationRole === "finance" || session.installationRole === "admin";
  const query = useQuery({
    queryKey: ["operator", "jobs", ...kinds],
    enabled: may,
    queryFn: async () => {
      const pages = await Promise.all(kinds.map((kind) => operator.jobs.list({ kind, limit: SHOWN }).page()));
      const jobs = pages.flatMap(({ items }) => items);
      return jobs.sort((a, b) => b.startedAt.localeCompare(a.startedAt)).slice(0, SHOWN);
    },
    refetchInterval: ({ state }) => (isStarted || state.data?.some(isRunning) ? RUNNING_MS : AGAIN_MS),
  });
  const { refetch } = query;
  // What was started here has ended, perhaps before it was read as running.
  useEffect(() => {
    if (may && !isStarted) void refetch();
  }, [may, isStarted, refetch]);
  // Where nothing ran there is nothing to say.
  if (!may || query.data?.length === 0) return null;
  return (
    <Section title={t("operator.jobs.title")}>
      <Read query={query} lines={2}>
        {(jobs) => jobs.map((job) => <One key={job.id} job={job} />)}
      </Read>
    </Section>
  );
}

const isRunning = ({ state }: Job): boolean => state === "running";
/** A check that ended, and found the books broken. */
const isBroken = ({ result }: Job): boolean => (result as { readonly ok?: unknown } | undefined)?.ok === false;

const SHAPES: Readonly<Record<Job["state"], Shape>> = { running: "moving", done: "done", failed: "failed" };

function One({ job }: { job: Job }) {
  const { t, i18n } = useTranslation();
  const { kind, state, startedBy, startedAt, endedAt, progress } = job;
  const elapsed = new Date(endedAt ?? Date.now()).getTime() - new Date(startedAt).getTime();
  const word = isBroken(job) ? "broken" : state;
  return (
    <div className="row-line">
      <Mark shape={isBroken(job) ? "failed" : SHAPES[state]} />
      <span className="queue-name">
        {wordOf("jobs.kind", kind)} <Subject job={job} />
        <span className="small quiet block">
          {personOf(startedBy)} · <Moment at={startedAt} />
        </span>
      </span>
      {state === "running" && progress !== undefined && (
        <span className="queue-age" aria-hidden="true">
          <span style={{ width: `${(progress.done / Math.max(1, progress.of)) * 100}%` }} />
        </span>
      )}
      <span className="row-end num">
        {t(`operator.jobs.state.${word}`)}
        <span className="small quiet block">
          {state === "running" && progress !== undefined
            ? t("operator.jobs.progress", { done: progress.done, of: progress.of })
            : showElapsed(elapsed, i18n.language)}
        </span>
      </span>
    </div>
  );
}

/** What a job works on, beside its name: an audit's extent, a day at an institution. */
function Subject({ job: { kind, subject, day, institutionId } }: { job: Job }) {
  const { i18n } = useTranslation();
  const nameOf = useNames();
  if (kind === "ledger.audit") return wordOf("jobs.mode", subject);
  if (day === undefined) return null;
  return (
    <span className="second">
      {showDay(startOfDay(day), i18n.language)} {nameOf(institutionId)}
    </span>
  );
}
