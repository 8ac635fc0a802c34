import { addBrl, type operator } from "@pixgate/sdk";

/** What the operator's answer is decided from. Null: it could not be read. */
export type Seen = {
  readonly counts: readonly operator.CaseCount[] | null;
  /** The newest open cases. */
  readonly cases: readonly operator.Case[] | null;
  readonly institutions: readonly operator.OperatorInstitution[] | null;
  readonly brakes: readonly operator.Brake[] | null;
  /** Newest first. */
  readonly processing: readonly operator.OperatorWithdrawal[] | null;
  readonly findings: readonly operator.Finding[] | null;
  /** When the auditor checked last; left out where the gateway does not say it. */
  readonly checkedAt?: string;
  readonly queues: readonly operator.QueueState[] | null;
  /** How many accounts use no other institution than the one that is down; left out where none is or that is not known. */
  readonly alone?: { readonly institutionId: string; readonly count: number; readonly isMore: boolean };
};

type Values = Readonly<Record<string, string | number>>;
/** A button: its key in the texts, what it opens, and where it leads. */
type Act = { readonly text: string; readonly href: string; readonly name?: string };

/** One reason, by its key in the texts: how grave it is, the money at stake, what the gateway does about it, what one may do. */
export type Reason = {
  readonly answer: "sleep" | "check" | "act" | "unknown";
  readonly reason: string;
  readonly values: Values;
  /** BRL that waits or may be wrong; left out where it is not known or there is none. */
  readonly stake?: number;
  readonly tried?: { readonly text: string; readonly values: Values };
  readonly acts: readonly Act[];
};

/** A withdrawal that an institution has not finished after this long wants a person, ms. */
const SLOW_MS = 30 * 60_000;
/** The queue that one slow receiver of a merchant can make long: no money waits in it. */
const MERCHANTS = "deliveries";

const see = (text: "seeBooks" | "seeCases" | "seeBrakes" | "seeWithdrawal" | "seeInstitutions", href: string): Act => ({
  text,
  href,
});
const seeInstitution = ({ id, name }: operator.OperatorInstitution): Act => ({
  text: "seeInstitution",
  name,
  href: `/operator/institutions?open=${id}`,
});
/** The acts that stop withdrawals: everywhere, and through one institution. */
const STOP: Act = { text: "stop", href: "/operator/payouts?brake=all" };
const stopAt = (institutionId: string): Act => ({
  text: "stopHere",
  href: `/operator/payouts?brake=institution:${institutionId}`,
});
const PROCESSING: Act = { text: "withdrawals", href: "/operator/withdrawals?status=processing" };

const valuesOf = ({ name, since, waiting }: operator.QueueState): Values => ({
  queue: name,
  count: waiting,
  ...(since !== null && { since }),
});

export const oldestOf = (seen: Seen): operator.OperatorWithdrawal | null => seen.processing?.at(-1) ?? null;

export function countOf(seen: Seen, severity: operator.CaseCount["severity"]): number {
  return (seen.counts ?? []).reduce((sum, one) => sum + (one.severity === severity ? one.count : 0), 0);
}

const stakeOf = (items: readonly { readonly amount?: number | undefined }[]): { readonly stake?: number } => {
  const stake = addBrl(...items.map(({ amount = 0 }) => amount));
  return stake > 0 ? { stake } : {};
};
const casesOf = (seen: Seen, severity: operator.CaseCount["severity"]) =>
  (seen.cases ?? []).filter((one) => one.severity === severity);

/** Whether one may go back to bed: every reason, the gravest first. What could not be read never counts as good. */
export function reasonsOf(seen: Seen, now: Date): readonly Reason[] {
  const active = (seen.institutions ?? []).filter(({ status }) => status === "active");
  const ill = active.filter(({ health }) => health !== "up");
  const allDown = active.length > 0 && ill.length === active.length;
  const unread = Object.values(seen).some((part) => part === null);
  const unknown: Reason = { answer: "unknown", reason: "unknown", values: {}, acts: [] };
  const reasons = [
    ...wrongMoney(seen),
    ...(allDown ? [ofInstitutions("act", "allDown", ill, seen)] : []),
    ...late(seen, now),
    ...(unread ? [unknown] : []),
    ...(allDown
      ? []
      : ill.map((one) => (one.health === "down" ? ofDown(one, seen) : ofInstitutions("check", "oneIll", [one], seen)))),
    ...mayWait(seen, active),
  ];
  const quiet: Reason = { answer: "sleep", reason: "quiet", values: {}, acts: [] };
  return (reasons.length > 0 ? reasons : [quiet]).map((one) => withoutNeedless(one, seen.brakes ?? []));
}

/** Does not offer to stop what is stopped already. */
function withoutNeedless(reason: Reason, brakes: readonly operator.Brake[]): Reason {
  const stopped = brakes.filter(({ paused }) => paused);
  const isAll = stopped.some(({ scope }) => scope === "all");
  const needless = stopped.flatMap(({ scope, targetId }) =>
    scope === "institution" && targetId !== undefined ? [stopAt(targetId).href] : [],
  );
  const acts = reason.acts.filter(
    ({ text, href }) => !(isAll && (text === STOP.text || text === "stopHere")) && !needless.includes(href),
  );
  return { ...reason, acts };
}

function wrongMoney(seen: Seen): Reason[] {
  const reasons: Reason[] = [];
  const [found, critical] = [seen.findings?.length ?? 0, countOf(seen, "critical")];
  if (found > 0) {
    const tried = { text: "frozen", values: {} };
    reasons.push({
      answer: "act",
      reason: "books",
      values: { count: found },
      tried,
      acts: [see("seeBooks", "/operator/books"), STOP],
    });
  }
  if (critical > 0) {
    const acts = [see("seeCases", "/operator/cases?severity=critical"), STOP];
    const stake = stakeOf(casesOf(seen, "critical"));
    reasons.push({ answer: "act", reason: "critical", values: { count: critical }, ...stake, acts });
  }
  return reasons;
}

/** Institutions that do not answer, with the withdrawals that are on their way through them. */
function ofInstitutions(
  answer: "act" | "check",
  reason: string,
  ill: readonly operator.OperatorInstitution[],
  seen: Seen,
): Reason {
  const [first] = ill as readonly [operator.OperatorInstitution];
  const through = (seen.processing ?? []).filter((one) => ill.some(({ id }) => id === one.institutionId));
  const isOne = ill.length === 1;
  const since = ill.map(({ healthSince }) => healthSince).sort()[0] ?? first.healthSince;
  return {
    ...{ answer, reason, values: { name: first.name, count: through.length }, ...stakeOf(through) },
    tried: { text: first.health === "down" ? "down" : "probed", values: { since } },
    acts: isOne
      ? // One that makes no payouts has none to stop.
        [seeInstitution(first), ...(first.capabilities?.payouts === null ? [] : [stopAt(first.id)])]
      : [see("seeInstitutions", "/operator/institutions"), STOP],
  };
}

/** One that is down while others answer: whether that can wait depends on whether an account uses no other. */
function ofDown(one: operator.OperatorInstitution, seen: Seen): Reason {
  const alone = seen.alone?.institutionId === one.id ? seen.alone : undefined;
  if (alone === undefined) return ofInstitutions("check", "oneDown", [one], seen);
  const { count, isMore } = alone;
  if (count === 0) return ofInstitutions("check", "oneDownSpared", [one], seen);
  const reason = ofInstitutions("act", isMore ? "manyAlone" : "alone", [one], seen);
  const accounts: Act = { text: "seeAlone", href: `/operator/accounts?dependsOn=${one.id}` };
  return { ...reason, values: { ...reason.values, count }, acts: [accounts, ...reason.acts] };
}

function late(seen: Seen, now: Date): Reason[] {
  const reasons: Reason[] = [];
  const slow = (seen.processing ?? []).filter(
    ({ createdAt }) => now.getTime() - new Date(createdAt).getTime() > SLOW_MS,
  );
  const oldest = slow.at(-1);
  if (oldest !== undefined) {
    const { id, attempts, nextQueryAt, createdAt } = oldest;
    reasons.push({
      ...{ answer: "act", reason: "slow", values: { since: createdAt }, ...stakeOf(slow) },
      tried:
        nextQueryAt === undefined
          ? { text: "asked", values: { count: attempts } }
          : { text: "askedAgain", values: { count: attempts, next: nextQueryAt } },
      acts: [see("seeWithdrawal", `/operator/withdrawals?open=${id}`), PROCESSING],
    });
  }
  const queue = (seen.queues ?? []).find((one) => one.late && one.name !== MERCHANTS);
  if (queue !== undefined) reasons.push({ answer: "act", reason: "queue", values: valuesOf(queue), acts: [] });
  return reasons;
}

function mayWait(seen: Seen, active: readonly operator.OperatorInstitution[]): Reason[] {
  const reasons: Reason[] = [];
  if (active.length === 0 && seen.institutions !== null)
    reasons.push({
      answer: "check",
      reason: "noInstitution",
      values: {},
      acts: [see("seeInstitutions", "/operator/institutions")],
    });
  const brake = (seen.brakes ?? []).find(({ scope, paused }) => scope === "all" && paused);
  if (brake !== undefined) {
    const { reason = "", since, waiting, setBy = "" } = brake;
    reasons.push({
      ...{ answer: "check", reason: "brake", values: {}, ...stakeOf(waiting === undefined ? [] : [waiting]) },
      ...(since !== undefined && { tried: { text: "stopped", values: { person: setBy, why: reason, since } } }),
      acts: [
        see("seeBrakes", "/operator/payouts"),
        { text: "behind", href: "/operator/withdrawals?status=pending&reason=paused" },
      ],
    });
  }
  const merchants = (seen.queues ?? []).find((queue) => queue.late && queue.name === MERCHANTS);
  if (merchants !== undefined)
    reasons.push({ answer: "check", reason: "deliveries", values: valuesOf(merchants), acts: [] });
  const waiting = countOf(seen, "warning");
  if (waiting > 0) {
    const acts = [see("seeCases", "/operator/cases?severity=warning")];
    const stake = stakeOf(casesOf(seen, "warning"));
    reasons.push({ answer: "sleep", reason: "morning", values: { count: waiting }, ...stake, acts });
  }
  return reasons;
}
