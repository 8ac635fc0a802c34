import { Type } from "typebox";
import type { Context } from "../context.ts";
import { AnswerObject, AnswerPart, OPEN, OrNull, PathId, ref } from "../http/contract.ts";
import { notFound } from "../http/errors.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { toBrl } from "../lib/money.ts";
import { readActivity } from "./activity.ts";
import { readHealthHistory } from "./health-history.ts";
import { readHours } from "./hours.ts";
import { notificationPath } from "./notification-path.ts";
import type { Institution } from "./registry.ts";

const Instant = (description: string) => Type.String({ format: "date-time", description });

/** A time in which an institution did not answer as it should. */
const OUTAGE = {
  from: Instant("When a process first saw it."),
  until: OrNull(
    Type.String({ format: "date-time" }),
    "When a process last saw it, to half a minute; null: it goes on.",
  ),
  state: Type.Enum(["trying", "down", "up"], { ...OPEN, description: "The worst of it." }),
};

const InstitutionHealth = AnswerObject("InstitutionHealth", "How an institution answered, as all processes saw it.", {
  from: Instant("Beginning of the first step."),
  to: Instant("Now, the end of the last step."),
  stepSeconds: Type.Integer({ description: "Length of a step, seconds." }),
  steps: Type.Array(
    AnswerPart("A part of the time.", {
      at: Instant("Its beginning."),
      state: Type.Enum(["up", "trying", "down", "unknown"], {
        ...OPEN,
        description:
          "The worst that any process saw. `trying`: it had begun to answer again. `unknown`: nobody watched, or it was out of the route.",
      }),
    }),
    { description: "Oldest first." },
  ),
  outages: Type.Array(
    AnswerPart("A time in which it did not answer as it should.", {
      ...OUTAGE,
    }),
    { description: "Newest first, 50 at most." },
  ),
});
const Amount = (description: string) => Type.Number({ description });
const Count = (description: string) => Type.Integer({ description });
const InstitutionHours = AnswerObject("InstitutionHours", "What went over an institution, and what it cost.", {
  hours: Type.Array(
    AnswerPart("An hour.", {
      at: Instant("Its beginning."),
      chargesAnswered: Count("Calls to create a charge that it answered, refusals too."),
      chargesUnanswered: Count("Calls to create a charge that ended without an answer, or with a failure of its own."),
      received: Count("Pix that were paid to it."),
      receivedAmount: Amount("Their sum, BRL."),
      payouts: Count("Withdrawals that it settled."),
      payoutsAmount: Amount("What their receivers got, BRL."),
      payoutsFailed: Count("Withdrawals that were asked for in this hour and have failed."),
      tariffs: Amount("What it reported to charge for the hour's Pix and payouts, BRL."),
    }),
    { description: "Oldest first; the last one is the present hour." },
  ),
});
const Milliseconds = (description: string) => OrNull(Type.Integer(), description);
const InstitutionActivity = AnswerObject("InstitutionActivity", "How all institutions answered lately.", {
  institutions: Type.Array(
    AnswerPart("An institution in the last hour.", {
      institutionId: Type.String({ format: "uuid", description: "The institution." }),
      chargesAnswered: Count("Calls to create a charge that it answered, refusals too."),
      chargesUnanswered: Count("Calls to create a charge that ended without an answer, or with a failure of its own."),
      share: OrNull(Type.Integer(), "Its part of `chargesAnswered` of all institutions, %; null: there were none."),
      answers: Count("Answers to calls of every kind."),
      p50Ms: Milliseconds("Half of these came within this time, milliseconds; null: there were none."),
      p95Ms: Milliseconds(
        "95 % of these came within this time, milliseconds. From 5000 on it is the least that it can be.",
      ),
    }),
    { description: "Those that a process has watched in the last hour." },
  ),
  outages: Type.Array(
    AnswerPart("A time in which an institution did not answer as it should.", {
      institutionId: Type.String({ format: "uuid", description: "The institution." }),
      ...OUTAGE,
    }),
    { description: "Those of the last 24 hours, newest first, 200 at most." },
  ),
});
const NotificationAddress = AnswerObject(
  "NotificationAddress",
  "Where an institution sends its notifications. It may append `/pix`.",
  {
    url: OrNull(Type.String(), "What to register at the institution; null: `PIXGATE_PUBLIC_URL` is not set."),
    path: Type.String({ description: "Its part below our public address. Whoever knows it can send notifications." }),
  },
);
const Id = Type.Object({ id: PathId("institution", "Id of the institution.") });
const Period = Type.Object({
  period: Type.Optional(
    Type.Enum(["day", "week"], { type: "string", description: "Left out: `day`.", default: "day" }),
  ),
});

/** How an institution answered recently, and where it sends its notifications. */
export function institutionWatchRoutes(route: OperatorRoutes, ctx: Context): void {
  const find = async (id: string): Promise<Institution> => {
    const found = await ctx.psps.find(id);
    if (found === null) throw notFound("institution", id);
    return found;
  };

  route({
    method: "GET",
    path: "/institutions/:id/health",
    operationId: "institutions.health",
    work: "state",
    summary: "How an institution answered lately",
    description: "In the last 24 hours by quarters of an hour, or in the last seven days by hours. Kept for 35 days.",
    role: "support",
    params: Id,
    query: Period,
    answer: ref(InstitutionHealth),
    async handle({ params: { id }, query: { period = "day" } }) {
      const { institutionId } = await find(id);
      const { from, to, stepMs, steps, outages } = await readHealthHistory(ctx, institutionId, period);
      return {
        from: from.toISOString(),
        to: to.toISOString(),
        stepSeconds: stepMs / 1_000,
        steps: steps.map(({ at, state }) => ({ at: at.toISOString(), state })),
        outages: outages.map(({ from: began, until, state }) => ({
          ...{ from: began.toISOString(), until: until?.toISOString() ?? null },
          state,
        })),
      };
    },
  });

  route({
    method: "GET",
    path: "/institutions/activity",
    operationId: "institutions.activity",
    work: "state",
    summary: "How all institutions answered lately",
    description:
      "Calls, each institution's part of them and the time of its answers in the last hour; its outages in the last 24 hours. The processes add what they counted every half minute while charges are created, and else every five minutes.",
    role: "support",
    answer: ref(InstitutionActivity),
    async handle() {
      const { active, outages } = await readActivity(ctx);
      return {
        institutions: active.map(({ institutionId, answered, unanswered, share, answers, p50, p95 }) => ({
          ...{ institutionId, chargesAnswered: answered, chargesUnanswered: unanswered, share },
          ...{ answers, p50Ms: p50, p95Ms: p95 },
        })),
        outages: outages.map(({ institutionId, from, until, state }) => ({
          ...{ institutionId, from: from.toISOString(), until: until?.toISOString() ?? null, state },
        })),
      };
    },
  });

  route({
    method: "GET",
    path: "/institutions/:id/hours",
    operationId: "institutions.hours",
    readsHistory: true,
    summary: "What went over an institution by hours, and what it cost",
    description:
      "In the last 24 hours or the last seven days, of all accounts together. Calls are counted by the processes every half minute. Tariffs are those that the institution reports; a contract's own are treasury entries.",
    role: "support",
    params: Id,
    query: Period,
    answer: ref(InstitutionHours),
    async handle({ params: { id }, query: { period = "day" } }) {
      const { institutionId } = await find(id);
      const hours = await readHours(ctx, institutionId, period);
      return {
        hours: hours.map((hour) => ({
          at: hour.at.toISOString(),
          ...{ chargesAnswered: hour.answered, chargesUnanswered: hour.unanswered },
          ...{ received: hour.received, receivedAmount: toBrl(hour.receivedAmount) },
          ...{ payouts: hour.paid, payoutsAmount: toBrl(hour.paidAmount), payoutsFailed: hour.failed },
          tariffs: toBrl(hour.tariffs),
        })),
      };
    },
  });

  route({
    method: "GET",
    path: "/institutions/:id/notification-address",
    operationId: "institutions.notificationAddress",
    work: "none",
    summary: "The address to register at an institution",
    description:
      "`POST …/test` registers it where the institution's API allows that. `POST …/rotate-notification-path` replaces it.",
    role: "admin",
    fresh: true,
    params: Id,
    showsSecret: true,
    answer: ref(NotificationAddress),
    async handle({ params: { id } }) {
      const { institutionId, notificationGeneration } = await find(id);
      const path = notificationPath(ctx.keys, institutionId, notificationGeneration);
      return { url: ctx.config.publicUrl === null ? null : ctx.config.publicUrl + path, path };
    },
  });
}
