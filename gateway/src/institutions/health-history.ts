import type { Context } from "../context.ts";
import { instant, nullable, oneOf, type Selected, table, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Creations, Health, HealthState } from "./health.ts";
import { NO_TIMES } from "./latency.ts";
import type { Institution } from "./registry.ts";

/** One row for each institution and five minutes, whatever the number of processes and changes. */
const SLOT_MS = 5 * 60_000;
/** While the institution is not up, a process writes at most this often. */
const NOTE_MS = 30_000;
/** Two times at which it was not up belong to one outage if no more than this lies between them. */
const GAP_MS = 2 * NOTE_MS;
/** Most outages that a history shows, of one institution and of all. */
const [OUTAGES, ALL_OUTAGES] = [50, 200];

type Noted = { readonly slotAt: number; readonly state: HealthState; readonly at: number; readonly counted: number };

/** What a process counted of an institution. */
type Counted = Creations & { readonly times: readonly number[] };
const NONE: Counted = { answered: 0, unanswered: 0, times: NO_TIMES };
const totalOf = ({ answered, unanswered }: Creations): number => answered + unanswered;

const RANK: Record<HealthState, number> = { up: 0, trying: 1, down: 2 };

/**
 * Makes the function that records how each active institution answers, as this process sees it: at the beginning of each
 * five minutes, when it becomes worse, every half minute while it is not up, and when it is up again. A row therefore
 * proves that a process watched, and a process that dies leaves no outage without an end. Creations and the times of answers
 * that were counted since are added at the same times, and every half minute while there are creations: a probe alone, which
 * an idle institution gets every 15 s, writes nothing.
 */
export function createHealthNotes({ db, clock }: Pick<Context, "db" | "clock">) {
  const noted = new Map<string, Noted>();
  // An institution that was configured anew has another health, which counts from zero.
  const written = new WeakMap<Health, Counted>();
  // When an institution was last seen out of use: an outage meanwhile was nobody's.
  const unused = new Map<string, number>();
  return async (institutions: readonly Pick<Institution, "institutionId" | "status" | "health">[]): Promise<void> => {
    const now = clock.now();
    const slotAt = Math.floor(now / SLOT_MS) * SLOT_MS;
    for (const { institutionId, status, health } of institutions) {
      if (status !== "active") {
        unused.set(institutionId, now);
        noted.delete(institutionId);
        continue;
      }
      const [{ state }, before] = [health, noted.get(institutionId)];
      const sofar = written.get(health) ?? NONE;
      const total = { ...health.creations, times: [...health.times] };
      const counted = totalOf(total) - totalOf(sofar);
      if (before !== undefined && !isDue(before, { slotAt, state, at: now, counted })) continue;
      // The outage ended now, so this is written into the row that has it.
      const noteAs = state === "up" && before?.slotAt === slotAt ? before.state : state;
      await write(
        db,
        institutionId,
        {
          slotAt,
          state: noteAs,
          at: now,
          illFrom:
            state === "up" || isIllIn(before)
              ? now
              : Math.min(Math.max(health.since, unused.get(institutionId) ?? 0), now),
        },
        {
          answered: total.answered - sofar.answered,
          unanswered: total.unanswered - sofar.unanswered,
          times: total.times.map((count, i) => count - sofar.times[i]!),
        },
      );
      written.set(health, total);
      noted.set(institutionId, { slotAt, state, at: now, counted: 0 });
    }
  };
}

/** Whether the last note was one of an outage, which goes on; else this one is its first, and it began when the state changed. */
const isIllIn = (before: Noted | undefined): boolean => before !== undefined && before.state !== "up";

function isDue(before: Noted, { slotAt, state, at, counted }: Noted): boolean {
  if (before.slotAt !== slotAt || before.state !== state) return true;
  return (state !== "up" || counted > 0) && Math.abs(at - before.at) >= NOTE_MS;
}

/**
 * Keeps the worst state of all processes, and the time from the first to the last moment at which the institution was not
 * up.
 */
async function write(
  db: Queries,
  institutionId: string,
  { slotAt, state, at, illFrom }: Pick<Noted, "slotAt" | "state" | "at"> & { readonly illFrom: number },
  { answered, unanswered, times }: Counted,
): Promise<void> {
  const [from, until] = state === "up" ? [null, null] : [new Date(illFrom), new Date(at)];
  const [ms50, ms100, ms250, ms500, ms1000, ms2500, ms5000, slower] = times;
  await db.query(sql`
    insert into institution_health as h (institution_id, slot_at, state, ill_from, ill_until, charges_answered,
      charges_unanswered, answers_50ms, answers_100ms, answers_250ms, answers_500ms, answers_1000ms, answers_2500ms,
      answers_5000ms, answers_slower)
    values (${institutionId}, ${new Date(slotAt)}, ${state}, ${from}, ${until}, ${answered}, ${unanswered}, ${ms50}, ${ms100},
      ${ms250}, ${ms500}, ${ms1000}, ${ms2500}, ${ms5000}, ${slower})
    on conflict (institution_id, slot_at) do update set
      state = case when 'down' in (h.state, excluded.state) then 'down'
        when 'trying' in (h.state, excluded.state) then 'trying' else 'up' end,
      ill_from = least(h.ill_from, excluded.ill_from),
      ill_until = greatest(h.ill_until, excluded.ill_until),
      charges_answered = h.charges_answered + excluded.charges_answered,
      charges_unanswered = h.charges_unanswered + excluded.charges_unanswered,
      answers_50ms = h.answers_50ms + excluded.answers_50ms,
      answers_100ms = h.answers_100ms + excluded.answers_100ms,
      answers_250ms = h.answers_250ms + excluded.answers_250ms,
      answers_500ms = h.answers_500ms + excluded.answers_500ms,
      answers_1000ms = h.answers_1000ms + excluded.answers_1000ms,
      answers_2500ms = h.answers_2500ms + excluded.answers_2500ms,
      answers_5000ms = h.answers_5000ms + excluded.answers_5000ms,
      answers_slower = h.answers_slower + excluded.answers_slower`);
}

/** How an institution answered in five minutes; the times from the first to the last moment at which it was not up. */
const institutionHealth = table({
  name: "institution_health",
  key: ["institutionId", "slotAt"],
  columns: {
    institutionId: uuid,
    slotAt: instant,
    state: oneOf(["up", "trying", "down"] satisfies HealthState[]),
    illFrom: nullable(instant),
    illUntil: nullable(instant),
  },
  leftOut: [
    ...["charges_answered", "charges_unanswered", "answers_50ms", "answers_100ms", "answers_250ms", "answers_500ms"],
    ...["answers_1000ms", "answers_2500ms", "answers_5000ms", "answers_slower"],
  ],
});
const SLOT = ["slotAt", "state", "illFrom", "illUntil"] as const;
type HealthRow = Selected<typeof institutionHealth.columns, (typeof SLOT)[number]>;

/** A period in which an institution was not up; `until` is null while it continues. */
export type Outage = { readonly from: Date; readonly until: Date | null; readonly state: HealthState };
/** The worst state in a step; `unknown`: no process watched, or the institution was not active. */
type Step = { readonly at: Date; readonly state: HealthState | "unknown" };

/** How far back a history goes, and the length of its steps. Milliseconds. */
const HISTORIES = {
  day: { step: 15 * 60_000, steps: 96 },
  week: { step: 60 * 60_000, steps: 168 },
} as const;

/** How an institution answered recently, oldest first; outages newest first. */
export async function readHealthHistory(
  { db, clock }: Pick<Context, "db" | "clock">,
  institutionId: string,
  period: keyof typeof HISTORIES,
): Promise<{ from: Date; to: Date; stepMs: number; steps: Step[]; outages: Outage[] }> {
  const { step, steps } = HISTORIES[period];
  const to = clock.date();
  const from = new Date(Math.floor(to.getTime() / step) * step - (steps - 1) * step);
  const { rows } = await db.query<HealthRow>(sql`
    select ${institutionHealth.select("", SLOT)} from institution_health
    where institution_id = ${institutionId} and slot_at >= ${from} and slot_at <= ${to} order by slot_at`);
  const bySteps = Map.groupBy(rows, ({ slotAt }) => Math.floor((slotAt.getTime() - from.getTime()) / step));
  return {
    from,
    to,
    stepMs: step,
    steps: Array.from({ length: steps }, (_, i) => ({
      at: new Date(from.getTime() + i * step),
      state: worstOf(bySteps.get(i) ?? []),
    })),
    outages: outagesOf(rows, to).reverse().slice(0, OUTAGES),
  };
}

/** The outages of all institutions in a time, the newest first. */
export async function readOutages(
  { db }: Pick<Context, "db">,
  from: Date,
  to: Date,
): Promise<(Outage & { institutionId: string })[]> {
  const { rows } = await db.query<HealthRow & { institutionId: string }>(sql`
    select ${institutionHealth.select("", ["institutionId", ...SLOT])} from institution_health
    where slot_at >= ${from} and slot_at <= ${to} and state <> 'up' order by institution_id, slot_at`);
  const outages = [...Map.groupBy(rows, ({ institutionId }) => institutionId)].flatMap(([institutionId, ofOne]) =>
    outagesOf(ofOne, to).map((outage) => ({ ...outage, institutionId })),
  );
  return outages.sort((a, b) => b.from.getTime() - a.from.getTime()).slice(0, ALL_OUTAGES);
}

function worstOf(rows: readonly HealthRow[]): Step["state"] {
  if (rows.length === 0) return "unknown";
  return rows.reduce<HealthState>((worst, { state }) => (RANK[state] > RANK[worst] ? state : worst), "up");
}

/** The outages in these rows, oldest first: rows that follow one another without a gap are one outage. Pure. */
function outagesOf(rows: readonly HealthRow[], now: Date): Outage[] {
  const outages: { from: Date; until: Date; state: HealthState }[] = [];
  for (const { state, illFrom, illUntil } of rows) {
    if (illFrom === null || illUntil === null) continue;
    const last = outages.at(-1);
    if (last === undefined || illFrom.getTime() - last.until.getTime() > GAP_MS) {
      outages.push({ from: illFrom, until: illUntil, state });
      continue;
    }
    last.until = illUntil;
    if (RANK[state] > RANK[last.state]) last.state = state;
  }
  return outages.map((outage) => ({
    ...outage,
    until: now.getTime() - outage.until.getTime() <= GAP_MS ? null : outage.until,
  }));
}
