import { Button } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { downloadCsv } from "../parts/csv.ts";
import { Empty, Failure } from "../parts/feedback.tsx";
import { PeriodChip, StateTabs, useAddress } from "../parts/filters.tsx";
import { Icon } from "../parts/icon.tsx";
import { periodStart } from "../parts/instant.ts";
import { PagedList } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session/session.tsx";
import { NewCharge } from "./new.tsx";
import { ChargeTable } from "./table.tsx";

const STATES = ["pending", "completed", "cancelled", "failed"] as const;

type Query = NonNullable<merchant.TransactionsListData["query"]>;

/** The address's filters as a query of the API. */
function queryOf(state: string | null, created: string | null): Query {
  const from = periodStart(created);
  return {
    type: "payment",
    ...(state !== null && { status: state as (typeof STATES)[number] }),
    ...(from !== null && { from }),
  };
}

export default function Charges() {
  const { t } = useTranslation();
  const { pixgate, scope } = useSession();
  const address = useAddress();
  const [state, created] = [address.get("state"), address.get("created")];
  const query = queryOf(state, created);
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
      </div>
      <PagedList
        queryKey={[...scope, "charges", query]}
        read={(cursor) =>
          pixgate.transactions.list({ ...query, limit: 50, ...(cursor !== undefined && { cursor }) }).page()
        }
        amountOf={({ amount }) => amount}
        empty={<Empty act={<NewChargeButton />}>{t("charges.empty")}</Empty>}
      >
        {(charges) => <ChargeTable charges={charges} />}
      </PagedList>
      <NewCharge opened={address.get("new") !== null} onClose={() => address.change({ new: null })} />
    </Page>
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
      downloadCsv("pixgate-charges.csv", [
        ["id", "createdAt", "paidAt", "payer", "reference", "status", "fee", "amount"],
        ...charges.map((one) => [
          ...[one.id, one.createdAt, one.paidAt, one.counterpartName, one.externalReference, one.status],
          ...[one.feeAmount, one.amount],
        ]),
      ]);
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
