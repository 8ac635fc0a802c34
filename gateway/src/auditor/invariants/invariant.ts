import type { Sql } from "../../db/sql.ts";
import type { Statement } from "../source.ts";

/** A statement that finds what breaks a rule of the books, with the rule's number in docs/money.md. */
export type Invariant = {
  readonly name: string;
  readonly rule: string;
  /** Rows of (account_id, found): a JSON array of the kind and id of the place, then name and value of each figure. */
  readonly query: Statement;
  /** Statements over the whole books. If all of them find nothing, `query` would find nothing either and is not run. */
  readonly unless?: readonly Statement[];
  /** It compares the books of several accounts, which on a cluster are in several shards (auditor/across.ts). */
  readonly across?: true;
  /** The statement for the fresh part: it reads `slice_…` tables and the whole books. */
  readonly fresh?: Sql;
};
