import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";

/** Of the field that the screen is for. */
const focus = (field: HTMLInputElement | null) => field?.focus();

/** The field for a code of the authenticator. `isFirst`: nothing else of the screen is filled in before it. */
export function CodeField({ isFirst = false }: { isFirst?: boolean }) {
  const { t } = useTranslation();
  return (
    <TextInput
      {...(isFirst && { ref: focus })}
      name="code"
      required
      withAsterisk={false}
      maxLength={10}
      inputMode="numeric"
      autoComplete="one-time-code"
      label={t("signIn.code")}
    />
  );
}

/** The field for a code of the authenticator, or for a recovery code in its place; `children` send it. */
export function SecondFactorField({ isFirst = false, children }: { isFirst?: boolean; children: ReactNode }) {
  const { t } = useTranslation();
  const [recovering, setRecovering] = useState(false);
  return (
    <>
      {recovering ? (
        <TextInput
          key="recovery"
          {...(isFirst && { ref: focus })}
          name="recoveryCode"
          required
          withAsterisk={false}
          maxLength={40}
          autoComplete="off"
          label={t("signIn.recoveryCode")}
          description={t("signIn.recoveryHelp")}
        />
      ) : (
        <CodeField key="code" isFirst={isFirst} />
      )}
      {children}
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
