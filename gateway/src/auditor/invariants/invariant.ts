import type { Sql } from "../../db/sql.ts";
import type { Statement } from "../source.ts";

/** A statement that finds what breaks a rule of the books, with its number in docs/money.md. */
export type Invariant = {
  readonly name: string;
  readonly says: string;
  /** Rows of (account_id, found): a JSON array of the kind and id of the place, then of each figure its name and its value. */
  readonly query: Statement;
  /** Statements over the whole books. Where they all find nothing, `query` would find nothing, and is not run. */
  readonly unless?: readonly Statement[];
  /** It compares the books of several accounts, which a cluster has in several shards (auditor/across.ts). */
  readonly across?: true;
  /** What the auditor asks instead about what is fresh: it reads `slice_…` tables and all the books. */
  readonly fresh?: Sql;
};
