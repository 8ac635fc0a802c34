import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { AnswerPart, Brl, OrNull, RequestPart } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import type { AccountRow } from "./account.ts";
import { centavos, shown } from "./payout-policy.ts";

const LIMIT = Brl({ minimum: 0, description: "BRL." });
const limit = (description: string) => Type.Optional(OrNull(LIMIT, `${description}, BRL; null: no limit.`));
/** Limits of an account's withdrawals, of a request; what is left out stays. */
export const LimitFields = RequestPart(
  "Limits of withdrawals. A new account of production names all three; null is no limit.",
  {
    perWithdrawal: limit("Most of one withdrawal"),
    perDay: limit("Most of all withdrawals of a day, São Paulo time"),
    perNight: limit("Most of all withdrawals of a night, 20:00 to 06:00, São Paulo time"),
  },
);

const shownLimit = (description: string) => OrNull(Type.Number(), `${description}, BRL; null: no limit.`);
/** Limits of an account's withdrawals, of an answer. */
export const ShownLimits = AnswerPart("Limits of withdrawals.", {
  perWithdrawal: shownLimit("Most of one withdrawal"),
  perDay: shownLimit("Most of a day"),
  perNight: shownLimit("Most of a night"),
});

const LIMITS = ["perWithdrawal", "perDay", "perNight"] as const;

/**
 * In production a new account must name each limit of its withdrawals, or null, so that none is forgotten. 400 otherwise.
 */
export function requireLimits(ctx: Pick<Context, "config">, limits: Static<typeof LimitFields> | undefined): void {
  if (ctx.config.environment !== "production") return;
  const missing = LIMITS.find((name) => limits?.[name] === undefined);
  if (missing) throw invalid(`limits.${missing}`, "is needed in production: an amount in BRL, or null for no limit");
}

/** The limits that a request gives, over those of the row. Centavos. */
export const limitColumns = (limits: Static<typeof LimitFields> | undefined, row: AccountRow) => ({
  limitPerWithdrawal: centavos(limits?.perWithdrawal, row.limitPerWithdrawal),
  limitPerDay: centavos(limits?.perDay, row.limitPerDay),
  limitPerNight: centavos(limits?.perNight, row.limitPerNight),
});

export const toLimits = (row: AccountRow): Static<typeof ShownLimits> => ({
  perWithdrawal: shown(row.limitPerWithdrawal),
  perDay: shown(row.limitPerDay),
  perNight: shown(row.limitPerNight),
});

/** Shows whether the auditor has frozen the account's withdrawals. */
export const Frozen = AnswerPart(
  "The auditor found its books broken: no withdrawal is taken on or sent until this is lifted.",
  {
    since: Type.String({ format: "date-time", description: "Since when." }),
    reason: Type.String({ description: "Why. `GET /ledger/findings` has the places." }),
  },
);
