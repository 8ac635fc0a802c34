import "./operator.css";
import { NativeSelect, TextInput } from "@mantine/core";
import { type operator, TREASURY_KINDS } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { AmountField } from "../parts/amount-field.tsx";
import { amountColumn, stateColumn, timeColumn } from "../parts/columns.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { instantOf } from "../parts/instant.ts";
import { ListScreen } from "../parts/list-screen.tsx";
import { type Shape, State } from "../parts/state.tsx";
import { readBrl } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";
import { AGAIN_MS, useInstitutions, useNames } from "./reads.ts";
import { personOf, wordOf } from "./words.ts";

type Entry = operator.TreasuryEntry;
type Kind = operator.TreasuryRequest["kind"];
const SHAPES: Record<Entry["status"], Shape> = { awaiting_approval: "needs", booked: "done", discarded: "ended" };

/** Movements of the operator's own money. */
export default function Treasury() {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const nameOf = useNames();
  const institutionsOf = ({ institutionId, toInstitutionId }: Entry) =>
    [institutionId, toInstitutionId].filter(Boolean).map(nameOf).join(" → ");
  return (
    <ListScreen<Entry>
      title={t("nav.operators.treasury")}
      make={
        (session.installationRole === "finance" || session.installationRole === "admin") && {
          text: t("operator.treasury.new"),
          panel: (opened, close) => <Recording opened={opened} onClose={close} />,
        }
      }
      queryKey={["operator", "treasury"]}
      againMs={AGAIN_MS}
      read={(page) => operator.treasury.list(page)}
      keyOf={({ id }) => id}
      empty={t("operator.treasury.empty")}
      columns={[
        timeColumn(t("operator.treasury.when"), ({ occurredAt }) => occurredAt),
        {
          key: "kind",
          title: t("operator.treasury.kind"),
          className: "lead",
          cell: ({ kind }) => wordOf("movement", kind),
          corner: "who",
          phone: (one) => (
            <>
              {wordOf("movement", one.kind)} <span className="quiet">· {institutionsOf(one)}</span>
            </>
          ),
        },
        { key: "bank", title: t("operator.cases.institution"), cell: institutionsOf },
        { key: "by", title: t("operator.treasury.by"), cell: ({ createdBy }) => personOf(createdBy) },
        stateColumn(t("operator.treasury.state"), ({ status }) => (
          <State shape={SHAPES[status]}>{wordOf("treasuryStatus", status)}</State>
        )),
        amountColumn(t("operator.treasury.amount"), ({ amount }) => amount),
      ]}
    />
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
