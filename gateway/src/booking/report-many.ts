/**
 * Cases of what an institution shows and Pixgate cannot act on, such as a charge in an unknown status. A bank's new
 * version, or a stranger who knows the path of its notifications, may cause any number of them, so only some have their
 * own case.
 */
import { otherTax } from "../charges/withheld-tax.ts";
import type { Context } from "../context.ts";
import { relation, uuid } from "../db/columns.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { PspPix } from "../psp/psp.ts";
import { type Case, closeCases, type Data, type Deps, KIND, openIn } from "./report-unread.ts";

/** Most open cases of one sort at an institution. One further case, "the others", stands for the rest. */
const MOST_CASES = 100;
/**
 * "The others" closes once no more than this many are open: at `MOST_CASES`, each decision would close and open it
 * again.
 */
const FEW_CASES = 50;
/** First number of the advisory locks; the second is that of the institution and sort. */
const LOCK = 7_246_121;

/** A charge of ours, as an institution has issued it. */
type IssuedCharge = {
  readonly accountId: string;
  readonly chargeId: string;
  readonly institutionId: string;
  readonly txid: string;
};

/** `state` in the data of the case about a charge in an unknown status. */
const UNKNOWN_STATUS = "unrecognised";

/**
 * Opens the case of a charge in an unknown status. It may have been paid in another way, so only an operator's decision
 * ends the charge here (charges/case-actions.ts).
 *
 * @param word the status as the institution shows it.
 */
export function reportUnknownStatus(ctx: Deps, houseId: string, charge: IssuedCharge, word: string): Promise<void> {
  const { accountId, chargeId, institutionId, txid } = charge;
  const about = { accountId: houseId, institutionId, objectId: chargeObject(institutionId, txid) };
  const description =
    "The institution shows the charge in a status that is not known: it may have been paid in another way. It stays pending until a known status is shown, or a decision ends it. Ask the institution.";
  const data = { kind: "charge", state: UNKNOWN_STATUS, key: txid, accountId, chargeId, word };
  return openOneOfMany(ctx, about, description, data);
}

/**
 * What can be wrong with the terms of a charge with a due date: `state` in its case's data, and the case's description.
 */
const TERMS = {
  other_terms:
    "The institution shows other terms of the charge than were asked for. A Pix by either is taken as its payment. Ask the institution who has changed them, and tell the merchant.",
  edit_open:
    "The institution has not shown for hours whether it has changed the terms of the charge. A Pix by either is taken as its payment. Ask the institution.",
} as const;

/** Opens the case of a charge with a due date whose terms at the institution are unknown, or not those we sent. */
export function reportTerms(
  ctx: Deps,
  houseId: string,
  charge: IssuedCharge,
  state: keyof typeof TERMS,
): Promise<void> {
  const { accountId, chargeId, institutionId, txid } = charge;
  const about = { accountId: houseId, institutionId, objectId: chargeObject(institutionId, txid, state) };
  return openOneOfMany(ctx, about, TERMS[state], { kind: "charge", state, key: txid, accountId, chargeId });
}

/** What a notification reports of a Pix. */
type Notified = {
  /** `received`: the Pix itself; `returned`: money of it that went back. */
  readonly kind: "received" | "returned";
  readonly pix: PspPix;
};

/** `state` in the data of a case about something that only a notification has reported. */
export const UNCONFIRMED = "unconfirmed";

/**
 * Opens the cases of a plain transfer that an institution has notified but shows in no query or list. They close when
 * it is booked after all (reconciliation/findings.ts), so their object ids are those that the comparison of a day
 * gives.
 */
export async function reportUnconfirmed(
  ctx: Deps,
  houseId: string,
  institutionId: string,
  { kind, pix }: Notified,
): Promise<void> {
  const { e2eId, amount, paidAt, returns } = pix;
  const description =
    "The institution has notified this, and shows it in no query and no list: it lists only the Pix of charges. It was not booked. Ask the institution, or read its statement.";
  const shared = { kind, state: UNCONFIRMED, parent: e2eId };
  const report = (object: string, data: Pick<Data, string>) =>
    openOneOfMany(
      ctx,
      { accountId: houseId, institutionId, objectId: `${institutionId} ${kind} ${object}` },
      description,
      { ...shared, ...data },
    );
  if (kind === "received") return report(e2eId, { key: e2eId, amount, at: paidAt.toISOString() });
  for (const { id, rtrId, amount: back } of returns) {
    const key = rtrId ?? id;
    await report(`${e2eId} ${key}`, { key, alias: id, amount: back, at: paidAt.toISOString() });
  }
}

/** A Pix in the books of an account, and the taxes of it, centavos, that an answer and a notification name. */
type Taxed = { readonly accountId: string; readonly e2eId: string; readonly taxes: readonly (number | null)[] };

/**
 * Opens the case of a Pix whose institution names another tax than is booked. It is not booked by itself: a notification
 * alone is no evidence, and an answer that comes after the booking cannot change it.
 */
export async function reportUnbookedTax(
  ctx: Deps,
  houseId: string,
  institutionId: string,
  { accountId, e2eId, taxes }: Taxed,
): Promise<void> {
  if (taxes.every((tax) => tax === null)) return;
  // Of an assigned Pix the charge's account has booked the tax, less the part that the house account bears (`house_tax`).
  const { rows } = await ctx.db.query<{ booked: number; receipts: number; taxed: number; moving: number }>(sql`
    select count(*)::int as receipts, count(p.withheld)::int as taxed,
      (coalesce(sum(p.withheld) filter (where p.account_id = ${accountId}), 0) + coalesce(sum(a.house_tax), 0))::bigint as booked,
      count(*) filter (where a.status = 'assigning' or case p.outcome when 'assigned' then p.account_id = ${accountId}
        when 'unmatched' then p.account_id <> ${accountId} end)::int as moving
    from received_pix p left join pix_assignments a on a.account_id = p.account_id and a.e2e_id = p.e2e_id
    where p.account_id in (${houseId}, ${accountId}) and p.e2e_id = ${e2eId} and p.institution_id = ${institutionId}`);
  const { booked, receipts, taxed, moving } = rows[0]!;
  const tax = taxes.find((named) => named !== null && named !== booked);
  // A Pix that is being assigned by the house to a charge is compared once it has arrived there.
  if (receipts === 0 || tax == null || (taxed > 0 && moving > 0)) return;
  const { evidence, ...about } = otherTax({ houseId, institutionId, e2eId, tax, booked });
  await openOneOfMany(ctx, about, evidence.says, evidence.data);
}

const chargeObject = (institutionId: string, txid: string, state: string = UNKNOWN_STATUS): string =>
  `${institutionId} charge ${txid}${state === UNKNOWN_STATUS ? "" : ` ${state}`}`;

/**
 * Opens a case if fewer than `MOST_CASES` of its sort are open at the institution, otherwise "the others". Does nothing
 * where the object's case is open, or was decided with the same data.
 */
async function openOneOfMany(ctx: Deps, about: Case, description: string, data: Data): Promise<void> {
  const { accountId, institutionId, objectId } = about;
  const { kind, state } = data;
  const { rowCount } = await ctx.db.query(sql`
    select from cases where account_id = ${accountId} and kind = ${KIND} and object_id = ${objectId}
      and (status = 'open' or (closed_because = 'decided' and evidence -> 'data' = ${JSON.stringify(data)}::jsonb))`);
  await ctx.db.transaction(async (tx) => {
    if (rowCount === 0) {
      await tx.query(sql`select pg_advisory_xact_lock(${LOCK}, hashtext(${`${institutionId} ${state}`}))`);
      const { rows } = await tx.query<{ open: number }>(sql`
        select count(*)::int as open from (
          select from cases
          where account_id = ${accountId} and kind = ${KIND} and status = 'open' and institution_id = ${institutionId}
            and evidence -> 'data' ->> 'state' = ${state} and evidence -> 'data' ->> 'kind' = ${kind}
          limit ${MOST_CASES}) those`);
      if (rows[0]!.open >= MOST_CASES) {
        const others = { accountId, institutionId, objectId: othersObject(institutionId, kind, state) };
        return openIn(tx, ctx, others, OTHERS, { kind: "more", state, of: kind, most: MOST_CASES });
      }
    }
    await openIn(tx, ctx, about, description, data);
  });
}

const othersObject = (institutionId: string, kind: string, state: string): string =>
  `${institutionId} more ${kind} ${state}`;
const OTHERS = `There are more of them at the institution than have a case of their own (${MOST_CASES}): when those end, the next ones get one. Ask the institution what has happened to all of them.`;

/** Most open cases whose charges one pass reads. */
const CHECKED = 1_000;

/** Closes the cases about charges (unknown status, unknown terms) that have ended since. A loop's batch. */
export async function closeEndedCharges(ctx: Deps, houseId: string): Promise<boolean> {
  type Opened = { data: { accountId: string; chargeId: string; key: string; state: string }; at: string };
  const { rows } = await ctx.db.query<Opened>(sql`
    select evidence -> 'data' as data, institution_id as at from cases
    where account_id = ${houseId} and kind = ${KIND} and status = 'open'
      and evidence -> 'data' ->> 'kind' = 'charge'
    order by case_id limit ${CHECKED}`);
  if (rows.length === 0) return false;
  const charges = rows.map(({ data }) => ({ accountId: data.accountId, chargeId: data.chargeId }));
  const pending = await ctx.db.query<{ charge_id: string; is_asked: boolean }>(sql`
    select c.charge_id, coalesce(c.due_edits -> -1 ->> 'status' = 'asked', false) as is_asked from ${relation("u", { accountId: uuid, chargeId: uuid }, charges)}
    join charges c on c.account_id = u.account_id and c.charge_id = u.charge_id
    where c.status = 'pending' and ${onTenants("c.account_id", charges)}`);
  const open = new Map(pending.rows.map((row) => [row.charge_id, row.is_asked]));
  const ended = rows.filter(
    ({ data }) => !(data.state === "edit_open" ? open.get(data.chargeId) : open.has(data.chargeId)),
  );
  await closeCases(
    ctx,
    ended.map(({ data, at }) => ({
      accountId: houseId,
      institutionId: at,
      objectId: chargeObject(at, data.key, data.state),
    })),
  );
  return false;
}

/** Closes "the others" where few cases of its sort are left. A loop's batch. */
export async function closeOthers(ctx: Pick<Context, "db" | "ids" | "clock">, houseId: string): Promise<boolean> {
  const { rows } = await ctx.db.query<{ object_id: string; at: string }>(sql`
    select o.object_id, o.institution_id as at from cases o
    where o.account_id = ${houseId} and o.kind = ${KIND} and o.status = 'open' and o.evidence -> 'data' ->> 'kind' = 'more'
      and (
        select count(*) from cases c
        where c.account_id = ${houseId} and c.kind = o.kind and c.status = 'open' and c.institution_id = o.institution_id
          and c.evidence -> 'data' ->> 'state' = o.evidence -> 'data' ->> 'state'
          and c.evidence -> 'data' ->> 'kind' = o.evidence -> 'data' ->> 'of') <= ${FEW_CASES}`);
  if (rows.length > 0) {
    await closeCases(
      ctx,
      rows.map(({ object_id: objectId, at }) => ({ accountId: houseId, institutionId: at, objectId })),
    );
  }
  return false;
}
