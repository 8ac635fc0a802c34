import { type Static, Type } from "typebox";
import { askSecondPerson, changeOfRows, NEEDS_TWO } from "../../cases/second-person.ts";
import type { Context } from "../../context.ts";
import type { Queries } from "../../db/pool.ts";
import { stopSending } from "../../db/sending-lock.ts";
import { sql } from "../../db/sql.ts";
import { AnswerObject, AnswerPart, RequestObject, ref } from "../../http/contract.ts";
import { invalid } from "../../http/errors.ts";
import { PageQuery, pageOf, readPage } from "../../http/pages.ts";
import type { OperatorRoutes } from "../../http/scopes/operator.ts";
import { toBrl } from "../../lib/money.ts";
import { present } from "../../lib/present.ts";
import { BRAKE_SCOPES, type BrakeRow, listBrakes, putBrake } from "./brake.ts";
import { countWaiting } from "./count-waiting.ts";

const SCOPE = { type: "string", description: "What it stops: everything, or one institution, account or wallet." };
const ID = "Id of the institution, account or wallet; left out for everything.";

const BrakeRequest = RequestObject("BrakeRequest", "A brake to set or to lift.", {
  scope: Type.Enum([...BRAKE_SCOPES], SCOPE),
  id: Type.Optional(Type.String({ format: "uuid", description: ID })),
  paused: Type.Boolean({ description: "True: nothing leaves any more. False: it leaves again." }),
  reason: Type.String({ minLength: 1, maxLength: 500, pattern: "\\S", description: "Why, for the next operator." }),
  brakeId: Type.Optional(
    Type.String({
      format: "uuid",
      description:
        "To lift: the brake that is meant. Where somebody has set another one since, it stays, and the answer is 404. Left out: whichever is set.",
    }),
  ),
});
const Brake = AnswerObject("Brake", "A brake on money that leaves.", {
  id: Type.Optional(Type.String({ format: "uuid", description: "Id of the brake; left out where none was set." })),
  scope: Type.Enum([...BRAKE_SCOPES], SCOPE),
  targetId: Type.Optional(Type.String({ format: "uuid", description: ID })),
  ofRestore: Type.Optional(
    Type.Boolean({
      description:
        "True: set because this database is a restored copy. Only the end of the restore lifts it (`POST /restore/finish`).",
    }),
  ),
  paused: Type.Boolean({ description: "Whether it is set." }),
  reason: Type.Optional(Type.String({ description: "Why it was set." })),
  setBy: Type.Optional(Type.String({ description: "Name of the operator who set it." })),
  since: Type.Optional(Type.String({ format: "date-time", description: "Since when." })),
  liftedAt: Type.Optional(Type.String({ format: "date-time", description: "Until when." })),
  liftedBy: Type.Optional(Type.String({ description: "Name of the operator who lifted it." })),
  liftReason: Type.Optional(Type.String({ description: "Why it was lifted." })),
  waiting: Type.Optional(
    AnswerPart(
      "Withdrawals that wait behind it, whatever else holds them: nothing of them has left. In the list, of a brake that is set. `GET /withdrawals?brakeId=` lists them.",
      {
        count: Type.Integer({ description: "How many withdrawals, 10,000 at most." }),
        amount: Type.Number({ description: "What leaves the wallets with these, BRL." }),
        more: Type.Boolean({ description: "There are more than were counted." }),
      },
    ),
  ),
});
const BrakePage = pageOf(Brake, "A page of the brakes.");
const Query = Type.Object({
  lifted: Type.Optional(
    Type.Boolean({ description: "Also those that were lifted; left out: only those that are set." }),
  ),
  ...PageQuery,
});
const LIST = "brakes";

/** `/brakes`: stops money from leaving. */
export function brakeRoutes(route: OperatorRoutes, ctx: Context, houseId: string): void {
  route({
    method: "GET",
    path: "/brakes",
    operationId: "brakes.list",
    summary: "List the brakes that are set",
    description: "Newest first.",
    role: "support",
    query: Query,
    answer: ref(BrakePage),
    async handle({ query }) {
      const lifted = query.lifted ?? false;
      return readPage(LIST, query, {
        read: async (after, limit) => ({ rows: await listBrakes(ctx.db, { lifted, limit, after }) }),
        show: (row) => withWaiting(ctx, row),
        key: (row) => row.brakeId,
      });
    },
  });

  route({
    method: "PUT",
    path: "/brakes",
    operationId: "brakes.set",
    audits: ["brake.set", "brake.lift"],
    summary: "Stop money from leaving, or let it leave again",
    description:
      "From the answer on no process sends a withdrawal, a refund or an automatic return within the scope that has not left. What may have left is still queried and finished, and not sent again. Money that comes in is booked as ever.",
    role: "finance",
    fresh: { when: "it lifts a brake: money is stopped at once", asks: ({ paused }) => paused === false },
    body: ref(BrakeRequest),
    answer: ref(Brake),
    errors: ["RESOURCE_NOT_FOUND", "TWO_PERSONS_REQUIRED"],
    example: { scope: "all", paused: true, reason: "The bank reports payouts that nobody asked for." },
    async handle({ ctx, body }) {
      const { scope, paused, reason, brakeId = null } = body;
      const targetId = body.id ?? null;
      if (paused && brakeId !== null) throw invalid("brakeId", "is only for a lift");
      const row = await ctx.db
        .transaction(async (tx) => {
          const put = await putBrake(ctx, tx, houseId, { scope, targetId, paused, reason, brakeId });
          const isLifted = !paused && put !== null;
          if (isLifted && ctx.config.twoPersonsAbove !== null) throw NEEDS_TWO;
          return put;
        })
        .catch(async (error: unknown) => {
          if (error !== NEEDS_TWO) throw error;
          const description = `lift the brake on ${scope}${targetId === null ? "" : ` ${targetId}`}: ${reason}`;
          const call = { scope, targetId, reason, ...(brakeId !== null && { brakeId }) };
          throw await askSecondPerson(ctx, LIFT_BRAKE, {
            accountId: houseId,
            call,
            amount: null,
            says: description,
            keyed: null,
          });
        });
      if (!paused) for (const loop of ["withdrawals", "returns"]) ctx.hints.wake(loop);
      return row === null ? present<Static<typeof Brake>>({ scope, targetId, paused: false }) : toBrake(row);
    },
  });
}

type Lift = {
  readonly scope: (typeof BRAKE_SCOPES)[number];
  readonly targetId: string | null;
  /** The brake that is meant; left out: whichever is set. */
  readonly brakeId?: string | null;
};

/** The brake that is set and meant. A decision about it does not lift another one that is set later. */
async function standingOfBrake(queries: Queries, { scope, targetId, brakeId }: Lift) {
  const { rows } = await queries.query<{ brake_id: string }>(sql`
    select brake_id from brakes
    where lifted_at is null and scope = ${scope} and target_id is not distinct from ${targetId}::uuid
      and (${brakeId ?? null}::uuid is null or brake_id = ${brakeId ?? null})`);
  return { brakeId: rows[0]?.brake_id ?? null };
}

/** A brake that one person may not lift alone. */
export const LIFT_BRAKE = changeOfRows<Lift & { readonly reason: string }>({
  name: "brakes.set",
  role: "finance",
  lock: (tx) => stopSending(tx),
  read: standingOfBrake,
  async write(ctx, tx, { accountId: houseId, ...call }) {
    const standing = await standingOfBrake(tx, call);
    if (standing.brakeId === null) return standing;
    const lifted = await putBrake(ctx, tx, houseId, { ...call, paused: false });
    return { brakeId: lifted?.brakeId ?? null };
  },
});

async function withWaiting(ctx: Context, row: BrakeRow): Promise<Static<typeof Brake>> {
  if (row.liftedAt !== null) return toBrake(row);
  const { amount, ...counted } = await countWaiting(ctx.db, row);
  return { ...toBrake(row), waiting: { ...counted, amount: toBrl(amount) } };
}

const toBrake = (row: BrakeRow): Static<typeof Brake> =>
  present({
    id: row.brakeId,
    ...(row.scope === "restore" ? { scope: "all", ofRestore: true } : { scope: row.scope }),
    targetId: row.targetId,
    paused: row.liftedAt === null,
    reason: row.reason,
    setBy: row.actor,
    since: row.since.toISOString(),
    liftedAt: row.liftedAt?.toISOString(),
    liftedBy: row.liftedBy,
    liftReason: row.liftReason,
  });
