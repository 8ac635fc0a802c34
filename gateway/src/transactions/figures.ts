import { type Static, Type } from "typebox";
import { uuids } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { literal, part, sql } from "../db/sql.ts";
import { AnswerObject, ref } from "../http/contract.ts";
import { firstUuidAt } from "../lib/ids.ts";
import { LIMITS } from "../lib/limits.ts";
import { toBrl } from "../lib/money.ts";

const DAYS = 30;

const ChargeFigures = AnswerObject("ChargeFigures", "What the newest charges have brought.", {
  since: Type.String({ format: "date-time", description: "Charges made since then are counted: 30 days ago." }),
  charges: Type.Integer({ description: "How many there are." }),
  payments: Type.Integer({ description: "How many of them are paid and credited. A refund takes none away." }),
  paidAmount: Type.Number({ description: "The sum of those, BRL." }),
  more: Type.Boolean({
    description: `Whether there may be more: at most ${LIMITS.figureCharges} charges are counted, the newest.`,
  }),
});
type ChargeFigures = Static<typeof ChargeFigures>;

/** Field of an item that tags charges, in lists that are asked for figures. */
export const Figures = { figures: Type.Optional(ref(ChargeFigures)) };
/** Query parameter of such lists. */
export const FiguresQuery = {
  figures: Type.Optional(
    Type.Boolean({
      description:
        "Whether each has its `figures`, for which the permission is `TRANSACTION:READ`: what its charges of 30 days have brought.",
    }),
  ),
};

/** Whether a list is asked for its figures: such a read waits for its turn, as all of an account's history do. */
export const asksFigures = ({ figures = false }: { readonly figures?: boolean }): boolean => figures;

/** What tags charges; each column has an index of the charges of a wallet. */
const COLUMNS = { project: part`c.project_id`, qrCode: part`c.qr_code_id` };

type Row = { readonly id: string } & Pick<ChargeFigures, "charges" | "payments" | "paidAmount">;

/** Adds to each item what its charges of the last 30 days have brought: at most `LIMITS.figureCharges` of each are read. */
export async function withFigures<Item extends { readonly id: string }>(
  queries: Queries,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string },
  by: keyof typeof COLUMNS,
  items: readonly Item[],
  now: number,
): Promise<(Item & { readonly figures: ChargeFigures })[]> {
  const since = now - DAYS * 86_400_000;
  const { rows } = await queries.query<Row>(sql`
    select o.id, count(*)::integer as charges, (count(*) filter (where p.status = 'completed'))::integer as payments,
      coalesce(sum(p.amount) filter (where p.status = 'completed'), 0)::bigint as "paidAmount"
    from unnest(${uuids(items.map(({ id }) => id))}::uuid[]) as o (id)
    cross join lateral (
      select c.status, c.amount from charges c
      where c.account_id = ${accountId} and c.wallet_id = ${walletId} and ${COLUMNS[by]} = o.id
        and c.charge_id >= ${firstUuidAt(since)} and c.status not in ('creating', 'rejected')
      order by c.charge_id desc limit ${literal(LIMITS.figureCharges)}) p
    group by o.id`);
  const found = new Map(rows.map((row) => [row.id, row]));
  return items.map((item) => {
    const { charges, payments, paidAmount } = found.get(item.id) ?? { charges: 0, payments: 0, paidAmount: 0 };
    const more = charges === LIMITS.figureCharges;
    const figures = { since: new Date(since).toISOString(), charges, payments, paidAmount: toBrl(paidAmount), more };
    return { ...item, figures };
  });
}
