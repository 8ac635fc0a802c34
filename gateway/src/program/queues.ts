import { Type } from "typebox";
import type { Context } from "../context.ts";
import { type Fragment, literal, part, sql } from "../db/sql.ts";
import { AnswerObject, OPEN, OrNull, ref } from "../http/contract.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { LIMITS } from "../lib/limits.ts";
import { RETURN_LIFTED, returnPaused } from "../outgoing/brakes/gate.ts";
import { COULD_LEAVE_SINCE, waitsForNobodyAt } from "../withdrawals/show.ts";

/** Most entries of a queue that are counted; beyond that the oldest entry is known only among these. */
const MOST = 10_000;

type Queue = {
  readonly name: string;
  readonly description: string;
  /** An older entry needs a person, milliseconds. */
  readonly limit: number;
  /** The waiting rows, with the time since when (`since`). */
  readonly waiting: (now: Date) => Fragment;
};

/** The work of the loops, in the order in which money comes in and leaves. What waits for a person is in no queue. */
const QUEUES: readonly Queue[] = [
  {
    name: "notifications",
    description: "notifications of institutions that are not applied yet, since they came",
    limit: LIMITS.queueOverdue,
    waiting: () => part`select received_at as since from inbox where status = 'pending' order by next_at`,
  },
  {
    name: "charges",
    description: "pending charges that are due to be queried, since they were",
    limit: LIMITS.queueOverdue,
    waiting: (now) => part`select check_at as since from open_charges where check_at <= ${now} order by check_at`,
  },
  {
    name: "withdrawals",
    description: "withdrawals without an end that wait for no person and have no case, since they could leave",
    limit: LIMITS.payoutUnresolved,
    waiting: (now) => part`
      select ${COULD_LEAVE_SINCE} as since from withdrawals w
      where w.transaction_status = 'pending' and w.case_opened_at is null and ${waitsForNobodyAt(now)}`,
  },
  {
    name: "returns",
    description:
      "refunds and automatic returns without an end that no brake holds and that have no case, since they could leave",
    limit: LIMITS.returnUnresolved,
    waiting: () => part`
      select greatest(d.created_at, ${RETURN_LIFTED}) as since from pix_returns d
      where d.next_at is not null and d.case_opened_at is null and (d.status <> 'pending' or not ${returnPaused()})
      order by d.next_at`,
  },
  {
    name: "deliveries",
    description: "deliveries of webhooks that are due, since they were; their receiver may be slow",
    limit: LIMITS.deliveriesOverdue,
    waiting: (now) => part`
      select d.next_at as since from deliveries d
      join webhook_endpoints e on e.account_id = d.account_id and e.endpoint_id = d.endpoint_id
      where d.status = 'pending' and d.next_at <= ${now} and e.enabled and e.deleted_at is null`,
  },
];

const QueueState = AnswerObject("QueueState", "What a loop of the gateway has still to do.", {
  name: Type.Enum(
    QUEUES.map(({ name }) => name),
    {
      ...OPEN,
      type: "string",
      description: `What waits: ${QUEUES.map(({ name, description: meaning }) => `\`${name}\` (${meaning})`).join("; ")}.`,
    },
  ),
  waiting: Type.Integer({ description: `How many, counted up to ${MOST.toLocaleString("en")}.` }),
  since: OrNull(
    Type.String({ format: "date-time" }),
    "Since when the oldest of those that were counted waits; null: nothing waits.",
  ),
  limitSeconds: Type.Integer({ description: "When the oldest has waited this long, somebody should look." }),
  late: Type.Boolean({ description: "Whether it is over its limit, or longer than was counted." }),
});
const QueueList = AnswerObject("QueueList", "What waits.", {
  items: Type.Array(ref(QueueState), { description: "Every queue." }),
});
/** `/queues`: whether the gateway keeps up. */
export function queueRoute(route: OperatorRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/queues",
    operationId: "queues.list",
    work: "state",
    summary: "List what waits for the gateway",
    description: "Read from the database, so every process answers the same. What waits for a person is not in it.",
    role: "support",
    answer: ref(QueueList),
    async handle() {
      const now = ctx.clock.date();
      const items = await Promise.all(
        QUEUES.map(async ({ name, limit, waiting }) => {
          const { rows } = await ctx.db.query<{ n: number; since: Date | null }>(sql`
            select count(*)::integer as n, min(since) as since from (${waiting(now)} limit ${literal(MOST)}) as waiting`);
          const { n, since } = rows[0]!;
          const late = n === MOST || (since !== null && now.getTime() - since.getTime() > limit);
          return { name, waiting: n, since: since?.toISOString() ?? null, limitSeconds: limit / 1_000, late };
        }),
      );
      return { items };
    },
  });
}
