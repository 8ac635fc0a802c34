import type { Context } from "../context.ts";
import { instant, nullable, oneOf, type Selected, table, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Creations, Health, HealthState } from "./health.ts";
import type { Institution } from "./registry.ts";

/** One row for each institution and five minutes, whatever the number of processes and changes. */
const SLOT_MS = 5 * 60_000;
/** While the institution is not up, a process writes at most this often. */
const NOTE_MS = 30_000;
/** Two times at which it was not up belong to one outage if no more than this lies between them. */
const GAP_MS = 2 * NOTE_MS;
/** Most outages that a history shows. */
const OUTAGES = 50;

type Noted = { readonly slotAt: number; readonly state: HealthState; readonly at: number; readonly counted: number };

const NONE: Creations = { answered: 0, unanswered: 0 };
const totalOf = ({ answered, unanswered }: Creations): number => answered + unanswered;

const RANK: Record<HealthState, number> = { up: 0, trying: 1, down: 2 };

/**
 * Makes the function that records how each active institution answers, as this process sees it: at the beginning of each
 * five minutes, when it becomes worse, every half minute while it is not up, and when it is up again. A row therefore
 * proves that a process watched, and a process that dies leaves no outage without an end. Creations that were counted since
 * are added at the same times, and every half minute while there are any.
 */
export function createHealthNotes({ db, clock }: Pick<Context, "db" | "clock">) {
  const noted = new Map<string, Noted>();
  // An institution that was configured anew has another health, which counts from zero.
  const written = new WeakMap<Health, Creations>();
  return async (institutions: readonly Pick<Institution, "institutionId" | "status" | "health">[]): Promise<void> => {
    const now = clock.now();
    const slotAt = Math.floor(now / SLOT_MS) * SLOT_MS;
    for (const { institutionId, status, health } of institutions) {
      if (status !== "active") continue;
      const [{ state }, before] = [health, noted.get(institutionId)];
      const creations = { ...health.creations };
      const sofar = written.get(health) ?? NONE;
      const counted = totalOf(creations) - totalOf(sofar);
      if (before !== undefined && !isDue(before, { slotAt, state, at: now, counted })) continue;
      // The outage ended now, so this is written into the row that has it.
      const noteAs = state === "up" && before?.slotAt === slotAt ? before.state : state;
      await write(
        db,
        institutionId,
        { slotAt, state: noteAs, at: now },
        {
          answered: creations.answered - sofar.answered,
          unanswered: creations.unanswered - sofar.unanswered,
        },
      );
      written.set(health, creations);
      noted.set(institutionId, { slotAt, state, at: now, counted: 0 });
    }
  };
}

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
  { slotAt, state, at }: Pick<Noted, "slotAt" | "state" | "at">,
  { answered, unanswered }: Creations,
): Promise<void> {
  const ill = state === "up" ? null : new Date(at);
  await db.query(sql`
    insert into institution_health (institution_id, slot_at, state, ill_from, ill_until, charges_answered, charges_unanswered)
    values (${institutionId}, ${new Date(slotAt)}, ${state}, ${ill}, ${ill}, ${answered}, ${unanswered})
    on conflict (institution_id, slot_at) do update set
      state = case when 'down' in (institution_health.state, excluded.state) then 'down'
        when 'trying' in (institution_health.state, excluded.state) then 'trying' else 'up' end,
      ill_from = least(institution_health.ill_from, excluded.ill_from),
      ill_until = greatest(institution_health.ill_until, excluded.ill_until),
      charges_answered = institution_health.charges_answered + excluded.charges_answered,
      charges_unanswered = institution_health.charges_unanswered + excluded.charges_unanswered`);
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
  leftOut: ["charges_answered", "charges_unanswered"],
});
const SLOT = ["slotAt", "state", "illFrom", "illUntil"] as const;
type HealthRow = Selected<typeof institutionHealth.columns, (typeof SLOT)[number]>;

/** A period in which an institution was not up; `until` is null while it continues. */
type Outage = { readonly from: Date; readonly until: Date | null; readonly state: HealthState };
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
