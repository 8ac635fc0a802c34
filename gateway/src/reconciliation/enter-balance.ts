import { type Static, Type } from "typebox";
import { audit } from "../audit-log/write.ts";
import { type Acting, askSecondPerson, changeOfRows, NEEDS_TWO } from "../cases/second-person.ts";
import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { AnswerObject, Brl, OPEN, PathId, RequestObject, ref } from "../http/contract.ts";
import { invalid, notFound } from "../http/errors.ts";
import { makerName } from "../http/owners.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { LIMITS } from "../lib/limits.ts";
import { fromBrl, fromSignedBrl, MAX_CENTAVOS, toBrl } from "../lib/money.ts";
import { compareBalance, type Enterer, keepComparison, readUnderWay } from "./compare-balance.ts";
import { decideCase, judgeBalance } from "./judge-balance.ts";

const BalanceEntry = RequestObject("BalanceEntry", "A balance as the institution's statement shows it.", {
  balance: Brl({
    minimum: -toBrl(MAX_CENTAVOS),
    description: "What the institution held for us, what it blocks included, BRL; negative when overdrawn.",
  }),
  at: Type.String({
    format: "date-time",
    description: "When: from a minute to seven days ago, and after the newest figure that was compared.",
  }),
  blocked: Type.Optional(Brl({ minimum: 0, description: "What of it is blocked there, BRL; left out: nothing." })),
});
const BalanceEntered = AnswerObject(
  "BalanceEntered",
  "A balance that was compared with the books as one that the institution reports.",
  {
    institutionId: Type.String({ format: "uuid", description: "Id of the institution." }),
    balance: Type.Number({ description: "BRL." }),
    at: Type.String({ format: "date-time", description: "When it was so." }),
    verdict: Type.Enum(["agrees", "moving", "differs"], {
      ...OPEN,
      description: "`moving`: what moved around that moment, or was under way, can explain the difference.",
    }),
    difference: Type.Number({ description: "The balance less what the books had then, BRL." }),
  },
);
/**
 * `POST /institutions/{id}/balance`: operators enter the balance of an institution that reports none, from its statement.
 */
export function balanceRoutes(route: OperatorRoutes, ctx: Context, houseId: string): void {
  route({
    method: "POST",
    path: "/institutions/:id/balance",
    operationId: "institutions.enterBalance",
    audits: ["institution.balance"],
    summary: "Enter the balance of an institution that reports none",
    description:
      "It is compared with the books as they were at that moment. A difference opens the case `balance_drift`, about whose money whoever entered it decides nothing; a balance that agrees closes it. Where two persons decide, one that does not differ waits in a case (403 `TWO_PERSONS_REQUIRED`) until somebody else approves it. The close of a day shows the first balance of the following day, and who entered it. An institution that reports its balance is asked every ten minutes, and takes none here.",
    role: "finance",
    fresh: true,
    params: Type.Object({ id: PathId("institution", "Id of the institution.") }),
    body: ref(BalanceEntry),
    example: { balance: 1234.56, at: "2026-11-20T18:00:00Z" },
    answer: ref(BalanceEntered),
    errors: ["VALIDATION_ERROR", "TWO_PERSONS_REQUIRED"],
    async handle({ ctx: called, params: { id: institutionId }, body, keyed, transact }) {
      const institution = await ctx.psps.find(institutionId);
      if (institution === null) throw notFound("institution", institutionId);
      if (institution.can.balance) throw invalid("id", "reports its balance by itself");
      const figure = readFigure(body, called.clock.now());
      const { name, owners } = called.operator;
      const entry = { accountId: houseId, institutionId, figure, enteredBy: { name: makerName(name)!, owners } };
      return transact(async (tx) => {
        await lock(tx, entry);
        const entered = await enter(called, tx, entry);
        // A difference becomes a case that two persons decide. A balance without a difference is believed at once, and
        // could hide missing money, so a second person must confirm it.
        if (entered.verdict !== "differs" && called.config.twoPersonsAbove !== null) throw NEEDS_TWO;
        return entered;
      }).catch(async (error: unknown) => {
        if (error !== NEEDS_TWO) throw error;
        const description = `enter R$ ${toBrl(figure.theirs).toFixed(2)} as the balance of the institution ${institution.name} at ${figure.at}, which does not contradict the books`;
        const { accountId, ...call } = entry;
        const same = { institutionId, figure };
        throw await askSecondPerson(called, ENTER_BALANCE, {
          accountId,
          call,
          amount: null,
          says: description,
          keyed,
          same,
        });
      });
    },
  });
}

/** Centavos. */
type Figure = { readonly theirs: number; readonly blocked: number; readonly at: string };
type Entry = { readonly institutionId: string; readonly figure: Figure; readonly enteredBy: Enterer };

function readFigure(body: Static<typeof BalanceEntry>, now: number): Figure {
  const [theirs, blocked] = [fromSignedBrl(body.balance), fromBrl(body.blocked ?? 0)];
  if (theirs === null || blocked === null) throw invalid("balance", "has at most two decimals");
  const at = new Date(body.at);
  const age = now - at.getTime();
  if (age < LIMITS.enteredBalanceSettle || age > LIMITS.enteredBalanceAge) {
    throw invalid("at", "must be from a minute to seven days ago");
  }
  return { theirs, blocked, at: at.toISOString() };
}

/** Balances of one institution are compared one after the other. */
const lock = (tx: Tx, { institutionId }: Entry): Promise<unknown> =>
  tx.query(sql`select from institutions where institution_id = ${institutionId} for no key update`);

async function compare(queries: Queries, { institutionId, figure }: Entry) {
  const { theirs, blocked, at: sampledAt } = figure;
  const at = new Date(sampledAt);
  const { rowCount } = await queries.query(sql`
    select from balance_checks where institution_id = ${institutionId} and sampled_at >= ${at} limit 1`);
  if (rowCount > 0) throw invalid("at", "must be after the newest figure that was compared");
  const sample = { sampledAt, theirs, blocked, underWay: await readUnderWay(queries, institutionId, at) };
  return { sample, comparison: await compareBalance(queries, institutionId, sample) };
}

async function enter(ctx: Acting, tx: Tx, entry: Entry & { readonly accountId: string }) {
  const { accountId: houseId, institutionId, enteredBy } = entry;
  const { sample, comparison } = await compare(tx, entry);
  // Nobody enters a second balance to confirm the first, so one comparison decides.
  const decided = decideCase(comparison, comparison);
  await keepComparison(ctx, tx, { houseId, institutionId, sample, enteredBy, comparison, decided });
  const { theirs, blocked, sampledAt: at } = sample;
  const balance = toBrl(theirs);
  const after = { balance, at, blocked: toBrl(blocked), enteredBy: enteredBy.name };
  await audit(ctx, tx, houseId, "institution.balance", institutionId, null, after);
  return { institutionId, balance, at, verdict: judgeBalance(comparison), difference: toBrl(theirs - comparison.ours) };
}

/** Entering a balance that agrees with the books: one person alone could hide with it that money is gone. */
export const ENTER_BALANCE = changeOfRows<Entry>({
  name: "institutions.enterBalance",
  role: "finance",
  lock,
  read: async (queries, entry) => ({ differs: judgeBalance((await compare(queries, entry)).comparison) === "differs" }),
  write: enter,
});
