import { Button } from "@mantine/core";
import { addBrl, type merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { CsvButton } from "../parts/csv-button.tsx";
import { Empty } from "../parts/feedback.tsx";
import { focusFilters, useAddress, useChoice, useTabs } from "../parts/filters.tsx";
import { dayOf } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { usePeriod } from "../parts/period.tsx";
import { isRefusal } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { ColumnChoice, useColumns, useFurtherColumns } from "./columns.tsx";
import { FirstCharge } from "./first-charge.tsx";
import { HourChip, hourNamed } from "./hour-chip.tsx";
import { INVOICED } from "./invoice.tsx";
import { idNamed, MadeByChip } from "./made-by-chip.tsx";
import { NewCharge } from "./new.tsx";
import { hrefOfCharge, useChargeColumns } from "./table.tsx";
import { Today } from "./today.tsx";
import { AmountChip, amountNamed, PayerChip, payerNamed, ReferenceChip, referenceNamed } from "./typed-chips.tsx";

type Query = NonNullable<merchant.TransactionsListData["query"]>;

/** A tab is what the column of states says, and money that came is in one of three. */
const OF_TAB = {
  pending: { status: "pending" },
  completed: { standing: "kept" },
  contested: { standing: "disputed" },
  returned: { standing: "returned" },
  cancelled: { status: "cancelled" },
  failed: { status: "failed" },
} as const;
const TABS = Object.keys(OF_TAB) as (keyof typeof OF_TAB)[];

/** The names of the filters in the address. */
const FILTERS = [
  "state",
  "created",
  "from",
  "to",
  "paid",
  "payer",
  "reference",
  "min",
  "max",
  "link",
  "code",
  "project",
  "invoice",
] as const;

export default function Charges() {
  const { t } = useTranslation();
  const { pixgate, scope, may } = useSession();
  const address = useAddress();
  const columns = useColumns();
  const further = useFurtherColumns(columns.chosen);
  const without = (["payer", "reference", "fee"] as const).filter((name) => !columns.chosen.includes(name));
  const state = useTabs(TABS, { textOf: (one) => t(`charges.${one}`) });
  const created = usePeriod("created", t("charges.created"));
  const invoice = useChoice("invoice", t("invoice.title"), INVOICED, (one) => t(`invoice.${one}`));
  const hour = hourNamed(address.get("paid"));
  const query: Query = {
    type: "payment",
    ...(state.value && OF_TAB[state.value]),
    from: created.from,
    to: created.to,
    payer: payerNamed(address.get("payer")) ?? undefined,
    externalReference: referenceNamed(address.get("reference")) ?? undefined,
    minAmount: amountNamed(address.get("min")) ?? undefined,
    maxAmount: amountNamed(address.get("max")) ?? undefined,
    paymentLinkId: idNamed(address.get("link")),
    qrCodeId: idNamed(address.get("code")),
    projectId: idNamed(address.get("project")),
    invoiced: invoice.value && invoice.value === "recorded",
    paidFrom: hour?.from.toISOString(),
    paidTo: hour?.to.toISOString(),
  };
  return (
    <ListScreen<merchant.Transaction>
      title={t("nav.charges")}
      acts={<Csv query={query} />}
      make={
        may("PIX:WRITE") && {
          text: t("charges.new"),
          panel: (opened, close) => <NewCharge opened={opened} onClose={close} />,
        }
      }
      queryKey={[...scope, "charges", query]}
      filters={[state, created, invoice]}
      beside={
        <>
          <HourChip name="paid" label={t("charges.paidAt")} />
          <PayerChip />
          <ReferenceChip />
          <AmountChip />
          <MadeByChip />
          <span className="last at-end">
            <ColumnChoice {...columns} />
          </span>
        </>
      }
      read={(page) => readPaid(query, (known) => pixgate.transactions.list({ ...known, ...page }).page())}
      sumOf={useSum()}
      keyOf={({ id }) => id}
      empty={<NoCharges />}
      hrefOf={hrefOfCharge}
      columns={useChargeColumns(without, further)}
    >
      <Today />
    </ListScreen>
  );
}

/** Reads charges. A process of an earlier version does not know what became of a payment: it gives all that are paid. */
async function readPaid<Read>({ standing, ...query }: Query, read: (query: Query) => Promise<Read>): Promise<Read> {
  try {
    return await read({ ...query, standing });
  } catch (error) {
    if (standing === "kept" && isRefusal(error) && error.status === 400) return read({ ...query, status: "completed" });
    throw error;
  }
}

/** What of a charge's amount each state has, BRL. */
const SUMS = {
  completed: ({ status, amount, disputedAmount = 0, returnedAmount = 0, refund }) =>
    status === "completed" ? addBrl(amount, -disputedAmount, -returnedAmount, -leavingOf(refund)) : 0,
  contested: ({ disputedAmount = 0 }) => disputedAmount,
  refunding: ({ refund }) => leavingOf(refund),
  refunded: ({ status, returnedAmount = 0 }) => (status === "completed" ? returnedAmount : 0),
  pending: ({ status, amount }) => (status === "pending" ? amount : 0),
} satisfies Record<string, (charge: merchant.Transaction) => number>;
const leavingOf = (refund: merchant.Transaction["refund"]): number =>
  refund?.status === "PENDING" ? refund.amount : 0;

/** How many there are, and what is paid, disputed, refunded and waited for, which have no sum in common. */
function useSum() {
  const { t } = useTranslation();
  return (charges: readonly merchant.Transaction[], isWhole: boolean): string => {
    const sums = Object.entries(SUMS).flatMap(([state, of]) => {
      const sum = addBrl(0, ...charges.map(of));
      return sum === 0 ? [] : [t(`charges.sum.${state}`, { amount: showBrl(sum) })];
    });
    const shown = [t("charges.count", { count: charges.length }), ...sums].join(" · ");
    return isWhole ? shown : t("statement.andMore", { shown });
  };
}

/** Nothing to show: says what to do, with filters or without. */
function NoCharges() {
  const { t } = useTranslation();
  const { session } = useSession();
  const address = useAddress();
  if (FILTERS.every((name) => address.get(name) === null)) {
    return (
      <Empty act={<FirstCharge />}>
        {t(session.environment === "sandbox" ? "chargeFilters.emptySandbox" : "charges.empty")}
      </Empty>
    );
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

/** Exactly the rows of the filters as a file. */
function Csv({ query }: { query: Query }) {
  const { pixgate } = useSession();
  return (
    <CsvButton
      file="pixgate-charges.csv"
      read={(most) => readPaid(query, (known) => pixgate.transactions.list({ ...known, limit: 100 }).toArray(most))}
      head={[
        ...["id", "createdAt", "paidAt", "payer", "reference", "status", "fee", "amount", "institution"],
        ...["createdOn", "paidOn", "endToEnd", "invoiceNumber", "invoiceKey"],
      ]}
      rowOf={(one) => [
        ...[one.id, new Date(one.createdAt), one.paidAt ? new Date(one.paidAt) : undefined],
        ...[one.counterpartName, one.externalReference, one.status, one.feeAmount, one.amount, one.institution],
        // A spreadsheet takes no time with an offset for a date.
        ...[one.createdAt, one.paidAt].map((at) => (at ? dayOf(new Date(at)) : undefined)),
        ...[one.e2eId, one.invoice?.number, one.invoice?.key],
      ]}
    />
  );
}
