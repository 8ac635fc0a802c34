import { Button } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import { Empty } from "./feedback.tsx";
import { type Filter, useAddress } from "./filters.tsx";
import { Icon } from "./icon.tsx";
import { type ListProps, PagedList } from "./list.tsx";
import { Page } from "./page.tsx";
import { Panel } from "./panel.tsx";
import { SavedViews } from "./saved-views.tsx";
import { type Column, Table } from "./table.tsx";

/** The panel of a listed row, its title and what it shows; or the panel of any row by its id, listed or not. */
type RowPanel<Row> =
  | { readonly title: (row: Row | undefined) => string; readonly body: (row: Row, close: () => void) => ReactNode }
  | ((id: string | null, close: () => void) => ReactNode);

type TableListProps<Row> = Omit<ListProps<Row>, "children" | "empty"> & {
  /** The name of the list for screen readers. */
  caption: string;
  /** Above the list. Their values are part of the query's key. */
  filters?: readonly Filter[];
  /** Beside the filters' chips. */
  beside?: ReactNode;
  /** Above the rows that are shown: what they come to. */
  above?: (rows: readonly Row[]) => ReactNode;
  /** Below the rows: what to do for another one. */
  below?: ReactNode;
  /** What stands in place of a list without rows; a text alone is a sentence. */
  empty: ReactNode;
  columns: readonly Column<Row>[];
  /** The screen that a row opens. Without one and without `panel` a row opens nothing. */
  hrefOf?: (row: Row) => string;
  panel?: RowPanel<Row>;
  /** The name under which the address has the row whose panel is open. */
  openAs?: string;
  /** What a row does in place of opening a panel of this list. */
  onOpen?: (row: Row) => void;
};

/** Rows of the API with their filters, and the panel of the one that the address names. */
export function TableList<Row>(props: TableListProps<Row>) {
  const {
    caption,
    filters = [],
    beside,
    above,
    below,
    empty,
    columns,
    hrefOf,
    panel,
    openAs = "open",
    onOpen,
    ...list
  } = props;
  const address = useAddress();
  const open = address.get(openAs);
  const close = () => address.change({ [openAs]: null });
  const openPanel = { onOpen: (row: Row) => address.change({ [openAs]: list.keyOf(row) }), selected: open };
  const opens = hrefOf ? { hrefOf } : onOpen ? { onOpen } : panel && openPanel;
  return (
    <>
      <Filters filters={filters} beside={beside} />
      <PagedList
        {...list}
        queryKey={[...list.queryKey, ...filters.map(({ value }) => value)]}
        empty={typeof empty === "string" ? <Empty>{empty}</Empty> : empty}
      >
        {(rows) => {
          const row = rows.find((one) => list.keyOf(one) === open);
          return (
            <>
              {above?.(rows)}
              <Table caption={caption} columns={columns} rows={rows} keyOf={list.keyOf} {...opens} />
              {below}
              {typeof panel === "object" && (
                <Panel title={panel.title(row)} opened={row !== undefined} onClose={close}>
                  {row && panel.body(row, close)}
                </Panel>
              )}
            </>
          );
        }}
      </PagedList>
      {typeof panel === "function" && panel(open, close)}
    </>
  );
}

/** Tabs, and below them the chips of the other filters. */
export function Filters({ filters, beside }: { filters: readonly Filter[]; beside?: ReactNode }) {
  const [tabs, chips] = [true, false].map((isTabs) =>
    filters
      .filter((one) => (one.isTabs ?? false) === isTabs)
      // biome-ignore lint/suspicious/noArrayIndexKey: a screen has the same filters always
      .map(({ control }, i) => <Fragment key={i}>{control}</Fragment>),
  );
  return (
    <>
      {tabs}
      {(chips?.length ?? 0) > 0 && (
        <div className="chips">
          {chips}
          {beside}
          <SavedViews />
        </div>
      )}
    </>
  );
}

type MakeProps = {
  readonly text: string;
  /** It is seldom made, or cannot be now: not the screen's main act. */
  readonly isQuiet?: boolean;
  /** The panel with the form, which the address opens too. */
  readonly panel: (opened: boolean, close: () => void) => ReactNode;
};

/** A screen with a button and a panel for a new row, for people who may make one. */
export function MakingPage(props: {
  title: string;
  besideTitle?: ReactNode;
  make: MakeProps | false;
  /** Before the button that makes one. */
  acts?: ReactNode;
  children: ReactNode;
}) {
  const { title, besideTitle, make, acts, children } = props;
  const address = useAddress();
  const panel = make ? make.panel(address.get("new") !== null, () => address.change({ new: null })) : null;
  const button = make && (
    <Button
      variant={make.isQuiet ? "default" : "filled"}
      leftSection={<Icon name="plus" />}
      onClick={() => address.change({ new: "1" })}
    >
      {make.text}
    </Button>
  );
  return (
    <Page
      title={title}
      beside={besideTitle}
      acts={
        (acts || button) && (
          <>
            {acts}
            {button}
          </>
        )
      }
    >
      {children}
      {panel}
    </Page>
  );
}

/** A screen that is one list. `children` stand above it. */
export function ListScreen<Row>({
  title,
  besideTitle,
  make = false,
  acts,
  children,
  ...list
}: Omit<TableListProps<Row>, "caption"> & {
  title: string;
  /** Beside the title, such as a balance. */
  besideTitle?: ReactNode;
  make?: MakeProps | false;
  acts?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <MakingPage title={title} besideTitle={besideTitle} make={make} acts={acts}>
      {children}
      <TableList caption={title} {...list} />
    </MakingPage>
  );
}
