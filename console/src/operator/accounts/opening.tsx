import "@mantine/core/styles/Checkbox.css";
import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { addBrl, type operator, parseBrl } from "@pixgate/sdk";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { showBrl } from "../../parts/amount.ts";
import { readDocument } from "../../parts/document.ts";
import { feeOf } from "../../parts/fee.ts";
import { FormPanel, fieldOf } from "../../parts/form-panel.tsx";
import { useSession } from "../../session/session.tsx";
import { useInstitutions } from "../reads.ts";
import { wordOf } from "../words.ts";

type Opening = {
  readonly account: operator.AccountRequest;
  readonly terms: operator.AccountPatch;
  readonly institutions: readonly string[];
};

/** Of the example that explains a fee, BRL. */
const EXAMPLE = 100;
/** An amount as people write it: `1.234,56`. */
const BRL = "[0-9][0-9.]{0,12}(,[0-9]{1,2})?";
const PERCENT = "(100|[0-9]{1,2}([.,][0-9]{1,2})?)";

/** Opens an account in one go: its data, fees with an example, limits, policies and institutions. */
export function NewAccount({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const [, go] = useLocation();
  // Where a later step failed, the next try goes on with the account that is open, and opens no second one.
  const made = useRef<string | null>(null);
  const save = async ({ account, terms, institutions }: Opening): Promise<string> => {
    made.current ??= (await operator.accounts.create(account)).id;
    const id = made.current;
    await operator.accounts.update(id, terms);
    for (const one of institutions) await operator.institutions.link(id, one, { enabled: true });
    return id;
  };
  const close = () => {
    made.current = null;
    onClose();
  };
  return (
    <FormPanel
      title={t("operator.accounts.new")}
      opened={opened}
      onClose={close}
      read={openingOf}
      save={save}
      onSaved={(id) => {
        made.current = null;
        go(`/operator/accounts/${id}`);
      }}
      button={{ text: t("operator.accounts.open") }}
    >
      <TextInput name="name" label={t("operator.accounts.name")} required maxLength={100} data-autofocus />
      <TextInput name="legalName" label={t("operator.accounts.legalName")} maxLength={200} />
      <TextInput name="document" label={t("operator.accounts.document")} maxLength={18} />
      <Fees />
      <Limits />
      <Policies />
      <WhichInstitutions />
      <p className="note">{t("operator.accounts.newText")}</p>
    </FormPanel>
  );
}

function Amount({ name, label, onText }: { name: string; label: string; onText?: (text: string) => void }) {
  return (
    <TextInput
      name={name}
      label={label}
      leftSection="R$"
      inputMode="decimal"
      autoComplete="off"
      pattern={BRL}
      onChange={({ currentTarget }) => onText?.(currentTarget.value)}
    />
  );
}

/** The fees, and what a charge of the example's amount leaves of itself. */
function Fees() {
  const { t } = useTranslation();
  const [fixed, setFixed] = useState("");
  const [percent, setPercent] = useState("");
  const fee = feeOf(EXAMPLE, readAmount(fixed) ?? 0, readPercent(percent));
  const arrives = addBrl(EXAMPLE, -fee);
  return (
    <fieldset className="stack plain-set">
      <legend>{t("operator.accounts.fees")}</legend>
      <div className="fee-row">
        <Amount name="chargeFixed" label={t("operator.accounts.fixedFee")} onText={setFixed} />
        <TextInput
          name="chargePercent"
          label={t("operator.accounts.percentFee")}
          rightSection="%"
          inputMode="decimal"
          autoComplete="off"
          pattern={PERCENT}
          onChange={({ currentTarget }) => setPercent(currentTarget.value)}
        />
        <Amount name="withdrawalFixed" label={t("operator.accounts.withdrawalFee")} />
        <Amount name="refundFixed" label={t("operator.accounts.refundFee")} />
      </div>
      <p className="note" role="status">
        {t("operator.accounts.feeExample", {
          paid: showBrl(EXAMPLE),
          fee: showBrl(fee),
          arrives: showBrl(arrives),
        })}
      </p>
    </fieldset>
  );
}

function Limits() {
  const { t } = useTranslation();
  return (
    <fieldset className="stack plain-set">
      <legend>{t("operator.accounts.limits")}</legend>
      <div className="fee-row">
        {(["perWithdrawal", "perDay", "perNight", "approvalAbove"] as const).map((name) => (
          <Amount key={name} name={name} label={t(`operator.accounts.limit.${name}`)} />
        ))}
      </div>
      <p className="small quiet">{t("operator.accounts.limitText")}</p>
    </fieldset>
  );
}

function Policies() {
  const { t } = useTranslation();
  return (
    <fieldset className="stack plain-set">
      <legend>{t("operator.accounts.policies")}</legend>
      <NativeSelect
        name="latePayments"
        label={t("operator.accounts.policy.late")}
        data={(["credit", "return"] as const).map((value) => ({ value, label: wordOf("policy", value) }))}
      />
      <NativeSelect
        name="cnpj"
        label={t("operator.accounts.policy.cnpj")}
        data={(["true", "false"] as const).map((value) => ({ value, label: wordOf("yes", value) }))}
      />
    </fieldset>
  );
}

function WhichInstitutions() {
  const { t } = useTranslation();
  const { session } = useSession();
  const institutions = (useInstitutions().data ?? []).filter(
    ({ status, environment }) => status === "active" && environment === session.environment,
  );
  return (
    <fieldset className="stack plain-set">
      <legend>{t("nav.operators.institutions")}</legend>
      {institutions.length === 0 && <p className="small quiet">{t("operator.institutions.empty")}</p>}
      {institutions.map(({ id, name }) => (
        <Checkbox key={id} name="institution" value={id} label={name} defaultChecked />
      ))}
    </fieldset>
  );
}

function openingOf(form: FormData): Opening {
  const legalName = fieldOf(form, "legalName");
  const { document } = readDocument(fieldOf(form, "document"));
  const amount = (name: string) => readAmount(fieldOf(form, name));
  const limits = { perWithdrawal: amount("perWithdrawal"), perDay: amount("perDay"), perNight: amount("perNight") };
  return {
    account: {
      name: fieldOf(form, "name"),
      ...(legalName !== "" && { legalName }),
      ...(document !== "" && { document }),
      limits,
    },
    terms: {
      fees: {
        charge: { fixed: amount("chargeFixed") ?? 0, percent: readPercent(fieldOf(form, "chargePercent")) },
        withdrawal: { fixed: amount("withdrawalFixed") ?? 0 },
        refund: { fixed: amount("refundFixed") ?? 0 },
      },
      policies: {
        latePayments: fieldOf(form, "latePayments") === "return" ? "return" : "credit",
        blockCnpjPayers: fieldOf(form, "cnpj") === "false",
      },
      payouts: { approvalAbove: amount("approvalAbove") },
    },
    institutions: form.getAll("institution").filter((one) => typeof one === "string"),
  };
}

/** BRL; null where nothing, or no amount, was written. */
function readAmount(text: string): number | null {
  if (text.trim() === "") return null;
  try {
    return parseBrl(text);
  } catch {
    return null;
  }
}

function readPercent(text: string): number {
  const percent = Number(text.trim().replace(",", "."));
  return Number.isFinite(percent) && percent >= 0 && percent <= 100 ? percent : 0;
}
