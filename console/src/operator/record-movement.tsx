import { TextInput } from "@mantine/core";
import { type operator, TREASURY_KINDS } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../parts/amount.ts";
import { AmountField } from "../parts/amount-field.tsx";
import { FormPanel, fieldOf } from "../parts/form-panel.tsx";
import { NativeSelect } from "../parts/select.ts";
import { readBrl, useTypedAmount } from "../parts/typed-amount.tsx";
import { useSession } from "../session/session.tsx";
import { isAlone, useDeciding, useDecidingText } from "./deciding.ts";
import { OwnMoney } from "./own-money.tsx";
import { useInstitutions, useNames } from "./reads.ts";
import { WhenField } from "./when-field.tsx";
import { wordOf } from "./words.ts";

type Request = operator.TreasuryRequest;
type Kind = Request["kind"];
type Movement = Pick<Request, "kind" | "institutionId" | "toInstitutionId" | "amount">;

/** What making one is called: where another person decides, it is asked for. */
export const useNewText = (): string =>
  useDeciding()?.who === "one" ? "operator.treasury.new" : "operator.treasury.newAsked";

/** Records a movement of the operator's own money: shows what it books, and whether that happens at once, before it is pressed. */
export function RecordMovement({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const nameOf = useNames();
  const banks = useInstitutions().data ?? [];
  const [kind, setKind] = useState<Kind | null>(null);
  const [isWhen, setIsWhen] = useState(true);
  const [amount, setAmount] = useState("");
  const [chosen, setFrom] = useState("");
  const [to, setTo] = useState("");
  // Where there is one there is no choice; of several none is the usual one.
  const from = banks.length === 1 ? banks[0]!.id : chosen;
  const brl = readBrl(amount);
  const isBetween = kind === "interbank";
  const isWhole = kind !== null && isWhen && brl !== null && from !== "" && (!isBetween || (to !== "" && to !== from));
  const movement: Movement | null = isWhole
    ? { kind, amount: brl, institutionId: from, ...(isBetween && { toInstitutionId: to }) }
    : null;
  const decidesAlone = isAlone(useDeciding(), brl);
  const typed = useTypedAmount(decidesAlone ? brl : null);
  const next = useDecidingText();
  const title = t(useNewText());
  const close = () => {
    setAmount("");
    setKind(null);
    setIsWhen(true);
    typed.clear();
    onClose();
  };
  const shown = { kind: wordOf("movement", kind ?? ""), amount: showBrl(brl ?? 0) };
  return (
    <FormPanel
      title={title}
      opened={opened}
      onClose={close}
      read={(form) => movement && requestOf(form, movement)}
      save={(body, once) => operator.treasury.record(body, once)}
      button={{
        text:
          brl === null || kind === null
            ? title
            : t(decidesAlone ? "operator.treasury.record" : "operator.treasury.ask", shown),
        disabled: movement === null || !typed.confirmed,
      }}
    >
      <KindField value={kind} onChoose={setKind} />
      <Bank
        label={t(isBetween ? "operator.treasury.from" : "operator.cases.institution")}
        value={from}
        onChoose={setFrom}
      />
      {isBetween && <Bank label={t("operator.treasury.to")} value={to} onChoose={setTo} />}
      <AmountField label={t("operator.treasury.amount")} value={amount} onChange={setAmount} />
      <WhenField label={t("operator.treasury.whenDay")} onChange={setIsWhen} />
      <TextInput name="reference" label={wordOf("parameter", "reference")} maxLength={100} />
      <TextInput
        name="description"
        label={t(decidesAlone ? "operator.treasury.description" : "operator.treasury.reason")}
        required={!decidesAlone}
        maxLength={255}
      />
      {movement && <OwnMoney kind={movement.kind} brl={movement.amount} from={nameOf(from)} to={nameOf(to)} />}
      <p className="note">
        {next} {t("operator.treasury.text")}
      </p>
      {typed.field}
    </FormPanel>
  );
}

function KindField({ value, onChoose }: { value: Kind | null; onChoose: (kind: Kind | null) => void }) {
  const { t } = useTranslation();
  return (
    <NativeSelect
      label={t("operator.treasury.kind")}
      description={value !== null && t(`operator.treasury.means.${value}`)}
      inputWrapperOrder={["label", "input", "description", "error"]}
      required
      data-autofocus
      value={value ?? ""}
      onChange={({ currentTarget }) => onChoose(TREASURY_KINDS.find((one) => one === currentTarget.value) ?? null)}
      data={[
        { value: "", label: t("operator.brakes.choose") },
        ...TREASURY_KINDS.map((one) => ({ value: one, label: wordOf("movement", one) })),
      ]}
    />
  );
}

function Bank({ label, value, onChoose }: { label: string; value: string; onChoose: (id: string) => void }) {
  const { t } = useTranslation();
  const banks = (useInstitutions().data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <NativeSelect
      label={label}
      required
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      data={[{ value: "", label: t("operator.brakes.choose") }, ...banks]}
    />
  );
}

function requestOf(form: FormData, movement: Movement): Request {
  const [reference, description] = [fieldOf(form, "reference"), fieldOf(form, "description")];
  return {
    ...movement,
    occurredAt: fieldOf(form, "when"),
    ...(reference !== "" && { reference }),
    ...(description !== "" && { description }),
  };
}
