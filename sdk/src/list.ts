/** A page of any list: the next one is named by a cursor or by a number. */
type AnyPage = {
  readonly nextCursor?: string | null;
  readonly page?: number;
  readonly totalPages?: number;
};
type Query = Readonly<Record<string, unknown>>;

/**
 * A list that is fetched page by page, as it is read:
 *
 *     for await (const transaction of pixgate.transactions.list({ status: "completed" })) …
 *     const { items, nextCursor } = await pixgate.transactions.list({ limit: 100 }).page();
 *
 * Nothing is requested before the first item or page is.
 */
export class List<Item, Page extends object> implements AsyncIterable<Item> {
  readonly #fetch: (query: Query) => Promise<Page>;
  readonly #query: Query;
  readonly #itemsOf: (page: Page) => readonly Item[];

  constructor(fetch: (query: Query) => Promise<Page>, query: Query, itemsOf: (page: Page) => readonly Item[]) {
    this.#fetch = fetch;
    this.#query = query;
    this.#itemsOf = itemsOf;
  }

  /** The first page. For the next one pass its `nextCursor` as `cursor`, or read `pages()`. */
  page(): Promise<Page> {
    return this.#fetch(this.#query);
  }

  /** Every page, from the one that the query names. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let query: Query | null = this.#query;
    while (query !== null) {
      const page: Page = await this.#fetch(query);
      yield page;
      query = next(query, page);
    }
  }

  /** Every item, in the order of the list. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#itemsOf(page);
  }

  /** The first items as an array, at most `limit` of them. */
  async toArray({ limit }: { limit: number }): Promise<Item[]> {
    const items: Item[] = [];
    if (limit <= 0) return items;
    for await (const item of this) if (items.push(item) >= limit) break;
    return items;
  }
}

function next(query: Query, page: AnyPage): Query | null {
  if (typeof page.nextCursor === "string") return { ...query, cursor: page.nextCursor };
  if (page.page !== undefined && page.totalPages !== undefined && page.page < page.totalPages)
    return { ...query, page: page.page + 1 };
  return null;
}
