import { Button, PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "../parts/feedback.tsx";
import { callConsole, type Session, SessionError } from "./calls.ts";

/** Password, with a code where the person has a second factor; or a passkey, where the installation has them. */
export function SignIn({ refused, onSession }: { refused: unknown; onSession: (session: Session) => void }) {
  const { t } = useTranslation();
  const say = useErrorText();
  const [error, setError] = useState<unknown>(refused);
  const [busy, setBusy] = useState(false);
  const attempt = async (work: () => Promise<Session>) => {
    setBusy(true);
    setError(null);
    await work().then(onSession, setError);
    setBusy(false);
  };
  return (
    <main className="sign-in stack">
      <h1>{t("signIn.title")}</h1>
      <p className="second">{t("signIn.lead")}</p>
      <PasswordForm
        busy={busy}
        codeAsked={error instanceof SessionError && error.code === "SECOND_FACTOR_REQUIRED"}
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

type PasswordBody = { email: string; password: string; code?: string };

function PasswordForm(props: { busy: boolean; codeAsked: boolean; onSubmit: (body: PasswordBody) => void }) {
  const { t } = useTranslation();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const field = (name: string) => String(form.get(name) ?? "").trim();
    const code = field("code");
    props.onSubmit({
      email: field("email"),
      password: String(form.get("password") ?? ""),
      ...(code !== "" && { code }),
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
      {props.codeAsked && (
        <TextInput
          name="code"
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          label={t("signIn.code")}
          description={t("signIn.codeHelp")}
        />
      )}
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
