import type { Home } from "../shards.ts";
import { TENANTS } from "../sql.ts";

/** The name of each table of accounts in one shard. */
type ShardNames = ReadonlyMap<string, string>;

const RESTRICTION = new RegExp(`[\\w.]+ = any\\(${TENANTS.replace(/[*]/g, "\\*")} (\\$\\d+)::uuid\\[\\]\\)`, "gi");

/**
 * Rewrites a statement about tables of accounts to one about their rows in a shard, by the names that the shard's server
 * uses. That server then plans and caches it like any of its own statements. Without this, each statement is planned twice
 * every time, and an insert from arrays goes through the cluster's copying (docs/scale-out.md).
 *
 * A table is named after `from`, `join`, `into`, `update`, `using` or `analyze`, and before the dot of a column. A name
 * that is missed still means the whole table, which is slower but equally right. The restriction to tenants has no meaning
 * in a shard and is evaluated once.
 */
export function nameShard(text: string, names: ShardNames): string {
  const any = [...names.keys()].join("|");
  const tables = new RegExp(
    `(?<=\\b(?:from|join|into|update|using|analyze)\\s+\\(*)(?:${any})\\b(?!\\.)|(?<![\\w.])(?:${any})(?=\\.\\w)`,
    "gi",
  );
  return text.replace(tables, (table) => names.get(table)!).replace(RESTRICTION, "$1::uuid[] is not null");
}

/** A shard's home. The texts of its statements are made once. */
export function homeOf(at: Pick<Home, "host" | "port" | "shardId">, names: ShardNames): Home {
  const texts = new Map<string, string>();
  return {
    ...at,
    named(text) {
      let named = texts.get(text);
      if (named === undefined) {
        named = nameShard(text, names);
        texts.set(text, named);
      }
      return named;
    },
  };
}
