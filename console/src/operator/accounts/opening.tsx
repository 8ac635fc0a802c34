import "@mantine/core/styles/Checkbox.css";
import "@mantine/core/styles/InlineInput.css";
import { Checkbox, TextInput } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { readDocument } from "../../parts/document.ts";
import { FormPanel, fieldOf, type Once } from "../../parts/form-panel.tsx";
import { useSession } from "../../session/session.tsx";
import { useInstitutions } from "../reads.ts";
import { NO_FEES, TermsFields, termsOf } from "./terms-fields.tsx";

type Opening = {
  readonly account: operator.AccountRequest;
  readonly terms: operator.AccountPatch;
  readonly institutions: readonly string[];
};

/** Opens an account in one go: its data, fees with an example, limits, policies and institutions. */
export function NewAccount({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const [, go] = useLocation();
  // Where a later step failed, the next try goes on with the account that is open, and opens no second one.
  const made = useRef<string | null>(null);
  const save = async ({ account, terms, institutions }: Opening, once: Once): Promise<string> => {
    made.current ??= (await operator.accounts.create(account, once)).id;
    const id = made.current;
    const { needs = [], ...policies } = terms.policies ?? {};
    await operator.accounts.update(id, { ...terms, ...(terms.policies && { policies }) });
    for (const one of institutions) await operator.institutions.link(id, one, { enabled: true });
    // Only all of them together may meet these.
    if (needs.length > 0) await operator.accounts.update(id, { policies: { needs } });
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
      <TermsFields />
      <WhichInstitutions />
      <p className="note">{t("operator.accounts.newText")}</p>
    </FormPanel>
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

function openingOf(form: FormData): Opening | null {
  const terms = termsOf(form, NO_FEES);
  if (terms === null) return null;
  const legalName = fieldOf(form, "legalName");
  const { document } = readDocument(fieldOf(form, "document"));
  const { limits, ...rest } = terms;
  return {
    account: {
      name: fieldOf(form, "name"),
      ...(legalName !== "" && { legalName }),
      ...(document !== "" && { document }),
      ...(limits && { limits }),
    },
    terms: rest,
    institutions: form.getAll("institution").filter((one) => typeof one === "string"),
  };
}
