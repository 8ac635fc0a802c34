import { type Static, Type } from "typebox";
import { mayMoveAlone } from "../cases/allowance.ts";
import type { Context } from "../context.ts";
import { Answered } from "../http/answer.ts";
import { Brl, RequestObject, ref } from "../http/contract.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { keyedCommand } from "../http/keyed-command.ts";
import { OccurredQuery, PageQuery, readPeriod } from "../http/pages.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { fromBrl } from "../lib/money.ts";
import { bookEntry } from "./book.ts";
import { RECORDED_KINDS, TREASURY_KINDS, TREASURY_STATUSES } from "./entry.ts";
import { findAsDifference } from "./explained.ts";
import { listEntries, ownByInstitution, TreasuryItem, TreasuryPage, toTreasuryItem } from "./list.ts";
import { requestEntry } from "./request.ts";

const TreasuryRequest = RequestObject("TreasuryRequest", "A movement of the operator's own money that has happened.", {
  kind: Type.Enum([...RECORDED_KINDS], { type: "string", description: "What moved." }),
  institutionId: Type.String({
    format: "uuid",
    description: "Where the money moved; of `interbank` where it left.",
  }),
  toInstitutionId: Type.Optional(
    Type.String({ format: "uuid", description: "Where interbank money arrived; only for `interbank`." }),
  ),
  amount: Brl({ minimum: 0.01, description: "BRL." }),
  occurredAt: Type.String({
    format: "date-time",
    description: "When it moved at the institution: it counts for that day, and as late where the day is closed.",
  }),
  reference: Type.Optional(Type.String({ maxLength: 100, description: "Yours, such as the number of a slip." })),
  description: Type.Optional(Type.String({ maxLength: 255, description: "What it was." })),
});

const Query = Type.Object({
  kind: Type.Optional(Type.Enum([...TREASURY_KINDS], { type: "string", description: "Only this kind." })),
  status: Type.Optional(Type.Enum([...TREASURY_STATUSES], { type: "string", description: "Only these." })),
  institutionId: Type.Optional(Type.String({ format: "uuid", description: "Only what left or reached this one." })),
  ...OccurredQuery,
  ...PageQuery,
});

const bookKeyed = keyedCommand(bookEntry);

/** `/treasury`: the operator's own money at the institutions. */
export function treasuryRoutes(route: OperatorRoutes, ctx: Context, houseId: string): void {
  route({
    method: "GET",
    path: "/treasury",
    operationId: "treasury.list",
    summary: "List movements of the operator's own money",
    description: "Newest first.",
    role: "finance",
    query: Query,
    answer: ref(TreasuryPage),
    async handle({ query }) {
      const [from, to] = readPeriod(query, ["occurredFrom", "occurredTo"]);
      const page = await listEntries(ctx.db, houseId, { ...query, from, to });
      return query.cursor === undefined ? { ...page, booked: await ownByInstitution(ctx.db, houseId) } : page;
    },
  });

  route({
    method: "POST",
    path: "/treasury",
    operationId: "treasury.record",
    final: "What is booked is taken back only by another movement.",
    audits: ["case.propose"],
    summary: "Record a movement of the operator's own money",
    description:
      "Moves nothing at the institution: it books what has moved there. Where two persons are required (`PIXGATE_TWO_PERSONS`) it waits in a case (`caseId`) until somebody else approves it.",
    role: "finance",
    fresh: true,
    body: ref(TreasuryRequest),
    status: 201,
    answer: ref(TreasuryItem),
    example: {
      ...{ kind: "top_up", institutionId: "01a20385-0000-7000-8000-000000000001", amount: 1000 },
      occurredAt: "2026-11-20T12:00:00Z",
    },
    async handle({ ctx, body, keyed, toAnswer, transact }) {
      const now = ctx.clock.date();
      const occurredAt = new Date(body.occurredAt);
      if (occurredAt > now) throw invalid("occurredAt", "is in the future");
      if ((body.kind === "interbank") !== (body.toInstitutionId !== undefined)) {
        throw invalid("toInstitutionId", body.kind === "interbank" ? "is needed" : "is only for interbank");
      }
      const [institutionId, toInstitutionId] = await requireInstitutions(ctx, body);
      const entry = {
        ...{ accountId: houseId, entryId: ctx.ids.uuid(), source: "operator" as const, kind: body.kind },
        ...{ institutionId, toInstitutionId, amount: fromBrl(body.amount)!, occurredAt, about: null },
        ...{ reference: body.reference ?? null, description: body.description ?? null, createdBy: ctx.operator.name },
      };
      const differenceEntry = await findAsDifference(ctx.db, {
        ...entry,
        status: "booked",
        createdAt: now,
        bookedAt: now,
      });
      if (differenceEntry !== null) {
        const why = `was booked as the difference of the balance (${differenceEntry}); another movement of this amount shows in the next comparison`;
        throw invalid("amount", why);
      }
      // Where two persons decide cases, they decide every entry.
      const alone =
        !ctx.config.twoPersons &&
        (await mayMoveAlone(
          ctx,
          entry.amount,
          keyed === null ? entry.entryId : `treasury ${keyed.key} ${entry.amount}`,
        ));
      if (!alone) {
        const waiting = { ...entry, status: "awaiting_approval" as const, createdAt: now, bookedAt: null };
        return transact(async (tx) => toTreasuryItem(waiting, await requestEntry(ctx, tx, waiting)));
      }
      const done = await ctx.lanes.run(bookKeyed, {
        accountId: houseId,
        objectId: entry.entryId,
        keyed,
        toAnswer: (booked) => toAnswer(toTreasuryItem(booked)),
        command: { accountId: houseId, entry, actor: ctx.operator.name },
      });
      if (done instanceof ApiError) throw done;
      return new Answered(done.answer, done.replayed);
    },
  });
}

async function requireInstitutions(
  ctx: Context,
  body: Static<typeof TreasuryRequest>,
): Promise<[from: string, to: string | null]> {
  const institutionIds = new Set((await ctx.psps.all()).map((institution) => institution.institutionId));
  const from = body.institutionId;
  const to = body.toInstitutionId ?? null;
  if (!institutionIds.has(from)) throw invalid("institutionId", "is no institution of this installation");
  if (to !== null && !institutionIds.has(to))
    throw invalid("toInstitutionId", "is no institution of this installation");
  if (from === to) throw invalid("toInstitutionId", "must be another institution");
  return [from, to];
}
