import { FileInput, NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Read } from "../../parts/feedback.tsx";
import { useAddress } from "../../parts/filters.tsx";
import { FormPanel, fieldOf } from "../../parts/form-panel.tsx";
import { useSession } from "../../session/session.tsx";
import { useBanks } from "../reads.ts";
import { wordOf } from "../words.ts";

type Bank = operator.Bank;
type Provider = operator.InstitutionRequest["provider"];

const FILES = [
  { name: "certificate", accept: ".pem,.crt,.cer" },
  { name: "privateKey", accept: ".pem,.key" },
  { name: "p12", accept: ".p12,.pfx" },
  { name: "starkKey", accept: ".pem,.key" },
] as const;
type Files = { readonly [Name in (typeof FILES)[number]["name"]]?: File | null };

/** Connects a bank; its panel then offers the test. */
export function NewInstitution({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const address = useAddress();
  const banks = useBanks();
  const real = banks.data?.filter(({ simulated }) => !simulated) ?? [];
  const [chosen, choose] = useState<string | null>(null);
  const bank = real.find(({ id }) => id === chosen) ?? real.find(isOneBank) ?? real[0];
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
      read={(form) => (bank === undefined ? null : { form, provider: bank.id })}
      save={async ({ form, provider }) =>
        operator.institutions.create({
          name: fieldOf(form, "name"),
          provider: provider as Provider,
          environment: session.environment,
          config: await configOf(form, files),
        })
      }
      onSaved={({ id }) => {
        forget();
        address.change({ new: null, open: id });
      }}
      button={{ text: t("operator.institutions.add"), disabled: bank === undefined }}
    >
      <Read query={banks} lines={4}>
        {() =>
          bank !== undefined && (
            <>
              <NativeSelect
                label={t("operator.institutions.provider")}
                value={bank.id}
                onChange={({ currentTarget }) => choose(currentTarget.value)}
                data={real.map((one) => ({
                  value: one.id,
                  label: isOneBank(one) ? one.name : wordOf("institutions", one.id),
                }))}
              />
              <Fields bank={bank} files={files} onFiles={setFiles} />
            </>
          )
        }
      </Read>
    </FormPanel>
  );
}

/** Keys of banks with an API of their own. */
const KEYS = ["appId", "asaasKey", "mercadoPagoToken"] as const;

const isOneBank = ({ profiles }: Bank): boolean => profiles.length === 0;

/** What an institution of a bank takes, of that which every operator has to fill in. */
function Fields({ bank, files, onFiles }: { bank: Bank; files: Files; onFiles: (files: Files) => void }) {
  const { t } = useTranslation();
  const { properties = {} } = bank.settings as { properties?: Record<string, unknown> };
  const takes = (name: string): boolean => Object.hasOwn(properties, name);
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
      {takes("clientId") && (
        <TextInput name="clientId" label={t("operator.institutions.clientId")} required autoComplete="off" />
      )}
      {takes("clientSecret") && (
        <PasswordInput
          name="clientSecret"
          label={t("operator.institutions.clientSecret")}
          required
          autoComplete="off"
        />
      )}
      {takes("starkId") && <StarkProject />}
      {KEYS.filter(takes).map((name) => (
        <PasswordInput key={name} name={name} label={t(`operator.institutions.${name}`)} required autoComplete="off" />
      ))}
      {takes("payerEmail") && (
        <TextInput
          name="payerEmail"
          type="email"
          label={t("operator.institutions.payerEmail")}
          required
          maxLength={255}
          autoComplete="off"
        />
      )}
      {takes("pixKey") && <TextInput name="pixKey" label={t("operator.institutions.pixKey")} required maxLength={77} />}
      {FILES.filter(({ name }) => takes(name)).map(({ name, accept }) => (
        <FileField
          key={name}
          label={t(`operator.institutions.${name}`)}
          accept={accept}
          file={files[name] ?? null}
          onFile={(file) => onFiles({ ...files, [name]: file })}
        />
      ))}
      {takes("passphrase") && (
        <PasswordInput name="passphrase" label={t("operator.institutions.passphrase")} autoComplete="off" />
      )}
      <p className="note">{t("operator.institutions.newText")}</p>
    </>
  );
}

/** A project of Stark Bank, and the workspace that it belongs to. */
function StarkProject() {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="starkId"
        label={t("operator.institutions.starkId")}
        required
        maxLength={128}
        autoComplete="off"
      />
      <TextInput
        name="starkWorkspace"
        label={t("operator.institutions.starkWorkspace")}
        description={t("operator.institutions.starkWorkspaceSeen")}
        maxLength={32}
        inputMode="numeric"
        autoComplete="off"
      />
    </>
  );
}

/** A file that is chosen, or dropped on the field. */
function FileField(props: { label: string; accept: string; file: File | null; onFile: (file: File | null) => void }) {
  const { t } = useTranslation();
  return (
    <FileInput
      label={props.label}
      accept={props.accept}
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

/** Files as the API takes them: PEM as text, PKCS#12 in base64. */
async function configOf(form: FormData, files: Files): Promise<Record<string, string>> {
  const config: Record<string, string> = {};
  const texts = [
    "profile",
    "baseUrl",
    "tokenUrl",
    "clientId",
    "clientSecret",
    ...KEYS,
    "starkId",
    "starkWorkspace",
    "payerEmail",
    "pixKey",
    "passphrase",
  ] as const;
  for (const name of texts) {
    const value = fieldOf(form, name);
    if (value !== "") config[name] = value;
  }
  for (const name of ["certificate", "privateKey", "starkKey"] as const) {
    const file = files[name];
    if (file) config[name] = await file.text();
  }
  if (files.p12) {
    const bytes = new Uint8Array(await files.p12.arrayBuffer());
    config.p12 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }
  // An empty passphrase belongs to a file without one.
  if (config.p12 !== undefined) config.passphrase ??= "";
  return config;
}
