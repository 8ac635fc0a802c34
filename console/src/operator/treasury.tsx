import "./operator.css";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { addBrl, type operator, TREASURY_KINDS } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl, showMovement } from "../parts/amount.ts";
import { AmountField } from "../parts/amount-field.tsx";
import { amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { useCounted } from "../parts/counted.ts";
import { Facts } from "../parts/facts.tsx";
import { useTabs } from "../parts/filters.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { instantOf, showInFull } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { Money } from "../parts/money.tsx";
import { type Shape, State } from "../parts/state.tsx";
import { readBrl } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";
import { Answer } from "./answer.tsx";
import { AGAIN_MS, useInstitutions, useNames } from "./reads.ts";
import { personOf, wordOf } from "./words.ts";

type Entry = operator.TreasuryEntry;
type Kind = operator.TreasuryRequest["kind"];
const SHAPES: Record<Entry["status"], Shape> = { awaiting_approval: "needs", booked: "done", discarded: "ended" };

/** What an entry does to the operator's own money: between institutions it stays what it is. */
const SIGNS: Record<Entry["kind"], 1 | -1 | 0> = { top_up: 1, gain: 1, sweep: -1, tariff: -1, loss: -1, interbank: 0 };
const STATUSES = ["awaiting_approval", "booked", "discarded"] as const satisfies readonly Entry["status"][];
/** BRL that entries of the list have moved. */
const effectOf = ({ kind, status, amount }: Entry): number => (status === "booked" ? SIGNS[kind] * amount : 0);

/** Movements of the operator's own money. */
export default function Treasury() {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const institutionsOf = useInstitutionsOf();
  const status = useTabs(STATUSES, {
    ...{ name: "status", first: t("operator.treasury.all") },
    textOf: (one) => t(`operator.treasury.tab.${one}`),
  });
  const sum = useCounted<Entry>("movements", (rows) => [
    t("operator.treasury.inBooks", { sum: showMovement(addBrl(0, ...rows.map(effectOf))) }),
  ]);
  const stateOf = (one: Entry) => <State shape={SHAPES[one.status]}>{wordOf("treasuryStatus", one.status)}</State>;
  return (
    <ListScreen<Entry>
      title={t("nav.operators.treasury")}
      make={
        (session.installationRole === "finance" || session.installationRole === "admin") && {
          text: t("operator.treasury.new"),
          panel: (opened, close) => <Recording opened={opened} onClose={close} />,
        }
      }
      filters={[status]}
      queryKey={["operator", "treasury"]}
      againMs={AGAIN_MS}
      read={(page) => operator.treasury.list({ ...page, status: status.value })}
      keyOf={({ id }) => id}
      sumOf={sum}
      empty={t(status.value === undefined ? "operator.treasury.empty" : "operator.treasury.noneLike")}
      panel={{
        title: (one) => (one ? wordOf("movement", one.kind) : t("nav.operators.treasury")),
        body: (one) => <Details one={one} />,
      }}
      columns={[
        timeColumn(t("operator.treasury.when"), ({ occurredAt }) => occurredAt),
        {
          key: "kind",
          title: t("operator.treasury.kind"),
          className: "lead",
          cell: ({ kind }) => wordOf("movement", kind),
          corner: "who",
          phone: ({ kind, status }) => <State shape={SHAPES[status]}>{wordOf("movement", kind)}</State>,
        },
        { key: "bank", title: t("operator.cases.institution"), cell: institutionsOf },
        { key: "by", title: t("operator.treasury.by"), cell: ({ createdBy }) => personOf(createdBy) },
        {
          ...stateColumn(t("operator.treasury.state"), stateOf),
          phone: (one) => (
            <span className="whole">
              {one.status !== "booked" && `${wordOf("treasuryStatus", one.status)} · `}
              {institutionsOf(one)}
            </span>
          ),
        },
        {
          ...amountColumn<Entry>(t("operator.treasury.amount"), ({ amount }) => amount),
          className: "",
          cell: (one) => <Moved one={one} />,
        },
      ]}
    >
      <Answered />
    </ListScreen>
  );
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

/** What waits for a second person, and how much it comes to. */
function Answered() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const { data } = useQuery({
    queryKey: ["operator", "treasury-waiting"],
    queryFn: () => operator.treasury.list({ status: "awaiting_approval", limit: SUMMED }).page(),
    refetchInterval: AGAIN_MS,
  });
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
      <Facts
        facts={[
          [t(toInstitutionId ? "operator.treasury.from" : "operator.cases.institution"), nameOf(institutionId)],
          [t("operator.treasury.to"), toInstitutionId && nameOf(toInstitutionId)],
          [t("operator.treasury.when"), when(occurredAt)],
          [t("operator.treasury.reference"), reference],
          [t("operator.treasury.descriptionOf"), description],
          [t("operator.treasury.about"), about],
          [t("operator.treasury.by"), personOf(one.createdBy)],
          [t("operator.treasury.recordedAt"), when(one.createdAt)],
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

function Recording({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const banks = (useInstitutions().data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const [kind, setKind] = useState<Kind>("top_up");
  const [amount, setAmount] = useState("");
  const brl = readBrl(amount);
  const close = () => {
    setAmount("");
    onClose();
  };
  return (
    <FormPanel
      title={t("operator.treasury.new")}
      opened={opened}
      onClose={close}
      read={(form) => (brl === null ? null : requestOf(form, kind, brl))}
      save={(body, once) => operator.treasury.record(body, once)}
      button={{
        text: t("operator.treasury.record", {
          kind: wordOf("movement", kind),
          amount: brl === null ? "" : showBrl(brl),
        }),
        disabled: brl === null,
      }}
    >
      <NativeSelect
        label={t("operator.treasury.kind")}
        value={kind}
        onChange={({ currentTarget }) => setKind(TREASURY_KINDS.find((one) => one === currentTarget.value) ?? "top_up")}
        data={TREASURY_KINDS.map((value) => ({ value, label: wordOf("movement", value) }))}
      />
      <NativeSelect name="institution" label={t("operator.cases.institution")} data={banks} required />
      {kind === "interbank" && <NativeSelect name="to" label={t("operator.treasury.to")} data={banks} required />}
      <AmountField label={t("operator.treasury.amount")} value={amount} onChange={setAmount} />
      <TextInput name="when" type="datetime-local" label={t("operator.treasury.when")} required />
      <TextInput name="reference" label={wordOf("parameter", "reference")} maxLength={100} />
      <TextInput name="description" label={t("operator.treasury.description")} maxLength={255} />
      <p className="note">{t("operator.treasury.text")}</p>
    </FormPanel>
  );
}

function requestOf(form: FormData, kind: Kind, amount: number): operator.TreasuryRequest {
  const [reference, description] = [fieldOf(form, "reference"), fieldOf(form, "description")];
  return {
    kind,
    amount,
    institutionId: fieldOf(form, "institution"),
    // The field is of São Paulo's clock, like every time of the console.
    occurredAt: instantOf(fieldOf(form, "when")).toISOString(),
    ...(kind === "interbank" && { toInstitutionId: fieldOf(form, "to") }),
    ...(reference !== "" && { reference }),
    ...(description !== "" && { description }),
  };
}
