import { type Static, Type } from "typebox";
import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";
import { present } from "../../lib/present.ts";
import { AnswerObject, AnswerPart, FreeObject, OPEN, ref } from "../contract.ts";
import { PageQuery, pageOf, readPage } from "../pages.ts";
import type { OperatorRoutes } from "../scopes/operator.ts";
import { JOB_KINDS, type JobRow, jobs } from "./run.ts";

const STATE = Type.Enum(["running", "done", "failed"], { type: "string", description: "How it stands." });
const Job = AnswerObject("Job", "Work that takes long.", {
  id: Type.String({ format: "uuid", description: "Id of the job." }),
  kind: Type.Enum([...JOB_KINDS], { ...OPEN, type: "string", description: "The operation that started it." }),
  subject: Type.String({
    description:
      "What it works on: an audit's mode, a day and its institution, a keyed digest of a person's document; empty where there is one such job.",
  }),
  day: Type.Optional(Type.String({ format: "date", description: "The day that a reconciliation compares." })),
  institutionId: Type.Optional(
    Type.String({ format: "uuid", description: "The institution with which it compares that day." }),
  ),
  state: STATE,
  startedBy: Type.String({ description: "Name of the operator who started it. Others who ask meanwhile join it." }),
  startedAt: Type.String({ format: "date-time", description: "When." }),
  endedAt: Type.Optional(Type.String({ format: "date-time", description: "When it ended." })),
  progress: Type.Optional(
    AnswerPart("How far it is; left out where it has no steps, and while it waits for its turn.", {
      done: Type.Integer({ description: "Steps that are done." }),
      of: Type.Integer({ description: "All steps." }),
    }),
  ),
  result: Type.Optional(
    FreeObject({
      description:
        "What its operation answers. Left out of a reconciliation, whose day shows it, and of a person's data, which are not kept.",
    }),
  ),
});
const JobPage = pageOf(Job, "A page of jobs.");

const LIST = "jobs";

/** `GET /jobs`: the jobs that run, their progress and their results. */
export function jobRoutes(route: OperatorRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/jobs",
    operationId: "jobs.list",
    summary: "List work that takes long",
    description:
      "Checks of the books, comparisons of a day and exports of a person, newest first. Each goes on when its caller has gone, and whoever asks for the same meanwhile, at any process, gets its result. Kept for 30 days.",
    role: "finance",
    query: Type.Object({
      kind: Type.Optional(Type.Enum([...JOB_KINDS], { type: "string", description: "Only this kind." })),
      state: Type.Optional(STATE),
      ...PageQuery,
    }),
    answer: ref(JobPage),
    async handle({ query: { kind = null, state = null, ...page } }) {
      return readPage(LIST, page, {
        read: (after, count) =>
          ctx.db.query<JobRow>(sql`
        select ${jobs.select()} from jobs where (${kind}::text is null or kind = ${kind}) and (${state}::text is null or state = ${state})
          and (${after}::uuid is null or job_id < ${after})
        order by job_id desc limit ${count}`),
        show: toJob,
        key: (row) => row.jobId,
      });
    },
  });
}

/** The day and the institution in the subject of a job of `POST /reconciliation/{date}`. */
function comparedOf(subject: string): { readonly day: string; readonly institutionId: string } {
  const [day = "", institutionId = ""] = subject.split(" ");
  return { day, institutionId };
}

const toJob = (row: JobRow): Static<typeof Job> =>
  present({
    id: row.jobId,
    kind: row.kind,
    subject: row.subject,
    ...(row.kind === "reconciliation" && comparedOf(row.subject)),
    state: row.state,
    startedBy: row.actor,
    startedAt: row.startedAt.toISOString(),
    endedAt: row.endedAt?.toISOString(),
    progress: row.steps === null ? null : { done: row.stepsDone!, of: row.steps },
    result: row.result,
  });
