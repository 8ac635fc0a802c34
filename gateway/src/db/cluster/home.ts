import type { Home } from "../shards.ts";
import { TENANTS } from "../sql.ts";

/** What each table of accounts is called in one shard. */
type ShardNames = ReadonlyMap<string, string>;

const RESTRICTION = new RegExp(`[\\w.]+ = any\\(${TENANTS.replace(/[*]/g, "\\*")} (\\$\\d+)::uuid\\[\\]\\)`, "gi");

/**
 * Makes a statement about tables of accounts one about their rows in a shard, as its server knows them by other names:
 * then the server plans and keeps it like any statement of its own. Left alone, each is planned twice every time, and an
 * insert from arrays goes through the cluster's copying (docs/scale-out.md).
 *
 * A table is named behind `from`, `join`, `into`, `update`, `using` or `analyze`, and before the dot of a column. A name that was missed
 * still means the whole table, which is slower and as right. The restriction to tenants says nothing in a shard and is
 * evaluated once.
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
