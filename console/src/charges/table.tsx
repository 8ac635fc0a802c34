import type { merchant } from "@pixgate/sdk";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Money } from "../parts/money.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";
import { ChargeState } from "./state.tsx";

type Charge = merchant.Transaction;

function Payer({ charge }: { charge: Charge }) {
  const { t } = useTranslation();
  if (charge.counterpartName) return charge.counterpartName;
  return <span className="quiet">{charge.paidAt ? t("charges.unnamed") : t("charges.noPayer")}</span>;
}

/** Columns of a charge, up to the amount. */
const columnsOf = (t: TFunction): readonly Column<Charge>[] => [
  {
    key: "time",
    title: t("charges.column.time"),
    className: "quiet",
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
  { key: "payer", title: t("charges.column.payer"), cell: (charge) => <Payer charge={charge} /> },
  {
    key: "reference",
    title: t("charges.column.reference"),
    className: "second",
    cell: ({ externalReference }) => externalReference ?? <span className="quiet">–</span>,
  },
  { key: "state", title: t("charges.column.state"), cell: (charge) => <ChargeState charge={charge} /> },
  {
    key: "fee",
    title: t("charges.column.fee"),
    end: true,
    className: "quiet",
    cell: ({ feeAmount, paidAt }) =>
      paidAt === undefined || feeAmount === undefined ? "–" : <Money brl={feeAmount} />,
  },
];

/**
 * Charges, newest first; a row opens its charge. `short` leaves out the fee, `brief` also payer and reference, `without` the
 * columns that it names; `further` come before the amount.
 */
export function ChargeTable({
  charges,
  short = false,
  brief = false,
  without = brief ? ["payer", "reference", "fee"] : short ? ["fee"] : [],
  further = [],
  inPlace = false,
}: {
  charges: readonly Charge[];
  short?: boolean;
  brief?: boolean;
  without?: readonly string[];
  further?: readonly Column<Charge>[];
  /** A few newest rows at a glance: a new one is written into the first place, and nothing moves. */
  inPlace?: boolean;
}) {
  const { t } = useTranslation();
  const columns: readonly Column<Charge>[] = [
    ...columnsOf(t).filter(({ key }) => !without.includes(key)),
    ...further,
    {
      key: "amount",
      title: t("charges.column.amount"),
      end: true,
      className: "lead",
      cell: ({ amount }) => <Money brl={amount} />,
    },
  ];
  return (
    <Table
      caption={t("nav.charges")}
      columns={columns}
      rows={charges}
      keyOf={inPlace ? (one) => String(charges.indexOf(one)) : ({ id }) => id}
      hrefOf={({ id }) => `/charges/${id}`}
      phone={(charge) => [
        <Payer key="payer" charge={charge} />,
        <Money key="amount" brl={charge.amount} />,
        <ChargeState key="state" charge={charge} />,
        <Moment key="time" at={charge.createdAt} />,
      ]}
    />
  );
}
