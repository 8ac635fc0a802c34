import { type Static, Type } from "typebox";
import { Raw } from "./answer.ts";
import { OrNull } from "./contract.ts";
import { readPage } from "./pages.ts";

/** Items of a page, unless the call asks for fewer. */
const MOST = 1_000;

/** Query parameters of the interface's lists without pages: one answer has everything, unless the call asks for a limit. */
export const OptionalPageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST,
      description: "Extension. Items on a page, fewer where they are large; left out: all on one page.",
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "Extension. `nextCursor` of the page before; left out: the first page.",
    }),
  ),
};
type OptionalPage = Static<ReturnType<typeof Type.Object<typeof OptionalPageQuery>>>;

/** `nextCursor` of a list with optional pages. */
export const NextCursor = Type.Optional(
  OrNull(
    Type.String(),
    "Extension. Send it as `cursor` for the next page; null at the end. Only where `limit` or `cursor` was sent.",
  ),
);

/** Rows of a whole list that are read at one time: with 16 KiB of metadata each, 1.6 MB. */
const BATCH = 100;

/** A list, newest first by an id. */
type List<Row, Item, Name extends string, More extends object> = {
  readonly list: string;
  readonly query: OptionalPage;
  /** At most `rows` rows after an id; null: from the first row. */
  read(after: string | null, rows: number): Promise<readonly Row[]>;
  readonly idOf: (row: Row) => string;
  readonly show: (row: Row) => Item;
  /** The field of the answer that holds the items, and the other fields of the answer. */
  readonly name: Name;
  readonly more: More;
};
type Listed<Item, Name extends string, More> = { readonly [N in Name]: Item[] } & More & {
    readonly nextCursor?: string | null;
  };

/**
 * Answers with a page if the call asks for one, otherwise with the whole list. A list longer than `BATCH` is read while it
 * is sent, no faster than the client reads: an account may have a hundred thousand sub-accounts.
 */
export async function answerList<Row, Item, Name extends string, More extends object>(
  options: List<Row, Item, Name, More>,
): Promise<Listed<Item, Name, More> | Raw> {
  const { list, query, read, idOf, show, name, more } = options;
  if (query.limit !== undefined || query.cursor !== undefined) {
    const { items, nextCursor } = await readPage(
      list,
      { limit: query.limit ?? MOST, cursor: query.cursor },
      { read: async (after, count) => ({ rows: await read(after, count) }), show, key: idOf },
    );
    return { [name]: items, ...more, nextCursor } as Listed<Item, Name, More>;
  }
  const rows = await read(null, BATCH + 1);
  if (rows.length > BATCH) return new Raw("application/json; charset=utf-8", jsonOf(options, rows.slice(0, BATCH)));
  return { [name]: rows.map((row) => show(row)), ...more } as Listed<Item, Name, More>;
}

/** The whole list as JSON, in pieces of a batch. Rows made after the first batch are newer and therefore not in it. */
async function* jsonOf<Row, Item>(
  { read, idOf, show, name, more }: List<Row, Item, string, object>,
  first: readonly Row[],
): AsyncGenerator<string> {
  let rows = first;
  let before = `{${JSON.stringify(name)}:[`;
  while (rows.length > 0) {
    yield before + rows.map((row) => JSON.stringify(show(row))).join(",");
    before = ",";
    rows = rows.length < BATCH ? [] : await read(idOf(rows.at(-1)!), BATCH);
  }
  const rest = Object.entries(more).map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`);
  yield `]${rest.join("")}}`;
}
