import type { Sql } from "../db/sql.ts";

/** A statement that finds what breaks a rule of the books, with its number in docs/money.md. */
export type Invariant = { readonly name: string; readonly says: string; readonly query: Sql };
