import type { Context } from "../../context.ts";
import { instant, int, json, nullable, oneOf, type RowOf, table, text, uuid } from "../../db/columns.ts";
import { levelOf } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { LIMITS } from "../../lib/limits.ts";
import { pause } from "../../lib/pause.ts";
import type { Progress } from "../../lib/progress.ts";
import { ApiError } from "../errors.ts";
import { createReads, type Reads } from "../reads.ts";

/** Tasks of operators that take long. */
export const JOB_KINDS = ["ledger.verify", "ledger.audit", "reconciliation", "person.export"] as const;
type JobKind = (typeof JOB_KINDS)[number];

export const jobs = table({
  name: "jobs",
  key: ["jobId"],
  columns: {
    jobId: uuid,
    kind: oneOf(JOB_KINDS),
    subject: text,
    state: oneOf(["running", "done", "failed"]),
    actor: text,
    startedAt: instant,
    endedAt: nullable(instant),
    stepsDone: nullable(int),
    steps: nullable(int),
    result: nullable(json<Record<string, unknown>>()),
  },
  leftOut: ["beat_at"],
});
export type JobRow = RowOf<typeof jobs.columns>;

type Job<T> = {
  readonly kind: JobKind;
  /** The object of the job: two jobs of one kind and subject never run at once. */
  readonly subject: string;
  /** Name of the operator. */
  readonly actor: string;
  /** Whether it reads whole tables: a process runs as many at once as it has connections for them. */
  readonly isWhole: boolean;
  /**
   * The answer for callers that joined the job from another process: `kept`, the result in the job's row; a function that
   * reads it again; or `nothing`, for data of people, which is not copied: then the work is done again after the first job.
   */
  readonly result: "kept" | "nothing" | (() => Promise<T>);
  work(report: Progress): Promise<T>;
};

type JobContext = Pick<Context, "db" | "clock" | "ids" | "log">;

/** How often a job renews its lease; a job that has not for this long has lost its process. Milliseconds. */
const BEAT = 3_000;
const LEASE = 15_000;
/** Pause between two polls of a job of another process. */
const POLL = 500;

/** The jobs of this process, and the slots for those that read whole tables. */
type Running = { readonly jobs: Map<string, Promise<unknown>>; readonly whole: Reads };
const runningBy = new WeakMap<Context["db"], Running>();

/**
 * Runs a job, or joins a running one of the same kind and subject, in this process or another. It continues to its end even
 * if its caller does not wait; `GET /jobs` shows its progress and result.
 */
export function runJob<T>(ctx: JobContext, job: Job<T>): Promise<T> {
  const running = runningBy.get(ctx.db) ?? {
    jobs: new Map<string, Promise<unknown>>(),
    whole: createReads({ most: LIMITS.dbWholeConnections, waitMs: LIMITS.jobWait }),
  };
  runningBy.set(ctx.db, running);
  const name = `${job.kind} ${job.subject}`;
  const runningJob = running.jobs.get(name);
  if (runningJob !== undefined) return runningJob as Promise<T>;
  const mine = runOrJoin(ctx, running, job).finally(() => running.jobs.delete(name));
  running.jobs.set(name, mine);
  return mine;
}

async function runOrJoin<T>(ctx: JobContext, running: Running, job: Job<T>): Promise<T> {
  for (;;) {
    const jobId = await start(ctx, job);
    if (jobId !== null) return work(ctx, running, jobId, job);
    const ended = await awaitEnd(ctx, job);
    // It failed, its process died, or its result is not stored: run it here.
    if (ended === null || job.result === "nothing") continue;
    return job.result === "kept" ? (ended.result as T) : job.result();
  }
}

/** Makes the job's row. @returns null where another process runs it. */
async function start({ db, clock, ids }: JobContext, { kind, subject, actor }: Job<unknown>): Promise<string | null> {
  const now = clock.date();
  await db.query(sql`
    update jobs set state = 'failed', ended_at = ${now} where kind = ${kind} and subject = ${subject} and state = 'running'
      and beat_at < ${new Date(now.getTime() - LEASE)}`);
  const { rows } = await db.query<{ job_id: string }>(sql`
    insert into jobs (job_id, kind, subject, state, actor, started_at, beat_at)
    values (${ids.uuid()}, ${kind}, ${subject}, 'running', ${actor}, ${now}, ${now})
    on conflict (kind, subject) where state = 'running' do nothing returning job_id`);
  return rows[0]?.job_id ?? null;
}

/** Waits for the end of a job in another process; null where it failed or its process died. */
async function awaitEnd(
  { db, clock }: JobContext,
  { kind, subject }: Job<unknown>,
): Promise<{ readonly result: unknown } | null> {
  const { rows } = await db.query<{ job_id: string }>(sql`
    select job_id from jobs where kind = ${kind} and subject = ${subject} and state = 'running'`);
  if (rows[0] === undefined) return null;
  for (;;) {
    const { rows: jobRows } = await db.query<{ state: string; result: unknown; beat_at: Date }>(sql`
      select state, result, beat_at from jobs where job_id = ${rows[0].job_id}`);
    const row = jobRows[0];
    if (row === undefined || row.state === "failed") return null;
    if (row.state === "done") return { result: row.result };
    if (row.beat_at.getTime() < clock.now() - LEASE) return null;
    await pause(POLL);
  }
}

async function work<T>(ctx: JobContext, { whole }: Running, jobId: string, job: Job<T>): Promise<T> {
  let [done, of]: (number | null)[] = [null, null];
  const note = (error: unknown) => ctx.log[levelOf(error)]({ err: error, jobId }, "a job's row was not written");
  const beat = () =>
    ctx.db.query(sql`
      update jobs set beat_at = ${ctx.clock.date()}, steps_done = ${done}, steps = ${of}
      where job_id = ${jobId} and state = 'running'`);
  const beating = setInterval(() => void beat().catch(note), BEAT).unref();
  const end = (state: "done" | "failed", result: string | null) =>
    ctx.db
      .query(sql`
      update jobs set state = ${state}, ended_at = ${ctx.clock.date()}, steps_done = ${done}, steps = ${of}, result = ${result}::jsonb
      where job_id = ${jobId} and state = 'running'`)
      .catch(note);
  let leave: (() => void) | null = null;
  try {
    leave = job.isWhole ? await whole.enter("") : () => {};
    if (leave === null) throw new ApiError("OVERLOADED", undefined, { retryable: true }, { "retry-after": "60" });
    const result = await job.work((now, all) => {
      [done, of] = [now, all];
    });
    await end("done", job.result === "kept" ? JSON.stringify(result) : null);
    return result;
  } catch (error) {
    await end("failed", null);
    throw error;
  } finally {
    clearInterval(beating);
    leave?.();
  }
}
