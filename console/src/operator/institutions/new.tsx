import { Button, FileInput, NativeSelect, PasswordInput, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../../parts/feedback.tsx";
import { useAddress } from "../../parts/filters.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/session.tsx";

/** Connects a bank; its panel then offers the test. */
export function NewInstitution({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const queries = useQueryClient();
  const address = useAddress();
  const [provider, setProvider] = useState<"efi" | "api-pix">("efi");
  const create = useMutation({
    mutationFn: async (form: FormData) =>
      operator.institutions.create({
        name: text(form, "name"),
        provider,
        environment: session.environment,
        config: await configOf(form),
      }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ["operator"] });
      address.change({ new: null, open: id });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate(new FormData(event.currentTarget));
  };
  return (
    <Panel title={t("operator.institutions.new")} opened={opened} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <NativeSelect
          label={t("operator.institutions.provider")}
          value={provider}
          onChange={({ currentTarget }) => setProvider(currentTarget.value === "efi" ? "efi" : "api-pix")}
          data={[
            { value: "efi", label: "Efí" },
            { value: "api-pix", label: t("operator.institutions.api-pix") },
          ]}
        />
        <TextInput name="name" label={t("operator.institutions.name")} required maxLength={100} data-autofocus />
        {provider === "api-pix" && <TextInput name="profile" label={t("operator.institutions.profile")} required />}
        <TextInput name="clientId" label={t("operator.institutions.clientId")} required autoComplete="off" />
        <PasswordInput
          name="clientSecret"
          label={t("operator.institutions.clientSecret")}
          required
          autoComplete="off"
        />
        <TextInput name="pixKey" label={t("operator.institutions.pixKey")} required maxLength={77} />
        <FileInput
          name="certificate"
          label={t("operator.institutions.certificate")}
          accept=".pem,.crt,.cer"
          clearable
        />
        <FileInput name="privateKey" label={t("operator.institutions.privateKey")} accept=".pem,.key" clearable />
        <FileInput name="p12" label={t("operator.institutions.p12")} accept=".p12,.pfx" clearable />
        <PasswordInput name="passphrase" label={t("operator.institutions.passphrase")} autoComplete="off" />
        <p className="note">{t("operator.institutions.newText")}</p>
        {create.error && <Failure error={create.error} />}
        <Button type="submit" loading={create.isPending}>
          {t("operator.institutions.add")}
        </Button>
      </form>
    </Panel>
  );
}

const text = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
};

/** Files as the API takes them: PEM as text, PKCS#12 in base64. */
async function configOf(form: FormData): Promise<Record<string, string>> {
  const config: Record<string, string> = {};
  for (const name of ["profile", "clientId", "clientSecret", "pixKey", "passphrase"] as const) {
    const value = text(form, name);
    if (value !== "") config[name] = value;
  }
  for (const name of ["certificate", "privateKey"] as const) {
    const file = form.get(name);
    if (file instanceof File && file.size > 0) config[name] = await file.text();
  }
  const p12 = form.get("p12");
  if (p12 instanceof File && p12.size > 0) {
    const bytes = new Uint8Array(await p12.arrayBuffer());
    config.p12 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }
  // An empty passphrase belongs to a file without one.
  if (config.p12 !== undefined) config.passphrase ??= "";
  return config;
}
