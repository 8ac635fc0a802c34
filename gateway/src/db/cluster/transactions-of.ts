import { SHARDS } from "../shards.ts";
import { Fragment } from "../sql.ts";

/** How the view's sub-queries find the rows of their own transaction. */
const SAME_ACCOUNT = /\b(\w+)\.account_id = \w+\.account_id\b/g;

/** A column that is the same for every row of a branch, on its line. */
const CONSTANT = /^( +)(NULL::[a-z ]+?|'\w+'::text|false)((?: AS "?\w+"?)?,?)$/gm;

/**
 * The view of all transactions, for a statement that restricts it to this account. On a cluster it is the view's own text,
 * changed so that one shard is asked:
 *
 * - Each sub-query names the account: a cluster finds the shard of its rows by nothing else.
 * - Constants are read by a sub-query. A filter that no row of a branch can pass would otherwise end the branch while
 *   it is planned, and with it what the cluster knows of its account. So it ends before its first row is read.
 */
export function transactionsOf(accountId: string): Fragment {
  if (!SHARDS.spread) return new Fragment(["transactions"], []);
  const strings = around(SHARDS.transactions!.whole);
  return new Fragment(strings, Array<string>(strings.length - 1).fill(accountId));
}

/** The same for a statement that is sent to the account's shard (`inShardOf` of a database), whose server has no such view. */
export const transactionsInShard = (): Fragment =>
  new Fragment([SHARDS.spread ? `(${SHARDS.transactions!.inShard})` : "transactions"], []);

let cached: { readonly view: string; readonly strings: readonly string[] } | null = null;

/** The view's text around the places of the account. */
function around(view: string): readonly string[] {
  if (cached?.view !== view) {
    const text = `(${view})`.replace(CONSTANT, "$1(SELECT $2)$3").replace(SAME_ACCOUNT, "$& AND $1.account_id = \0");
    cached = { view, strings: text.split("\0") };
  }
  return cached.strings;
}
