import { Button, PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "../parts/feedback.tsx";
import { callConsole, type Session, SessionError } from "./calls.ts";
import { SecondFactorField, secondFactorOf } from "./second-factor.tsx";

/** Password, with a code where the person has a second factor; or a passkey, where the installation has them. */
export function SignIn({ refused, onSession }: { refused: unknown; onSession: (session: Session) => void }) {
  const { t } = useTranslation();
  const say = useErrorText();
  const [error, setError] = useState<unknown>(refused);
  const [busy, setBusy] = useState(false);
  const [codeAsked, setCodeAsked] = useState(false);
  const attempt = async (work: () => Promise<Session>) => {
    setBusy(true);
    setError(null);
    await work().then(onSession, (refusal: unknown) => {
      const isAsked = refusal instanceof SessionError && refusal.code === "SECOND_FACTOR_REQUIRED";
      if (isAsked) setCodeAsked(true);
      // The first question for the code is no mistake of anybody's.
      setError(isAsked && !codeAsked ? null : refusal);
    });
    setBusy(false);
  };
  return (
    <main className="sign-in stack">
      <h1>{t("signIn.title")}</h1>
      <p className="second">{t("signIn.lead")}</p>
      <PasswordForm
        busy={busy}
        codeAsked={codeAsked}
        onSubmit={(body) => void attempt(() => callConsole<Session>("POST", "/session/password", body))}
      />
      <Button variant="default" fullWidth loading={busy} onClick={() => void attempt(withPasskey)}>
        {t("signIn.passkey")}
      </Button>
      {error !== null && error !== undefined && (
        <p role="alert" className="small" style={{ color: "var(--failed)" }}>
          {error instanceof SessionError && error.status === 404 ? t("signIn.noPasskeys") : say(error)}
        </p>
      )}
    </main>
  );
}

type PasswordBody = { email: string; password: string; code?: string; recoveryCode?: string };

function PasswordForm(props: { busy: boolean; codeAsked: boolean; onSubmit: (body: PasswordBody) => void }) {
  const { t } = useTranslation();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    props.onSubmit({
      email: String(form.get("email") ?? "").trim(),
      password: String(form.get("password") ?? ""),
      ...secondFactorOf(form),
    });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput name="email" type="email" required autoComplete="username webauthn" label={t("signIn.email")} />
      <PasswordInput
        name="password"
        required
        autoComplete="current-password"
        label={t("signIn.password")}
        visibilityToggleButtonProps={{ "aria-label": t("signIn.showPassword") }}
      />
      {props.codeAsked && <SecondFactorField />}
      <Button type="submit" fullWidth size="md" loading={props.busy}>
        {t("signIn.withPassword")}
      </Button>
    </form>
  );
}

async function withPasskey(): Promise<Session> {
  // Loaded when it is asked for: most people stay signed in.
  const { startAuthentication } = await import("@simplewebauthn/browser");
  type Options = Parameters<typeof startAuthentication>[0]["optionsJSON"];
  const optionsJSON = await callConsole<Options>("POST", "/session/passkey/options", {});
  const response = await startAuthentication({ optionsJSON });
  return callConsole<Session>("POST", "/session/passkey", { response });
}
