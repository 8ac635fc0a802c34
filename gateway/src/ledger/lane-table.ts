import type { Columns, Described, Group, RowOf, Sets } from "../db/columns.ts";
import type { RowKey, Table, WrittenTable } from "./table.ts";

type Field<C> = keyof C & string;
type AnyRow = Readonly<Record<string, unknown>>;

/** The columns that commands read. */
type LaneRows<C, W> = { readonly fields: readonly Exclude<Field<C>, W>[] };

/** The type of a lane table's row. */
export type RowIn<T> = T extends Table<infer Row> ? Row : never;

/**
 * Makes a described table readable and writable for money commands. A row's id in the books is its key without the tenant,
 * its parts separated by a space.
 *
 * @param how.without columns that commands do not read. A group may write them all the same.
 * @param how.inserts commands insert rows, with all columns that they read.
 * @param how.load `locked`: rows are also written outside the lanes, which must not happen between reading and writing
 * here. `never`: another table loads them.
 */
export function laneTable<
  C extends Columns,
  K extends readonly ["accountId", ...(readonly Field<C>[])],
  G extends { readonly [group: string]: Group<Field<C>> },
  const W extends Field<C> = never,
>(
  described: Described<C, K, G>,
  how: {
    readonly order: number;
    readonly load: "plain" | "locked" | "never";
    readonly without?: readonly W[];
    readonly inserts?: true;
  },
): Described<C, K, G> & LaneRows<C, W> & WrittenTable<Omit<RowOf<C>, W>, Sets<C, G>> {
  type Row = Omit<RowOf<C>, W>;
  const { name, columns, groups, key } = described;
  const without = new Set<string>(how.without);
  const fields = Object.keys(columns).filter((field) => !without.has(field)) as Field<C>[];
  const parts = key.slice(1) as readonly Field<C>[];
  const [only] = parts;
  // Nearly every key has one part beside the tenant.
  const idOf = (row: AnyRow) => (parts.length === 1 ? row[only!] : parts.map((part) => row[part]).join(" ")) as string;
  const keyOf = (row: AnyRow): RowKey => ({ accountId: row.accountId as string, id: idOf(row) });
  const partsOf = ({ accountId, id }: RowKey): AnyRow => {
    if (parts.length === 1) return { accountId, [only!]: id };
    const values = id.split(" ");
    return { accountId, ...Object.fromEntries(parts.map((part, i) => [part, values[i]])) };
  };

  const read = described.reader({ fields, lock: how.load === "locked" });
  // Statements for single groups are made here, once. Few batches change several groups of one row.
  const updates = new Map(Object.keys(groups).map((group) => [group, described.updating(group)]));
  const updateOf = (together: readonly string[]) => {
    const key = together.join(" ");
    const made = updates.get(key) ?? described.updating(...together);
    updates.set(key, made);
    return made;
  };
  if (how.inserts) {
    // An insert writes a row's last version of the batch, so it needs every column that a later command may set.
    const unread = Object.values(groups).filter(
      ({ by, columns: written }) => by && written.some((column) => without.has(column)),
    );
    if (unread.length > 0) throw new Error(`${name}: a group has columns that are not inserted`);
  }
  const insert = described.inserting(fields);
  return {
    ...described,
    fields: fields as readonly string[] as readonly Exclude<Field<C>, W>[],
    order: how.order,
    keyOf: (row) => keyOf(row as AnyRow),
    async load(tx, keys) {
      if (how.load === "never") return [];
      const rows = (await read(tx, keys.map(partsOf) as never)) as unknown as Row[];
      return rows.map((row) => ({ key: keyOf(row as AnyRow), row }));
    },
    ...(how.inserts && { insert: (rows) => [insert(rows as never)] }),
    update: (together, rows) => [updateOf(together)(rows as never)],
  };
}
