import { addBrl, type operator, TREASURY_KINDS } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { Sums } from "../../parts/facts.tsx";
import { daysBefore } from "../../parts/instant.ts";
import { Money } from "../../parts/money.tsx";
import { Section } from "../../parts/page.tsx";
import { Mark } from "../../parts/state.tsx";
import { Table } from "../../parts/table.tsx";
import { movementWord, wordOf } from "../words.ts";

type Movement = operator.CloseMovement;

const cameTo = (movements: readonly Movement[]): number => addBrl(0, ...movements.map((one) => one.in.amount));
const wentOut = (movements: readonly Movement[]): number => addBrl(0, ...movements.map(({ out }) => -out.amount));

/** From the opening to the closing balance by the books. `before`: the close that ends with this opening. */
function Balances({ of, before }: { of: readonly operator.InstitutionClose[]; before?: string | undefined }) {
  const { t } = useTranslation();
  const movements = of.flatMap((one) => one.movements);
  const opening = t("operator.close.opening");
  return (
    <Sums
      lines={[
        [
          before === undefined ? (
            opening
          ) : (
            <Link key="before" href={`/operator/close?day=${before}`} className="link">
              {opening}
            </Link>
          ),
          addBrl(0, ...of.map((one) => one.opening)),
        ],
        [t("closing.in"), cameTo(movements)],
        [t("closing.out"), wentOut(movements)],
      ]}
      total={[t("operator.close.closing"), addBrl(0, ...of.map((one) => one.closing))]}
    />
  );
}

/** All institutions as one. */
export function Whole({ name, of }: { name: string; of: readonly operator.InstitutionClose[] }) {
  return (
    <Section title={name}>
      <Balances of={of} />
    </Section>
  );
}

/** An institution's balances by the books, what moved them, and what it says itself. */
export function Institution(props: { one: operator.InstitutionClose; close: operator.Close; first: string | null }) {
  const { one, close, first } = props;
  const { t } = useTranslation();
  const { movements, theirs, difference, theirsMissing, enteredBy } = one;
  const before = daysBefore(close.from, 1);
  const hrefOf = hrefIn(one, close);
  return (
    <Section title={one.name} end={difference === 0 ? t("operator.close.same") : undefined}>
      <Balances of={[one]} before={first !== null && before >= first ? before : undefined} />
      {theirs !== null && difference !== null && (
        <Sums lines={[[t("operator.close.theirs"), theirs]]} total={[t("operator.close.difference"), difference]} />
      )}
      {enteredBy !== null && <p className="quiet small">{t("operator.close.enteredBy", { name: enteredBy })}</p>}
      {theirsMissing !== null && (
        <p className="row-line">
          <Mark shape="waiting" />
          {t(`operator.close.${theirsMissing}`)}
        </p>
      )}
      {movements.length > 0 && <Movements caption={`${one.name}: ${t("closing.byType")}`} {...{ movements, hrefOf }} />}
      {movements.some((movement) => hrefOf(movement) !== undefined) && (
        <p className="small quiet pad-top">{t("operator.close.opensMoved")}</p>
      )}
      {one.cases.map(({ id, kind, amount }) => (
        <Link key={id} href={`/operator/cases?open=${id}`} className="row-line">
          <Mark shape="needs" />
          {wordOf("kind", kind)}
          <span className="row-end">
            <Money brl={amount} />
          </span>
        </Link>
      ))}
    </Section>
  );
}

/** The treasury's. */
const OWN: readonly string[] = [...TREASURY_KINDS, "loss", "gain"];

/**
 * Where the treasury lists a kind of movement: by when it happened at the bank, so what was booked after the close is there too.
 * What came late happened on a day that the close does not name.
 */
const hrefIn =
  ({ institutionId }: operator.InstitutionClose, { from, to }: operator.Close) =>
  ({ kind, late }: Movement): string | undefined =>
    late || !OWN.includes(kind)
      ? undefined
      : `/operator/treasury?status=booked&kind=${kind}&institution=${institutionId}&from=${from}&to=${to}`;

/** Nothing where nothing came, and nothing went. */
const some = ({ count, amount }: Movement["in"], sign: 1 | -1): number | null => (count === 0 ? null : sign * amount);

type MovementsProps = {
  caption: string;
  movements: readonly Movement[];
  hrefOf: (movement: Movement) => string | undefined;
};

function Movements({ caption, movements, hrefOf }: MovementsProps) {
  const { t } = useTranslation();
  const named = (movement: Movement) => {
    const { kind, late } = movement;
    const href = hrefOf(movement);
    const name = `${movementWord(kind)}${late ? ` ${t("operator.close.late")}` : ""}`;
    if (href === undefined) return name;
    return (
      <span>
        <Link href={href} className="link">
          {name}
        </Link>
      </span>
    );
  };
  return (
    <Table
      caption={caption}
      rows={movements}
      keyOf={({ kind, late }) => `${kind} ${late}`}
      columns={[
        {
          key: "kind",
          title: t("transactions.type"),
          corner: "who",
          cell: named,
        },
        {
          key: "count",
          title: t("closing.count"),
          end: true,
          corner: "state",
          cell: ({ in: came, out }) => String(came.count + out.count),
          phone: ({ in: came, out }) => t("closing.lines", { count: came.count + out.count }),
        },
        {
          key: "in",
          title: t("closing.in"),
          end: true,
          corner: "amount",
          cell: (row) => <Money brl={some(row.in, 1)} />,
          phone: (row) => <Money brl={addBrl(row.in.amount, -row.out.amount)} movement />,
        },
        { key: "out", title: t("closing.out"), end: true, cell: ({ out }) => <Money brl={some(out, -1)} /> },
      ]}
    />
  );
}
