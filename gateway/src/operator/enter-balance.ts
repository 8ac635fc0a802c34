import { Type } from "typebox";
import { audit } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import { Brl, component, PathId, ref } from "../http/contract.ts";
import { invalid, notFound } from "../http/errors.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { LIMITS } from "../lib/limits.ts";
import { fromBrl, fromSignedBrl, MAX_CENTAVOS, toBrl } from "../lib/money.ts";
import { enterSample } from "../reconciliation/watch-balances.ts";

const BalanceEntry = component(
  "BalanceEntry",
  Type.Object(
    {
      balance: Brl({
        minimum: -toBrl(MAX_CENTAVOS),
        description: "What the institution held for us, what it blocks included, BRL; negative when overdrawn.",
      }),
      at: Type.String({
        format: "date-time",
        description: "When: in the last 31 days, and after the newest figure that was compared.",
      }),
      blocked: Type.Optional(Brl({ minimum: 0, description: "What of it is blocked there, BRL; left out: nothing." })),
    },
    { additionalProperties: false, description: "A balance as the institution's statement shows it." },
  ),
);
const BalanceEntered = component(
  "BalanceEntered",
  Type.Object(
    {
      institutionId: Type.String({ format: "uuid", description: "Id of the institution." }),
      balance: Type.Number({ description: "BRL." }),
      at: Type.String({ format: "date-time", description: "When it was so." }),
      comparedAt: Type.String({
        format: "date-time",
        description: "When it is compared with the books, at the earliest.",
      }),
    },
    { description: "A balance that is compared with the books as one that the institution reports." },
  ),
);
export const BALANCE_COMPONENTS = [BalanceEntry, BalanceEntered] as const;

/** `POST /institutions/{id}/balance`: of an institution that reports none, operators enter it from its statement. */
export function balanceRoutes(route: OperatorRoutes, ctx: Context, houseId: string): void {
  route({
    method: "POST",
    path: "/institutions/:id/balance",
    operationId: "institutions.enterBalance",
    audits: ["institution.balance"],
    summary: "Enter the balance of an institution that reports none",
    description:
      "It is compared with the books as they were at that moment; a difference opens the case `balance_drift`, which the next figure that agrees closes. The close of a day shows the first figure of the following day. An institution that reports its balance is asked every ten minutes, and takes none here.",
    role: "finance",
    fresh: { not: "it moves no money: a difference is a case" },
    params: Type.Object({ id: PathId("institution", "Id of the institution.") }),
    body: ref(BalanceEntry),
    example: { balance: 1234.56, at: "2026-11-20T18:00:00Z" },
    status: 200,
    answer: ref(BalanceEntered),
    errors: ["VALIDATION_ERROR"],
    async handle({ ctx: called, params: { id }, body, transact }) {
      const institution = await ctx.psps.find(id);
      if (institution === null) throw notFound("institution", id);
      if (institution.psp.balance) throw invalid("id", "reports its balance by itself");
      const [theirs, blocked] = [fromSignedBrl(body.balance), fromBrl(body.blocked ?? 0)];
      if (theirs === null || blocked === null) throw invalid("balance", "has at most two decimals");
      const at = new Date(body.at);
      const now = called.clock.now();
      if (at.getTime() > now || at.getTime() < now - LIMITS.enteredBalanceAge) {
        throw invalid("at", "must be in the last 31 days");
      }
      return transact(async (tx) => {
        const enteredBy = called.operator.name;
        const comparedAt = await enterSample(called, tx, id, { theirs, blocked, at, enteredBy });
        if (comparedAt === null) throw invalid("at", "must be after the newest figure that was compared");
        const entered = { balance: body.balance, at: at.toISOString() };
        await audit(called, tx, houseId, "institution.balance", id, null, { ...entered, blocked: body.blocked ?? 0 });
        return { institutionId: id, ...entered, comparedAt: comparedAt.toISOString() };
      });
    },
  });
}
