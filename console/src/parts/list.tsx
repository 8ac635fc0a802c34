import { Button } from "@mantine/core";
import { addBrl } from "@pixgate/sdk";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "./amount.ts";
import { Failure, Loading } from "./feedback.tsx";

type ListPage<Item> = { readonly items: readonly Item[]; readonly nextCursor: string | null };

/** A list read page by page, with a button for the next one. Nothing in it: `empty`. */
export function PagedList<Item>(props: {
  queryKey: readonly unknown[];
  read: (cursor: string | undefined) => Promise<ListPage<Item>>;
  empty: ReactNode;
  /** Amount of a row, BRL: their sum is shown below, of the rows that are shown. */
  amountOf?: (item: Item) => number;
  children: (items: readonly Item[]) => ReactNode;
}) {
  const { t } = useTranslation();
  const { amountOf } = props;
  const query = useInfiniteQuery({
    queryKey: props.queryKey,
    queryFn: ({ pageParam }) => props.read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  if (query.data === undefined) {
    return query.error ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Loading lines={10} />;
  }
  const items = query.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return props.empty;
  return (
    <>
      {props.children(items)}
      <p className="small quiet num" style={{ padding: "12px 0", textAlign: "right" }}>
        {t(query.hasNextPage ? "filters.shownOfMore" : "filters.shown", { count: items.length })}
        {amountOf && ` · ${showBrl(addBrl(...items.map(amountOf)))}`}
      </p>
      {query.hasNextPage && (
        <Button variant="default" mt="md" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t("filters.more")}
        </Button>
      )}
    </>
  );
}
