import type { merchant } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { afterState, amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Money } from "../parts/money.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { ChargeState } from "./state.tsx";

type Charge = merchant.Transaction;

/** Who paid; in the quiet ink who is to. */
function Payer({ charge: { counterpartName, expectedName, paidAt } }: { charge: Charge }) {
  const { t } = useTranslation();
  return (
    <span className={counterpartName ? "" : "quiet"}>
      <FreeText>{counterpartName ?? expectedName ?? t(paidAt ? "charges.unnamed" : "charges.noPayer")}</FreeText>
    </span>
  );
}

/** What a list of few charges leaves out on a desk. */
const LEFT_OUT = { short: ["fee"], brief: ["payer", "reference", "fee"] } as const;

/**
 * The columns of charges.
 *
 * @param without keys of those that only a phone shows.
 * @param further before the amount.
 */
export function useChargeColumns(
  without: readonly string[],
  further: readonly Column<Charge>[] = [],
): readonly Column<Charge>[] {
  const { t } = useTranslation();
  const columns: readonly Column<Charge>[] = [
    timeColumn(t("charges.column.time"), ({ createdAt }) => createdAt),
    { key: "payer", title: t("charges.column.payer"), cell: (charge) => <Payer charge={charge} />, corner: "who" },
    {
      key: "reference",
      title: t("charges.column.reference"),
      className: "second",
      // What was paid by a code at the till has no reference of its own, but what it was for.
      cell: ({ externalReference, description }) =>
        (externalReference ?? description) ? (
          <FreeText>{externalReference ?? description ?? ""}</FreeText>
        ) : (
          <span className="quiet">–</span>
        ),
    },
    stateColumn(t("charges.column.state"), (charge) => <ChargeState charge={charge} />, {
      phone: (charge) => (
        <>
          <ChargeState charge={charge} />
          {afterState(charge.externalReference ?? charge.description)}
        </>
      ),
    }),
    {
      key: "fee",
      title: t("charges.column.fee"),
      end: true,
      className: "quiet",
      cell: ({ feeAmount, paidAt }) =>
        paidAt === undefined || feeAmount === undefined ? "–" : <Money brl={feeAmount} />,
    },
    ...further,
    amountColumn(t("charges.column.amount"), ({ amount }) => amount),
  ];
  return columns.map((column) => ({ ...column, isPhoneOnly: without.includes(column.key) }));
}

/** Charges, newest first; a row opens its charge. `short` leaves out the fee, `brief` also payer and reference. */
export function ChargeTable({
  charges,
  size,
  inPlace = false,
}: {
  charges: readonly Charge[];
  size: keyof typeof LEFT_OUT;
  /** A few newest rows at a glance: a new one is written into the first place, and nothing moves. */
  inPlace?: boolean;
}) {
  const { t } = useTranslation();
  return (
    <Table
      caption={t("nav.charges")}
      columns={useChargeColumns(LEFT_OUT[size])}
      rows={charges}
      keyOf={inPlace ? (one) => String(charges.indexOf(one)) : ({ id }) => id}
      hrefOf={hrefOfCharge}
    />
  );
}

export const hrefOfCharge = ({ id }: Charge): string => `/charges/${id}`;
