import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { csvText } from "../parts/csv.ts";
import { downloadFile } from "../parts/download.ts";
import { Empty, Failure } from "../parts/feedback.tsx";
import { focusFilters, PeriodChip, StateTabs, useAddress } from "../parts/filters.tsx";
import { Icon } from "../parts/icon.tsx";
import { dayOf, periodStart } from "../parts/instant.ts";
import { PagedList } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session/session.tsx";
import { ColumnChoice, useColumns, useFurtherColumns } from "./columns.tsx";
import { HourChip, hourNamed } from "./hour-chip.tsx";
import { NewCharge } from "./new.tsx";
import { ChargeTable } from "./table.tsx";
import { AmountChip, amountNamed, PayerChip, payerNamed } from "./typed-chips.tsx";

const STATES = ["pending", "completed", "cancelled", "failed"] as const;

type Query = NonNullable<merchant.TransactionsListData["query"]>;

/** The names of the filters in the address. */
const FILTERS = ["state", "created", "paid", "payer", "min", "max"] as const;

/** The address's filters as a query of the API. */
function queryOf(get: (name: (typeof FILTERS)[number]) => string | null): Query {
  const state = get("state");
  const from = periodStart(get("created"));
  const hour = hourNamed(get("paid"));
  const payer = payerNamed(get("payer"));
  const [minAmount, maxAmount] = [amountNamed(get("min")), amountNamed(get("max"))];
  return {
    type: "payment",
    ...(payer !== null && { payer }),
    ...(minAmount !== null && { minAmount }),
    ...(maxAmount !== null && { maxAmount }),
    ...(state !== null && { status: state as (typeof STATES)[number] }),
    ...(from !== null && { from }),
    ...(hour !== null && { paidFrom: hour.from.toISOString(), paidTo: hour.to.toISOString() }),
  };
}

export default function Charges() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const columns = useColumns();
  const further = useFurtherColumns(columns.chosen);
  const without = (["payer", "reference", "fee"] as const).filter((name) => !columns.chosen.includes(name));
  const query = queryOf(address.get);
  return (
    <Page title={t("nav.charges")} acts={<Acts query={query} />}>
      <StateTabs
        label={t("charges.states")}
        first={t("charges.all")}
        states={STATES}
        textOf={(one) => t(`charges.${one}`)}
      />
      <div className="chips">
        <PeriodChip name="created" label={t("charges.created")} />
        <HourChip name="paid" label={t("charges.paidAt")} />
        <PayerChip />
        <AmountChip />
        <span style={{ marginLeft: "auto" }}>
          <ColumnChoice {...columns} />
        </span>
      </div>
      <PagedList
        queryKey={[...scope, "charges", query]}
        read={(cursor, limit) =>
          pixgate.transactions.list({ ...query, limit, ...(cursor !== undefined && { cursor }) }).page()
        }
        amountOf={({ amount }) => amount}
        keyOf={({ id }) => id}
        empty={<NoCharges />}
      >
        {(charges) => <ChargeTable charges={charges} without={without} further={further} />}
      </PagedList>
      <NewCharge opened={address.get("new") !== null} onClose={() => address.change({ new: null })} />
    </Page>
  );
}

/** Nothing to show: says what to do, with filters or without. */
function NoCharges() {
  const { t } = useTranslation();
  const address = useAddress();
  if (FILTERS.every((name) => address.get(name) === null)) {
    return <Empty>{t("charges.empty")}</Empty>;
  }
  const none = Object.fromEntries(FILTERS.map((name) => [name, null]));
  return (
    <Empty
      act={
        <Button
          variant="default"
          onClick={() => {
            focusFilters();
            address.change(none);
          }}
        >
          {t("filters.clear")}
        </Button>
      }
    >
      {t("chargeFilters.none")}
    </Empty>
  );
}

function NewChargeButton() {
  const { t } = useTranslation();
  const { may } = useSession();
  const address = useAddress();
  if (!may("PIX:WRITE")) return null;
  return (
    <Button leftSection={<Icon name="plus" />} onClick={() => address.change({ new: "1" })}>
      {t("charges.new")}
    </Button>
  );
}

/** Most rows of a CSV file. */
const CSV_ROWS = 10_000;

/** New charge, and exactly the rows of the filters as a file. */
function Acts({ query }: { query: Query }) {
  const { t, i18n } = useTranslation();
  const { pixgate } = useSession();
  const csv = useMutation({
    mutationFn: () => pixgate.transactions.list({ ...query, limit: 100 }).toArray({ limit: CSV_ROWS }),
    onSuccess: (charges) => {
      const rows = [
        [
          "id",
          "createdAt",
          "paidAt",
          "payer",
          "reference",
          "status",
          "fee",
          "amount",
          "institution",
          "createdOn",
          "paidOn",
        ],
        ...charges.map((one) => [
          ...[one.id, new Date(one.createdAt), one.paidAt ? new Date(one.paidAt) : undefined],
          ...[one.counterpartName, one.externalReference, one.status, one.feeAmount, one.amount, one.institution],
          // A spreadsheet takes no time with an offset for a date.
          ...[one.createdAt, one.paidAt].map((at) => (at ? dayOf(new Date(at)) : undefined)),
        ]),
      ];
      downloadFile("pixgate-charges.csv", csvText(rows, i18n.language), "text/csv");
    },
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="download" />}
        loading={csv.isPending}
        onClick={() => csv.mutate()}
      >
        CSV
      </Button>
      <NewChargeButton />
      {csv.error && <Failure error={csv.error} retry={() => csv.mutate()} />}
      {csv.data?.length === CSV_ROWS && (
        <p className="small" role="status" style={{ flexBasis: "100%", color: "var(--needs)" }}>
          {t("charges.csvStops", { count: CSV_ROWS.toLocaleString(i18n.language) })}
        </p>
      )}
    </>
  );
}
