import type { operator, PixgateOperator } from "@pixgate/sdk";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../parts/amount.ts";
import { Failure, Read } from "../parts/feedback.tsx";
import { Section } from "../parts/page.tsx";
import { type Step, Timeline } from "../parts/timeline.tsx";
import { unlessForbidden } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { AGAIN_MS, activityQuery, useInstitutions, useNames } from "./reads.ts";
import { personOf, severityShape, wordOf } from "./words.ts";

/** How far back the timeline goes, ms, and how many rows it has at most. */
const BACK_MS = 24 * 3_600_000;
const SHOWN = 30;
/** Cases and brakes that are read: the newest of each. */
const READ = 50;
/** An answer this young, ms, is not asked for again. */
const JUST_READ_MS = 5_000;

type Outage = operator.InstitutionActivity["outages"][number];
type Night = {
  readonly outages: readonly Outage[];
  readonly cases: readonly operator.Case[];
  readonly brakes: readonly operator.Brake[];
  /** Whether this person may read all of it. */
  readonly isWhole: boolean;
};

async function readNight(operator: PixgateOperator, client: QueryClient): Promise<Night> {
  const [open, closed, brakes, activity] = await Promise.all([
    unlessForbidden(operator.cases.list({ status: "open", limit: READ }).page()),
    unlessForbidden(operator.cases.list({ status: "closed", limit: READ }).page()),
    // Set ones too.
    unlessForbidden(operator.brakes.list({ lifted: true, limit: READ }).page()),
    // The speeds of the institutions above come from the same answer.
    unlessForbidden(client.fetchQuery({ ...activityQuery(operator), staleTime: JUST_READ_MS })),
  ]);
  return {
    outages: activity?.outages ?? [],
    cases: [...(open?.items ?? []), ...(closed?.items ?? [])],
    brakes: brakes?.items ?? [],
    isWhole: ![open, closed, brakes, activity].includes(null),
  };
}

/** What went wrong, who stopped what and what recovered, of all institutions and accounts on one timeline, newest first. */
export function NightTimeline() {
  const { t } = useTranslation();
  const institutions = useInstitutions();
  return (
    <Section title={t("operator.night.title")} end={t("operator.history.period.day")}>
      <Read query={institutions} lines={4}>
        {(known) => <Steps known={known} />}
      </Read>
    </Section>
  );
}

function Steps({ known }: { known: NonNullable<ReturnType<typeof useInstitutions>["data"]> }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const client = useQueryClient();
  const nameOf = useNames();
  // The history notes the end of an outage a minute later.
  const upSince = new Map(
    known.filter(({ health }) => health === "up").map(({ id, healthSince }) => [id, healthSince]),
  );
  const backAt = ({ institutionId, from }: Outage): string | null => {
    const since = upSince.get(institutionId);
    return since !== undefined && since > from ? since : null;
  };
  const query = useQuery({
    queryKey: ["operator", "night"],
    queryFn: () => readNight(operator, client),
    refetchInterval: AGAIN_MS,
  });
  return (
    <Read query={query} lines={4}>
      {(night) => {
        const outages = night.outages.map((one) => ({ ...one, until: one.until ?? backAt(one) }));
        const steps = stepsOf({ ...night, outages }, nameOf, t);
        return (
          <>
            {/* What is shown is as old as the last read that succeeded. */}
            {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
            {steps.length > 0 && <Timeline steps={steps} newestFirst />}
            {steps.length === 0 && !query.error && (
              <p className="row-line small quiet">
                {t(night.isWhole ? "operator.night.quiet" : "operator.night.partly")}
              </p>
            )}
          </>
        );
      }}
    </Read>
  );
}

function stepsOf(night: Night, nameOf: (id: string | null | undefined) => string, t: TFunction): readonly Step[] {
  const after = Date.now() - BACK_MS;
  return [
    ...night.outages.flatMap((one) => outageSteps(one, nameOf(one.institutionId), t)),
    ...night.cases.flatMap((one) => caseSteps(one, t)),
    ...night.brakes.flatMap((one) => brakeSteps(one, nameOf(one.targetId), t)),
  ]
    .filter(({ at }) => at !== null && new Date(at).getTime() >= after)
    .toSorted((a, b) => new Date(b.at ?? 0).getTime() - new Date(a.at ?? 0).getTime())
    .slice(0, SHOWN);
}

function outageSteps({ from, until, state, institutionId }: Outage, name: string, t: TFunction): Step[] {
  const link = (text: string) => (
    <Link href={`/operator/institutions?open=${institutionId}`} className="link">
      {text}
    </Link>
  );
  const isDown = state === "down";
  const began: Step = {
    key: `${institutionId} ${from}`,
    at: from,
    shape: isDown ? "failed" : "needs",
    fact: link(t(isDown ? "operator.night.down" : "operator.night.faulty", { name })),
    detail: until === null ? t("operator.night.goesOn") : undefined,
  };
  if (until === null) return [began];
  return [
    began,
    { key: `${institutionId} ${until}`, at: until, shape: "done", fact: link(t("operator.night.up", { name })) },
  ];
}

function caseSteps(one: operator.Case, t: TFunction): Step[] {
  const { id, kind, severity, openedAt, closedAt, closedBecause, amount } = one;
  const link = (text: string) => (
    <Link href={`/operator/cases?open=${id}`} className="link">
      {text}
    </Link>
  );
  const name = wordOf("kind", kind);
  const sum = amount === undefined ? undefined : showBrl(amount);
  const opened: Step = {
    key: `${id} opened`,
    at: openedAt,
    shape: severityShape(severity),
    fact: link(t("operator.night.opened", { name })),
    detail: sum,
  };
  if (closedAt === undefined) return [opened];
  const because = closedBecause === "decided" ? "operator.night.decided" : "operator.night.resolved";
  return [opened, { key: `${id} closed`, at: closedAt, shape: "done", fact: link(t(because, { name })), detail: sum }];
}

function brakeSteps(one: operator.Brake, target: string, t: TFunction): Step[] {
  const { id, scope, since, setBy, reason, liftedAt, liftedBy, liftReason, waiting } = one;
  if (id === undefined || since === undefined) return [];
  const what = `${t(`operator.brakes.scope.${scope}`)} ${target}`.trim();
  const link = (text: string) => (
    <Link href="/operator/payouts" className="link">
      {text}
    </Link>
  );
  const sum = waiting === undefined || waiting.count === 0 ? "" : ` · ${showBrl(waiting.amount)}`;
  const set: Step = {
    key: `${id} set`,
    at: since,
    shape: "needs",
    fact: link(t("operator.night.stopped", { what, name: personOf(setBy ?? "") })),
    detail: `${reason ?? ""}${sum}`,
  };
  if (liftedAt === undefined) return [set];
  const lifted = t("operator.night.lifted", { what, name: personOf(liftedBy ?? "") });
  return [set, { key: `${id} lifted`, at: liftedAt, shape: "done", fact: link(lifted), detail: liftReason }];
}
