import type { operator } from "@pixgate/sdk";

/** What the operator's sentence is decided from. Null: it could not be read. */
export type Seen = {
  readonly counts: readonly operator.CaseCount[] | null;
  readonly institutions: readonly operator.OperatorInstitution[] | null;
  readonly brakes: readonly operator.Brake[] | null;
  /** Newest first. */
  readonly processing: readonly operator.OperatorWithdrawal[] | null;
  readonly findings: readonly operator.Finding[] | null;
  readonly queues: readonly operator.QueueState[] | null;
};

/** Its key in the texts, how grave it is, and where it is decided. */
type Verdict = {
  readonly answer: "sleep" | "check" | "act" | "unknown";
  readonly reason: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly href: string | null;
};

/** A withdrawal that an institution has not finished after this long wants a person, ms. */
const SLOW_MS = 30 * 60_000;

/** The queue that one slow receiver of a merchant can make long: no money waits in it. */
const MERCHANTS = "deliveries";
const valuesOf = ({ name, since, waiting }: operator.QueueState) => ({
  queue: name,
  count: waiting,
  ...(since !== null && { since }),
});

export const oldestOf = (seen: Seen): operator.OperatorWithdrawal | null => seen.processing?.at(-1) ?? null;

export function countOf(seen: Seen, severity: operator.CaseCount["severity"]): number {
  return (seen.counts ?? []).reduce((sum, one) => sum + (one.severity === severity ? one.count : 0), 0);
}

/** Whether one may go back to bed: the gravest reason alone. What could not be read never counts as good. */
export function decide(seen: Seen, now: Date): Verdict {
  const act = (reason: string, values: Verdict["values"], href: string): Verdict => ({
    answer: "act",
    reason,
    values,
    href,
  });
  if ((seen.findings ?? []).length > 0) return act("books", { count: seen.findings?.length ?? 0 }, "/operator/books");
  const critical = countOf(seen, "critical");
  if (critical > 0) return act("critical", { count: critical }, "/operator/cases?severity=critical");
  const active = (seen.institutions ?? []).filter(({ status }) => status === "active");
  const ill = active.filter(({ health }) => health !== "up");
  if (active.length > 0 && ill.length === active.length) return act("allDown", {}, "/operator/institutions");
  const oldest = oldestOf(seen);
  if (oldest !== null && now.getTime() - new Date(oldest.createdAt).getTime() > SLOW_MS)
    return act("slow", { since: oldest.createdAt }, "/operator/withdrawals?status=processing");
  const late = (seen.queues ?? []).find((queue) => queue.late && queue.name !== MERCHANTS);
  if (late !== undefined) return { answer: "act", reason: "queue", values: valuesOf(late), href: null };
  if (Object.values(seen).some((part) => part === null))
    return { answer: "unknown", reason: "unknown", values: {}, href: null };
  return mayWait(seen, active, ill);
}

function mayWait(
  seen: Seen,
  active: readonly operator.OperatorInstitution[],
  ill: readonly operator.OperatorInstitution[],
): Verdict {
  const check = (reason: string, values: Verdict["values"], href: string): Verdict => ({
    answer: "check",
    reason,
    values,
    href,
  });
  if (active.length === 0) return check("noInstitution", {}, "/operator/institutions");
  if ((seen.brakes ?? []).some(({ scope, paused }) => scope === "all" && paused))
    return check("brake", {}, "/operator/payouts");
  const [first] = ill;
  if (first) return check("oneDown", { name: first.name }, "/operator/institutions");
  const merchants = (seen.queues ?? []).find((queue) => queue.late && queue.name === MERCHANTS);
  if (merchants !== undefined)
    return { answer: "check", reason: "deliveries", values: valuesOf(merchants), href: null };
  const waiting = countOf(seen, "warning");
  if (waiting > 0)
    return { answer: "sleep", reason: "morning", values: { count: waiting }, href: "/operator/cases?severity=warning" };
  return { answer: "sleep", reason: "quiet", values: {}, href: null };
}
