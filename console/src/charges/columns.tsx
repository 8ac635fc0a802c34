import { Button, Menu } from "@mantine/core";
import type { merchant } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { Icon } from "../parts/icon.tsx";
import type { Column } from "../parts/table.tsx";
import { Moment } from "../parts/time.tsx";

type Charge = merchant.Transaction;

/** What a person chose in this browser stays chosen there. */
const REMEMBERED = "pixgate.charge-columns";
/** Columns that can be shown beside time, state and amount, in their order, and whether they are unless somebody chose. */
const CHOICES = {
  payer: true,
  reference: true,
  description: false,
  paidAt: false,
  fee: true,
  net: false,
  institution: false,
  endToEnd: false,
  txid: false,
} as const;
type ChargeColumn = keyof typeof CHOICES;
const ALL = Object.keys(CHOICES) as ChargeColumn[];

function remembered(): readonly ChargeColumn[] {
  const names = localStorage.getItem(REMEMBERED)?.split(" ");
  return ALL.filter((name) => names?.includes(name) ?? CHOICES[name]);
}

/** The chosen columns, and what chooses others. */
export function useColumns() {
  const [chosen, setChosen] = useState(remembered);
  const toggle = (name: ChargeColumn) => {
    const next = ALL.filter((one) => chosen.includes(one) !== (one === name));
    localStorage.setItem(REMEMBERED, next.join(" "));
    setChosen(next);
  };
  return { chosen, toggle };
}

/** The columns that only a list of charges has, since somebody chose them. */
export function useFurtherColumns(chosen: readonly ChargeColumn[]): readonly Column<Charge>[] {
  const { t } = useTranslation();
  const none = <span className="quiet">–</span>;
  const id = (text: string | undefined) =>
    text === undefined ? (
      none
    ) : (
      <span className="mono cut id" title={text}>
        {text}
      </span>
    );
  const further: readonly Column<Charge>[] = [
    {
      key: "description",
      title: t("columns.description"),
      className: "second",
      cell: ({ description }) => <span className="cut id">{description}</span>,
    },
    {
      key: "paidAt",
      title: t("columns.paidAt"),
      className: "quiet",
      cell: ({ paidAt }) => (paidAt === undefined ? none : <Moment at={paidAt} />),
    },
    {
      key: "net",
      title: t("columns.net"),
      end: true,
      className: "quiet",
      cell: ({ netAmount, paidAt }) =>
        paidAt === undefined || netAmount === undefined ? none : <span className="num">{showBrl(netAmount)}</span>,
    },
    {
      key: "institution",
      title: t("columns.institution"),
      className: "second",
      cell: ({ institution }) => institution ?? none,
    },
    { key: "endToEnd", title: t("columns.endToEnd"), cell: ({ e2eId }) => id(e2eId) },
    { key: "txid", title: t("columns.txid"), cell: ({ txid }) => id(txid) },
  ];
  return further.filter(({ key }) => chosen.includes(key as ChargeColumn));
}

/** The button that lists the columns to choose. */
export function ColumnChoice({ chosen, toggle }: ReturnType<typeof useColumns>) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          className="wide-only"
          leftSection={<Icon name="columns" />}
        >
          {t("columns.title")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {ALL.map((name) => (
          <Menu.CheckboxItem key={name} checked={chosen.includes(name)} onChange={() => toggle(name)}>
            {t(`columns.${name}`)}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
