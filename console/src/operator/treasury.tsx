import "./operator.css";
import { Button } from "@mantine/core";
import { addBrl, type operator, TREASURY_KINDS } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl, showMovement } from "../parts/amount.ts";
import { amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { CsvButton } from "../parts/csv-button.tsx";
import { Facts } from "../parts/facts.tsx";
import { useChoice, useTabs } from "../parts/filters.tsx";
import { showInFull } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { usePeriod } from "../parts/period.tsx";
import { type Shape, State } from "../parts/state.tsx";
import type { Column } from "../parts/table.tsx";
import { useSession } from "../session/session.tsx";
import { Answer } from "./answer.tsx";
import { decides } from "./deciding.ts";
import { useInstitutionFilter } from "./named-filter.tsx";
import { OwnMoney, SIGNS } from "./own-money.tsx";
import { AGAIN_MS, useNames } from "./reads.ts";
import { RecordMovement, useNewText } from "./record-movement.tsx";
import { actorName, wordOf } from "./words.ts";

type Entry = operator.TreasuryEntry;
const SHAPES: Record<Entry["status"], Shape> = { awaiting_approval: "needs", booked: "done", discarded: "ended" };

/** All that a list may have; those that are recorded by hand come first. */
const KINDS = [...TREASURY_KINDS, "loss", "gain"] as const satisfies readonly Entry["kind"][];
const STATUSES = ["awaiting_approval", "booked", "discarded"] as const satisfies readonly Entry["status"][];
/** BRL that entries of the list have moved. */
const effectOf = ({ kind, status, amount }: Entry): number => (status === "booked" ? SIGNS[kind] * amount : 0);

/** The filters of the list, and what they ask of the API. */
function useFilters() {
  const { t } = useTranslation();
  const waiting = useWaiting().data;
  const status = useTabs(STATUSES, {
    ...{ name: "status", first: t("operator.treasury.all") },
    textOf: (one) => t(`operator.treasury.tab.${one}`),
    countOf: (one) => (one === "awaiting_approval" && waiting?.nextCursor === null ? waiting.items.length : 0),
  });
  const kind = useChoice("kind", t("operator.treasury.kind"), KINDS, (one) => wordOf("movement", one));
  const institution = useInstitutionFilter();
  const moved = usePeriod("moved", t("operator.treasury.when"));
  const query = {
    ...{ status: status.value, kind: kind.value, institutionId: institution.value },
    ...{ occurredFrom: moved.from, occurredTo: moved.to },
  };
  return { filters: [status, kind, institution, moved], query };
}

/** Movements of the operator's own money. */
export default function Treasury() {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const { filters, query } = useFilters();
  const isFiltered = Object.values(query).some((value) => value !== undefined);
  const sum = useCounted<Entry>("movements", (rows) => [
    t("operator.treasury.inBooks", { sum: showMovement(addBrl(0, ...rows.map(effectOf))) }),
  ]);
  const newText = t(useNewText());
  const mayRecord = decides(session.installationRole ?? undefined);
  return (
    <ListScreen<Entry>
      title={t("nav.operators.treasury")}
      make={
        mayRecord && {
          text: newText,
          panel: (opened, close) => <RecordMovement opened={opened} onClose={close} />,
        }
      }
      acts={
        <div className="of-some acts-of">
          <Csv query={query} />
        </div>
      }
      filters={filters}
      queryKey={["operator", "treasury"]}
      againMs={AGAIN_MS}
      read={(page) => operator.treasury.list({ ...page, ...query })}
      keyOf={({ id }) => id}
      sumOf={sum}
      empty={isFiltered ? t("operator.treasury.noneLike") : <NoneYet />}
      panel={{
        title: (one) => (one ? wordOf("movement", one.kind) : t("nav.operators.treasury")),
        body: (one) => <Details one={one} />,
      }}
      columns={useColumns()}
    >
      <div className="of-some">
        <Answered />
      </div>
      <OwnByInstitution />
    </ListScreen>
  );
}

/** What stands here once there is something. */
function NoneYet() {
  const { t } = useTranslation();
  return (
    <div className="of-all">
      <Answer then={t("operator.treasury.emptyThen")}>{t("operator.treasury.empty")}</Answer>
    </div>
  );
}

function useColumns(): readonly Column<Entry>[] {
  const { t } = useTranslation();
  const institutionsOf = useInstitutionsOf();
  const byWords = useByWords();
  const stateOf = (one: Entry) => <State shape={SHAPES[one.status]}>{wordOf("treasuryStatus", one.status)}</State>;
  return [
    timeColumn(t("operator.treasury.at"), ({ occurredAt }) => occurredAt),
    {
      key: "kind",
      title: t("operator.treasury.kind"),
      className: "lead",
      cell: (one) => (
        <>
          {wordOf("movement", one.kind)}
          <span className="small quiet block">{institutionsOf(one)}</span>
        </>
      ),
      corner: "who",
      phone: ({ kind, status }) => <State shape={SHAPES[status]}>{wordOf("movement", kind)}</State>,
    },
    { key: "by", title: t("operator.treasury.by"), cell: (one) => <By one={one} /> },
    {
      ...stateColumn(t("operator.treasury.state"), stateOf),
      phone: (one) => (
        <span className="whole">
          {one.status !== "booked" && `${wordOf("treasuryStatus", one.status)} · `}
          {institutionsOf(one)} · {byWords(one)}
        </span>
      ),
    },
    {
      ...amountColumn<Entry>(t("operator.treasury.amount"), ({ amount }) => amount),
      className: "",
      cell: (one) => <Moved one={one} />,
    },
  ];
}

/** Exactly the rows of the filters, for whoever closes the month. */
function Csv({ query }: { query: ReturnType<typeof useFilters>["query"] }) {
  const { operator } = useSession();
  const nameOf = useNames();
  return (
    <CsvButton<Entry>
      file="pixgate-treasury.csv"
      read={(most) => operator.treasury.list({ ...query, limit: 100 }).toArray(most)}
      head={[
        ...["id", "occurredAt", "kind", "status", "institution", "toInstitution", "amount", "effect", "reference"],
        ...["description", "about", "createdBy", "createdAt", "decidedBy", "bookedAt"],
      ]}
      rowOf={(one) => [
        ...[one.id, new Date(one.occurredAt), one.kind, one.status, nameOf(one.institutionId)],
        ...[nameOf(one.toInstitutionId), one.amount, effectOf(one), one.reference, one.description, one.about],
        ...[one.createdBy, new Date(one.createdAt), one.decidedBy, one.bookedAt ? new Date(one.bookedAt) : undefined],
      ]}
    />
  );
}

/** Who asked for it, and who the second person was. */
function By({ one }: { one: Entry }) {
  const decided = useDecidedWords()(one);
  return (
    <>
      {actorName(one.createdBy)}
      {decided !== null && <span className="small quiet block">{decided}</span>}
    </>
  );
}

/** `aprovado por Lúcia Prado`; null where nobody decided, or who asked decided alone. */
function useDecidedWords(): (one: Entry) => string | null {
  const { t } = useTranslation();
  return ({ decidedBy, status }) => {
    if (decidedBy === undefined) return null;
    const name = actorName(decidedBy);
    return t(status === "booked" ? "operator.treasury.approvedBy" : "operator.treasury.discardedBy", { name });
  };
}

/** The same in one line, for a phone. */
function useByWords(): (one: Entry) => string {
  const { t } = useTranslation();
  const decidedWords = useDecidedWords();
  return (one) =>
    [t("operator.treasury.byName", { name: actorName(one.createdBy) }), decidedWords(one)].filter(Boolean).join(", ");
}

/** `PSP simulator → Banco Aurora`. */
function useInstitutionsOf(): (one: Entry) => string {
  const nameOf = useNames();
  return ({ institutionId, toInstitutionId }) =>
    [institutionId, toInstitutionId].filter(Boolean).map(nameOf).join(" → ");
}

/** An entry's amount with its sign; that of a discarded one moved nothing. */
function Moved({ one: { kind, status, amount } }: { one: Entry }) {
  if (status === "discarded") {
    return (
      <span className="quiet">
        <Money brl={amount} />
      </span>
    );
  }
  const sign = SIGNS[kind];
  return sign === 0 ? <Money brl={amount} /> : <Money brl={sign * amount} movement />;
}

/** Entries that are read at once to be summed. */
const SUMMED = 100;

/** What waits for a second person; and what all that is booked comes to at each institution. */
function useWaiting() {
  const { operator } = useSession();
  return useQuery({
    queryKey: ["operator", "treasury-waiting"],
    queryFn: () => operator.treasury.list({ status: "awaiting_approval", limit: SUMMED }).page(),
    refetchInterval: AGAIN_MS,
  });
}

/** What waits for a second person, and how much it comes to. */
function Answered() {
  const { t } = useTranslation();
  const { data } = useWaiting();
  if (data === undefined) return <div className="answer-place" />;
  const { items, nextCursor } = data;
  if (items.length === 0) return <Answer shape="done">{t("operator.treasury.noneWaits")}</Answer>;
  const sum = showBrl(addBrl(0, ...items.map(({ amount }) => amount)));
  return (
    <Answer shape="needs" then={t("operator.treasury.waitsText")}>
      <Link href="/operator/treasury?status=awaiting_approval" className="link">
        {t(nextCursor ? "operator.treasury.manyWait" : "operator.treasury.waits", { count: items.length, sum })}
      </Link>
    </Answer>
  );
}

/** How much own money the movements left at each institution; each opens its movements. */
function OwnByInstitution() {
  const { t } = useTranslation();
  const nameOf = useNames();
  // A process of 0.1.0, during an upgrade, does not say it.
  const booked = useWaiting().data?.booked ?? [];
  if (booked.length === 0) return null;
  return (
    <>
      <div className="verdict-figures">
        {booked.map(({ institutionId, amount }) => (
          <Link key={institutionId} href={`/operator/treasury?status=booked&institution=${institutionId}`}>
            <span className="small quiet">{t("operator.treasury.ownAt", { name: nameOf(institutionId) })}</span>
            <strong>
              <Money brl={amount} />
            </strong>
          </Link>
        ))}
      </div>
      <p className="own-is small quiet">{t("operator.treasury.ownIs")}</p>
    </>
  );
}

/** All that is known of an entry, and its case, where a second person decides or decided. */
function Details({ one }: { one: Entry }) {
  const { t, i18n } = useTranslation();
  const nameOf = useNames();
  const { status, institutionId, toInstitutionId, occurredAt, about, reference, description, caseId } = one;
  const when = (at: string | undefined) => at && showInFull(new Date(at), i18n.language);
  return (
    <>
      <p className="big">
        <Moved one={one} />
      </p>
      <State shape={SHAPES[status]}>{wordOf("treasuryStatus", status)}</State>
      {status !== "discarded" && one.source === "operator" && (
        <OwnMoney kind={one.kind} brl={one.amount} from={nameOf(institutionId)} to={nameOf(toInstitutionId)} />
      )}
      <Facts
        facts={[
          [t(toInstitutionId ? "operator.treasury.from" : "operator.cases.institution"), nameOf(institutionId)],
          [t("operator.treasury.to"), toInstitutionId && nameOf(toInstitutionId)],
          [t("operator.treasury.when"), when(occurredAt)],
          [t("operator.treasury.reference"), reference],
          [t("operator.treasury.descriptionOf"), description],
          [t("operator.treasury.about"), about],
          [t("operator.treasury.by"), actorName(one.createdBy)],
          [t("operator.treasury.recordedAt"), when(one.createdAt)],
          [t("operator.treasury.decidedBy"), one.decidedBy && actorName(one.decidedBy)],
          [t("operator.treasury.bookedAt"), when(one.bookedAt)],
        ]}
      />
      {caseId !== undefined && (
        <div className="acts">
          <Button
            component={Link}
            href={`/operator/cases?${status === "awaiting_approval" ? "" : "status=closed&"}open=${caseId}`}
            variant="default"
          >
            {t(status === "awaiting_approval" ? "operator.treasury.decide" : "operator.treasury.seeCase")}
          </Button>
        </div>
      )}
    </>
  );
}
