import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";

/** The field for a code of the authenticator. */
export function CodeField() {
  const { t } = useTranslation();
  return (
    <TextInput
      name="code"
      required
      withAsterisk={false}
      maxLength={10}
      inputMode="numeric"
      autoComplete="one-time-code"
      label={t("signIn.code")}
      description={t("signIn.codeHelp")}
    />
  );
}

/** The field for a code of the authenticator, or for a recovery code in its place. */
export function SecondFactorField() {
  const { t } = useTranslation();
  const [recovering, setRecovering] = useState(false);
  return (
    <>
      {recovering ? (
        <TextInput
          key="recovery"
          name="recoveryCode"
          required
          withAsterisk={false}
          maxLength={40}
          autoComplete="off"
          label={t("signIn.recoveryCode")}
          description={t("signIn.recoveryHelp")}
        />
      ) : (
        <CodeField key="code" />
      )}
      <button type="button" className="act" onClick={() => setRecovering(!recovering)}>
        {recovering ? t("signIn.useApp") : t("signIn.useRecovery")}
      </button>
    </>
  );
}

/** What a form gives beside the password: nothing, a code, or a recovery code. */
export function secondFactorOf(form: FormData): { code?: string; recoveryCode?: string } {
  const field = (name: string) => String(form.get(name) ?? "").trim();
  const [code, recoveryCode] = [field("code"), field("recoveryCode")];
  return { ...(code !== "" && { code }), ...(recoveryCode !== "" && { recoveryCode }) };
}
