import "@mantine/core/styles/ActionIcon.css";
import "@mantine/core/styles/Checkbox.css";
import "@mantine/core/styles/CloseButton.css";
import "@mantine/core/styles/InlineInput.css";
import "@mantine/core/styles/PasswordInput.css";
import { Checkbox, FileInput, PasswordInput, TextInput } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Read } from "../../parts/feedback.tsx";
import { useAddress } from "../../parts/filters.tsx";
import { FormPanel, fieldOf } from "../../parts/form-panel.tsx";
import { NativeSelect } from "../../parts/select.ts";
import { useSession } from "../../session/session.tsx";
import { useBanks } from "../reads.ts";
import { inWords, useBankName } from "./bank-name.ts";

type Bank = operator.Bank;
type Provider = operator.InstitutionRequest["provider"];

type Field = operator.BankFormField;
type Files = Readonly<Record<string, File | null>>;

/** Connects a bank; its panel then offers the test. */
export function NewInstitution({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const address = useAddress();
  const banks = useBanks();
  const real = banks.data?.filter(({ simulated }) => !simulated) ?? [];
  const [chosen, choose] = useState<string | null>(null);
  const bank = real.find(({ id }) => id === chosen) ?? real.find(isOneBank) ?? real[0];
  const nameOf = useBankName();
  const [files, setFiles] = useState<Files>({});
  const forget = () => setFiles({});
  return (
    <FormPanel
      title={t("operator.institutions.new")}
      opened={opened}
      onClose={() => {
        forget();
        onClose();
      }}
      read={(form) => (bank?.form === undefined ? null : { form, bank })}
      save={async ({ form, bank: { id, form: fields } }) =>
        operator.institutions.create({
          name: fieldOf(form, "name"),
          provider: id as Provider,
          environment: session.environment,
          config: await configOf(fields, form, files),
        })
      }
      onSaved={({ id }) => {
        forget();
        address.change({ new: null, open: id });
      }}
      button={{ text: t("operator.institutions.add"), disabled: bank?.form === undefined }}
    >
      <Read query={banks} lines={4}>
        {() =>
          bank !== undefined && (
            <>
              <NativeSelect
                label={t("operator.institutions.provider")}
                value={bank.id}
                onChange={({ currentTarget }) => choose(currentTarget.value)}
                data={real.map(({ id }) => ({ value: id, label: nameOf({ provider: id }) }))}
              />
              <Fields bank={bank} files={files} onFiles={setFiles} />
            </>
          )
        }
      </Read>
    </FormPanel>
  );
}

const isOneBank = ({ profiles }: Bank): boolean => profiles.length === 0;

/** What an institution of a bank takes, of that which every operator has to fill in. */
function Fields({ bank, files, onFiles }: { bank: Bank; files: Files; onFiles: (files: Files) => void }) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="name"
        label={t("operator.institutions.name")}
        description={t("operator.institutions.nameSeen")}
        required
        maxLength={100}
        data-autofocus
      />
      {!isOneBank(bank) && <WhichBank key={bank.id} bank={bank} />}
      {/* During an upgrade a process of 0.1.0 may answer, which sends no form. */}
      {bank.form?.map((field) => (
        <Setting
          key={`${bank.id} ${nameIn(field)}`}
          field={field}
          file={files[field.setting] ?? null}
          onFile={(file) => onFiles({ ...files, [field.setting]: file })}
        />
      ))}
      <p className="note">{t("operator.institutions.newText")}</p>
    </>
  );
}

type Chosen = { readonly file: File | null; readonly onFile: (file: File | null) => void };

/** A setting of the bank, as its kind is entered. */
function Setting({ field, ...chosen }: { field: Field } & Chosen) {
  const { kind, required, accept = "" } = field;
  const { i18n } = useTranslation();
  const label = inWords(field.label, i18n.language);
  const description = field.help && inWords(field.help, i18n.language);
  const entered = { name: nameIn(field), label, description, required };
  if (isFile(field)) return <FileField label={label} accept={accept} required={required} {...chosen} />;
  if (kind === "yes_no") return <Checkbox name={entered.name} label={label} />;
  if (kind === "secret") return <PasswordInput {...entered} autoComplete="off" />;
  if (kind === "number") return <TextInput {...entered} inputMode="numeric" pattern="[0-9]*" autoComplete="off" />;
  return <TextInput {...entered} type={kind === "email" ? "email" : "text"} autoComplete="off" />;
}

/** Its name in the form: of a setting with texts by name, one of them. */
const nameIn = ({ setting, entry }: Field): string => (entry === undefined ? setting : `${setting} ${entry}`);

const isFile = ({ kind }: Field): boolean => kind === "file" || kind === "file_base64";

/** A file that is chosen, or dropped on the field. */
function FileField(props: { label: string; accept: string; required: boolean } & Chosen) {
  const { t } = useTranslation();
  return (
    <FileInput
      label={props.label}
      accept={props.accept}
      withAsterisk={props.required}
      placeholder={t("operator.institutions.drop")}
      clearable
      clearButtonProps={{ "aria-label": t("operator.institutions.removeFile") }}
      value={props.file}
      onChange={props.onFile}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const dropped = event.dataTransfer.files[0];
        if (dropped !== undefined) props.onFile(dropped);
      }}
    />
  );
}

/** Which of the banks that an adapter knows by name, or another by its addresses. */
function WhichBank({ bank }: { bank: Bank }) {
  const { t } = useTranslation();
  const { session } = useSession();
  const isSandbox = session.environment === "sandbox";
  const known = bank.profiles
    .filter(({ sandbox }) => sandbox || !isSandbox)
    .map((one) => ({ value: isSandbox ? `${one.profile}-sandbox` : one.profile, label: one.name }));
  const [profile, setProfile] = useState(known[0]?.value ?? "");
  return (
    <>
      <NativeSelect
        name="profile"
        label={t("operator.institutions.profile")}
        value={profile}
        onChange={({ currentTarget }) => setProfile(currentTarget.value)}
        data={[...known, { value: "", label: t("operator.institutions.otherBank") }]}
      />
      {profile === "" && (
        <>
          <TextInput name="baseUrl" type="url" label={t("operator.institutions.baseUrl")} required maxLength={2048} />
          <TextInput name="tokenUrl" type="url" label={t("operator.institutions.tokenUrl")} required maxLength={2048} />
        </>
      )}
    </>
  );
}

/** What was entered, as the API takes it: PEM as text, PKCS#12 in base64, and nothing of what was left empty. */
async function configOf(fields: readonly Field[], form: FormData, files: Files): Promise<Record<string, unknown>> {
  const config: Record<string, unknown> = {};
  for (const name of ["profile", "baseUrl", "tokenUrl"]) {
    const value = fieldOf(form, name);
    if (value !== "") config[name] = value;
  }
  for (const field of fields) {
    const value = await enteredIn(field, form, files);
    if (value === undefined) continue;
    const { setting, entry } = field;
    config[setting] = entry === undefined ? value : { ...(config[setting] as object), [entry]: value };
  }
  // An empty passphrase belongs to a file without one.
  if (config.p12 !== undefined) config.passphrase ??= "";
  return config;
}

/** What a field holds; undefined where it was left empty. */
async function enteredIn(field: Field, form: FormData, files: Files): Promise<unknown> {
  const file = files[field.setting];
  if (isFile(field)) return file ? (field.kind === "file" ? await file.text() : await base64Of(file)) : undefined;
  const value = fieldOf(form, nameIn(field));
  if (field.kind === "yes_no") return value === "" ? undefined : true;
  return value === "" ? undefined : field.kind === "number" ? Number(value) : value;
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
