import { type Fragment, part } from "../db/sql.ts";

/** The words of a name, without accents and case. What is not of ASCII counts as a letter, whatever the database's collation. SQL. */
const wordsOf = (name: Fragment): Fragment =>
  part`array_remove(regexp_split_to_array(lower(regexp_replace(normalize(${name}, NFD), '[\\u0300-\\u036f]', '', 'g')),
    '[^a-z0-9\\u0080-\\U0010ffff]+'), '')`;

/**
 * Whether the bank has paid a withdrawal `w` to a holder of another name than was asked for: each of the two names has a word
 * that the other has not, as banks spell and shorten names in their own way. SQL.
 */
export const PAID_TO_OTHER: Fragment = part`(w.status = 'completed' and w.counterpart_name is not null
  and lower(w.counterpart_name) <> lower(w.holder_name) and ${areOther(part`w.counterpart_name`, part`w.holder_name`)})`;

/** Whether two names are not of the same holder. SQL. */
export function areOther(one: Fragment, other: Fragment): Fragment {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  return part`not case when cardinality(${a}) <= cardinality(${b}) then ${a} <@ ${b} else ${b} <@ ${a} end`;
}
