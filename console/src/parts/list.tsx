import { Button } from "@mantine/core";
import { addBrl } from "@pixgate/sdk";
import { hashKey, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, type ReactNode, useEffect, useId, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "./amount.ts";
import { untilDue } from "./due.ts";
import { Failure, Loading, NotRead, useUnread } from "./feedback.tsx";
import { isLong } from "./long-list.ts";
import { NewRows } from "./new-rows.tsx";
import { useSteadyRows } from "./steady-rows.ts";
import { SteadyColumns } from "./table.tsx";

type ListPage<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string | null };
/** What the API takes of every list. */
type PageQuery = { readonly cursor: string | undefined; readonly limit: number };

/** Rows of the first page, and of each after it: as many as the API gives at once. */
const [FIRST_ROWS, FURTHER_ROWS] = [50, 100];
/** The next page is read when its place is this near to the view. */
const NEAR = "800px";
/** Most empty pages in a row that are read without a click: a search may go on for long. */
const MOST_EMPTY = 10;

export type ListProps<Item> = {
  queryKey: readonly unknown[];
  /** A page of the SDK's list, or of anything else. */
  read: (page: PageQuery) => Promise<ListPage<Item>> | { page(): Promise<ListPage<Item>> };
  /** The key of an item, the same in each reading. */
  keyOf: (item: Item) => string;
  empty: ReactNode;
  /** Placeholder lines until the list is read: about as many as it usually has. */
  lines?: number;
  /** Read again this often while it is short, ms: for what no stream reports. */
  againMs?: number;
  /** The time of the gateway's next action on an item, which no stream reports either: the list is read again then. */
  dueOf?: (item: Item) => string | undefined;
  /** Amount of a row, BRL: their sum is shown below, of the rows that are shown. */
  amountOf?: (item: Item) => number;
  /** What stands below the rows in place of how many they are. */
  sumOf?: (items: readonly Item[], isWhole: boolean) => string;
  /** The list's name in announcements, where the screen has another list. */
  name?: string;
  /** `isWhole`: no further rows follow these. */
  children: (items: readonly Item[], isWhole: boolean) => ReactNode;
};

/**
 * A list that is read page by page: the next one as its end comes near, or by a button. An empty list shows `empty`.
 * Rows do not move while a person uses the list; new ones are counted above them.
 */
export function PagedList<Item>(props: ListProps<Item>) {
  const { t } = useTranslation();
  const { amountOf, sumOf } = props;
  const id = useId();
  const query = usePages(props);
  const unread = useUnread(query);
  const pages = query.data?.pages;
  const latest = useMemo(() => pages?.flatMap((page) => page.items), [pages]);
  const { list, rows, round, fresh, gone, show } = useSteadyRows(
    { of: hashKey(props.queryKey), latest, readAt: query.dataUpdatedAt, isWhole: !query.hasNextPage },
    props.keyOf,
  );
  if (pages === undefined) {
    return unread === null ? <Loading lines={props.lines ?? 10} areRows /> : <NotRead error={unread} />;
  }
  if (rows.length === 0 && !query.hasNextPage) return props.empty;
  const empty = pages.length - 1 - pages.findLastIndex((page) => page.items.length > 0);
  const counted = (): string =>
    t(query.hasNextPage ? "filters.shownOfMore" : "filters.shown", { count: rows.length }) +
    (amountOf ? ` · ${showBrl(addBrl(...rows.map(amountOf)))}` : "");
  const sum = rows.length === 0 ? t("filters.noneYet") : (sumOf?.(rows, !query.hasNextPage) ?? counted());
  return (
    <div className="rows" ref={list} id={id}>
      <NewRows list={id} name={props.name} fresh={fresh} gone={gone} onShow={show} />
      <Fragment key={round}>
        <div className="rows-shown">
          {rows.length > 0 && <SteadyColumns value={true}>{props.children(rows, !query.hasNextPage)}</SteadyColumns>}
        </div>
        {isLong({ state: query }) && <NotLive queryKey={props.queryKey} />}
        <p key={sum} className="small quiet num list-sum">
          {sum}
        </p>
        {query.error && <Failure error={query.error} retry={() => void query.fetchNextPage()} />}
        {query.hasNextPage && !query.error && (
          <More
            readAt={query.isFetching || empty >= MOST_EMPTY ? null : query.dataUpdatedAt}
            isLoading={query.isFetchingNextPage}
            onMore={() => void query.fetchNextPage({ cancelRefetch: false })}
          />
        )}
      </Fragment>
    </div>
  );
}

function usePages<Item>(props: ListProps<Item>) {
  const { dueOf } = props;
  return useInfiniteQuery({
    queryKey: props.queryKey,
    queryFn: ({ pageParam: cursor }) => {
      const read = props.read({ cursor, limit: cursor === undefined ? FIRST_ROWS : FURTHER_ROWS });
      return "page" in read ? read.page() : read;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: (one) => {
      if (isLong(one)) return false;
      const items = dueOf ? (one.state.data?.pages.flatMap((page) => page.items) ?? []) : [];
      return props.againMs ?? untilDue(items.map((item) => dueOf?.(item)));
    },
    refetchOnWindowFocus: (one) => !isLong(one),
    refetchOnReconnect: (one) => !isLong(one),
  });
}

/**
 * The button for the next page, which presses itself when it comes near the view. The observer is made anew after each
 * reading, `readAt` (ms; null during one, or where the button must not press itself): a press during a reading does
 * nothing, and a button that stays in view while the list grows is no change to an observer.
 */
function More({ readAt, isLoading, onMore }: { readAt: number | null; isLoading: boolean; onMore: () => void }) {
  const { t } = useTranslation();
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(onMore);
  latest.current = onMore;
  useEffect(() => {
    if (readAt === null || button.current === null) return;
    // A busy browser reports several changes at once: the last one is the present state.
    const watch = new IntersectionObserver((changes) => changes.at(-1)?.isIntersecting && latest.current(), {
      rootMargin: `0px 0px ${NEAR} 0px`,
    });
    watch.observe(button.current);
    return () => watch.disconnect();
  }, [readAt]);
  return (
    <Button variant="default" mt="md" loading={isLoading} onClick={onMore} ref={button}>
      {t("filters.more")}
    </Button>
  );
}

/** Tells the reader that a long list does not update by itself, with a button that restarts it. */
function NotLive({ queryKey }: { queryKey: readonly unknown[] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const again = () => {
    window.scrollTo({ top: 0 });
    void queries.resetQueries({ queryKey, exact: true });
  };
  return (
    <p className="small quiet not-live" role="status">
      {t("filters.notLive")}{" "}
      <button type="button" className="act" onClick={again}>
        {t("filters.again")}
      </button>
    </p>
  );
}
