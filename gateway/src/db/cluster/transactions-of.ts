import { Fragment } from "../sql.ts";

/** How the view's sub-queries find the rows of their own transaction. */
const SAME_ACCOUNT = /\b(\w+)\.account_id = \w+\.account_id\b/g;

/** A column that is the same for every row of a branch, on its line. */
const CONSTANT = /^( +)(NULL::[a-z ]+?|'\w+'::text|false)((?: AS "?\w+"?)?,?)$/gm;

/**
 * The view of all transactions, for a statement about this account. On a cluster it is the view's own text, changed so that
 * only one shard is queried:
 * - Each sub-query names the account, since a cluster finds the shard of its rows by nothing else.
 * - Constants are read by a sub-query. Otherwise a filter that no row of a branch can pass would end the branch during
 *   planning, and with it the cluster's knowledge of the account. With a sub-query it ends before its first row is read.
 */
export function transactionsOf(accountId: string): Fragment {
  return new Fragment(["transactions"], [], ({ transactions }) => {
    const strings = around(transactions!.whole);
    return new Fragment(strings, Array<string>(strings.length - 1).fill(accountId));
  });
}

/** The same for a statement that is sent to the account's shard (`inShardOf`), whose server does not have the view. */
export const transactionsInShard = (): Fragment =>
  new Fragment(["transactions"], [], ({ transactions }) => new Fragment([`(${transactions!.inShard})`], []));

let cached: { readonly view: string; readonly strings: readonly string[] } | null = null;

/** The view's text, split at the positions of the account. */
function around(view: string): readonly string[] {
  if (cached?.view !== view) {
    const text = `(${view})`.replace(CONSTANT, "$1(SELECT $2)$3").replace(SAME_ACCOUNT, "$& AND $1.account_id = \0");
    cached = { view, strings: text.split("\0") };
  }
  return cached.strings;
}
