import { Type } from "typebox";
import { audit } from "../../audit-log/write.ts";
import type { CaseAction } from "../../cases/action.ts";
import { execute, propose, readGround } from "../../cases/decide.ts";
import { type Acting, askSecondPerson, changeOfRows } from "../../cases/second-person.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { AnswerObject, AnswerPart, RequestObject, ref } from "../../http/contract.ts";
import { ApiError } from "../../http/errors.ts";
import type { OperatorRoutes } from "../../http/scopes/operator.ts";
import { toBrl } from "../../lib/money.ts";
import { countUnconfirmed } from "../../withdrawals/unconfirmed.ts";
import { expectFailover, readEpoch, readExpected, readIdentity } from "./identity.ts";
import { declareRestored, RESTORE_KIND } from "./watch.ts";

const Reason = (description: string) => Type.String({ minLength: 1, maxLength: 255, pattern: "\\S", description });
const DATE_TIME = { format: "date-time" } as const;

const RestoreStatus = AnswerObject(
  "RestoreStatus",
  "Whether this database is a copy of the one that was running, and what must be decided before money leaves.",
  {
    restored: Type.Boolean({
      description: "True: this database is a copy, and nothing leaves until the restore is ended.",
    }),
    says: Type.Optional(Type.String({ description: "How it was recognised." })),
    since: Type.Optional(Type.String({ ...DATE_TIME, description: "Since when nothing leaves." })),
    comparedFrom: Type.Optional(
      Type.String({ ...DATE_TIME, description: "From when on the institutions are compared with the books." }),
    ),
    caseId: Type.Optional(Type.String({ format: "uuid", description: "Case in which the restore is ended." })),
    proposal: Type.Optional(
      Type.String({
        description: "Status of the newest proposal to end it: `awaiting_approval` needs a second person.",
      }),
    ),
    refusal: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: "Why the newest proposal was refused." }),
    ),
    undecided: Type.Integer({
      description:
        "Differences found since it began that nobody has decided about: `GET /cases?kind=reconciliation_difference&status=open`.",
    }),
    unconfirmed: AnswerPart(
      "Open withdrawals of the time before, which leave only when somebody confirms each (`payout_unconfirmed`).",
      {
        count: Type.Integer({ description: "How many." }),
        amount: Type.Number({ description: "What their receivers would get, BRL." }),
      },
    ),
    epoch: Type.Integer({ description: "How often a database was declared to be the one that lives." }),
    recognisedBy: Type.Array(Type.String(), {
      description:
        "What tells a copy apart here: `systemId`, `timeline`, `database`, `table`. The first two are missing where the gateway's role may not read them.",
    }),
    failoverExpectedUntil: Type.Optional(
      Type.String({ ...DATE_TIME, description: "Until then another timeline of this database is no restore." }),
    ),
  },
);
const RestoreBegin = RequestObject("RestoreBegin", "That this database is a copy.", {
  reason: Reason("What was copied, for the audit log."),
});
const RestoreFinish = RequestObject("RestoreFinish", "The end of a restore.", {
  reason: Reason("Why this database is the one that lives, for the audit log."),
  openWithdrawals: Type.Optional(
    Type.Enum(["decide_each", "confirm_all"], {
      type: "string",
      description:
        "`confirm_all` where nothing was lost, as when a replica took over that had everything; a payout whose bank has given it no id that the books know needs its own decision all the same. Left out: each needs a decision.",
    }),
  ),
  silentInstitutions: Type.Optional(
    Type.Enum(["refuse", "accept"], {
      type: "string",
      description:
        "`accept`: the operator answers for what an institution does not show. Left out: the restore is not ended.",
    }),
  ),
});
const ExpectedFailover = RequestObject("ExpectedFailover", "A failover that is planned.", {
  minutes: Type.Integer({ minimum: 1, maximum: 60, description: "For how long it may come." }),
  reason: Reason("Why, for the audit log."),
});

/** `/restore`: whether this database is a restored copy, and how that ends. */
export function restoreRoutes(
  route: OperatorRoutes,
  ctx: Context,
  houseId: string,
  actions: readonly CaseAction[],
): void {
  route({
    method: "GET",
    path: "/restore",
    operationId: "restore.get",
    work: "row",
    summary: "Whether this database is a restored copy",
    role: "support",
    answer: ref(RestoreStatus),
    handle: () => readStatus(ctx, houseId),
  });

  route({
    method: "POST",
    path: "/restore/begin",
    operationId: "restore.begin",
    audits: ["restore.begin"],
    summary: "Say that this database is a copy",
    description:
      "For a copy that shows no difference, such as a snapshot of a disk. From the answer on nothing leaves, and each open withdrawal needs a decision.",
    role: "finance",
    fresh: { not: "it stops money at once" },
    body: ref(RestoreBegin),
    answer: ref(RestoreStatus),
    example: { reason: "The disk was set back to the snapshot of 03:00." },
    async handle({ ctx, body }) {
      await ctx.db.transaction((tx) => declareRestored(ctx, tx, houseId, body.reason), { unhurried: true });
      return readStatus(ctx, houseId);
    },
  });

  route({
    method: "POST",
    path: "/restore/finish",
    operationId: "restore.finish",
    final: "Money leaves again within seconds; another copy that still runs pays beside this one.",
    audits: ["restore.finish"],
    summary: "End a restore",
    description:
      "Compares the institutions with the books for all of the time since the backup, and queries the open withdrawals. When nothing is left undecided, money leaves again; `refusal` says what is. Where two persons are required it waits in its case until somebody else approves it.",
    role: "admin",
    fresh: true,
    body: ref(RestoreFinish),
    answer: ref(RestoreStatus),
    errors: ["NOT_RESTORED", "CASE_PROPOSAL_OPEN"],
    example: { reason: "The old server is destroyed; the backup of 03:00 lives." },
    async handle({ ctx, body }) {
      const about = await findRestore(ctx, houseId);
      if (about === null) throw new ApiError("NOT_RESTORED");
      const desk = { ctx, actions };
      const wanted = { action: "finish", parameters: body };
      const ground = await readGround(desk, about.case_id, wanted);
      const approved = await ctx.db.transaction((tx) => propose(desk, tx, about.case_id, wanted, ground));
      if (approved !== null) await execute(desk, approved);
      return readStatus(ctx, houseId);
    },
  });

  route({
    method: "POST",
    path: "/restore/expect-failover",
    operationId: "restore.expectFailover",
    audits: ["restore.expect_failover"],
    summary: "Announce a failover to a replica",
    description: "Within these minutes another timeline of this very database is no restore: nothing is braked.",
    role: "admin",
    fresh: true,
    body: ref(ExpectedFailover),
    answer: ref(RestoreStatus),
    example: { minutes: 15, reason: "The server gets a new disk." },
    errors: ["TWO_PERSONS_REQUIRED"],
    async handle({ ctx, body }) {
      if (ctx.config.twoPersonsAbove !== null) {
        const description = `take another timeline of the database for no restore for ${body.minutes} minutes: ${body.reason}`;
        throw await askSecondPerson(ctx, EXPECT_FAILOVER, {
          accountId: houseId,
          call: body,
          amount: null,
          says: description,
          keyed: null,
        });
      }
      await ctx.db.transaction((tx) => announce(ctx, tx, { accountId: houseId, ...body }));
      return readStatus(ctx, houseId);
    },
  });
}

type Announced = { readonly accountId: string; readonly minutes: number; readonly reason: string };

async function announce(ctx: Acting, tx: Tx, { accountId: houseId, minutes, reason }: Announced): Promise<Date> {
  const until = new Date(ctx.clock.now() + minutes * 60_000);
  await expectFailover(tx, until);
  const after = { until: until.toISOString(), reason };
  await audit(ctx, tx, houseId, "restore.expect_failover", houseId, null, after);
  return until;
}

/** Announcing a failover, which one person may not do alone: during that time a stale replica would pay. */
export const EXPECT_FAILOVER = changeOfRows<Omit<Announced, "accountId">>({
  name: "restore.expectFailover",
  role: "admin",
  lock: () => Promise.resolve(),
  read: async (queries) => ({ epoch: (await readEpoch(queries))?.epoch ?? 0 }),
  write: async (ctx, tx, of) => ({ until: (await announce(ctx, tx, of)).toISOString() }),
});

type Restore = {
  readonly case_id: string;
  readonly since: Date;
  readonly evidence: { readonly says: string; readonly data?: { readonly since?: string | null } };
  readonly status: string | null;
  readonly result: Record<string, unknown> | null;
};

async function findRestore({ db }: Pick<Context, "db">, houseId: string): Promise<Restore | null> {
  const { rows } = await db.query<Restore>(sql`
    select c.case_id, b.since, c.evidence, p.status, p.result
    from brakes b
    join cases c on c.account_id = ${houseId} and c.kind = ${RESTORE_KIND} and c.object_id = b.brake_id::text and c.status = 'open'
    left join lateral (
      select status, result from case_proposals where account_id = ${houseId} and case_id = c.case_id
      order by proposed_at desc, proposal_id desc limit 1) p on true
    where b.scope = 'restore' and b.lifted_at is null`);
  return rows[0] ?? null;
}

async function readStatus({ db, clock }: Pick<Context, "db" | "clock">, houseId: string) {
  const [about, known, here] = [await findRestore({ db }, houseId), await readEpoch(db), await readIdentity(db)];
  const { rows } = await db.query<{ count: number }>(sql`
    select count(*)::int as count from cases
    where account_id = ${houseId} and kind = 'reconciliation_difference' and status = 'open'
      and opened_at >= ${about?.since ?? null}::timestamptz`);
  const { count, amount } = await countUnconfirmed(db);
  const expected = await readExpected(db, clock.date());
  const from = about?.evidence.data?.since;
  return {
    restored: about !== null,
    ...(about && {
      ...{ says: about.evidence.says, since: about.since.toISOString(), caseId: about.case_id },
      ...(from && { comparedFrom: from }),
      ...(about.status !== null && { proposal: about.status }),
      ...(about.status === "refused" && about.result && { refusal: about.result }),
    }),
    undecided: rows[0]!.count,
    unconfirmed: { count, amount: toBrl(amount) },
    epoch: known?.epoch ?? 0,
    recognisedBy: (Object.keys(here) as (keyof typeof here)[]).filter((name) => here[name] !== null),
    ...(expected && { failoverExpectedUntil: expected.toISOString() }),
  };
}
