import type { Db, Tx } from "./pool.ts";

/**
 * Runs reads on one snapshot, without a time-out, to compare whole tables.
 *
 * @param options.temporary `work` makes temporary tables, which PostgreSQL refuses in a read-only transaction.
 */
export function onSnapshot<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  { temporary = false }: { readonly temporary?: boolean } = {},
): Promise<T> {
  return db.transaction(
    async (tx) => {
      const mode = temporary ? "" : ", read only";
      await tx.query({ text: `set transaction isolation level repeatable read${mode}`, values: [] });
      return work(tx);
    },
    { unhurried: true },
  );
}
