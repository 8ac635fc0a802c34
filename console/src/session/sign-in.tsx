import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "../parts/feedback.tsx";
import { useLook } from "../parts/look.ts";
import { EndsWithMaker, madeIn } from "../team/ends-with-maker.tsx";
import { callConsole, type Session, SessionError } from "./calls.ts";
import { signInByPasskey } from "./passkey.ts";
import { goToProvider, type Methods } from "./provider.ts";
import { SecondFactorField, secondFactorOf } from "./second-factor.tsx";

/** Password, with a code where the person has a second factor; or a passkey, which needs nothing else. */
export default function SignIn({ refused, onSession }: { refused: unknown; onSession: (session: Session) => void }) {
  const { t } = useTranslation();
  const say = useErrorText();
  const [error, setError] = useState<unknown>(refused);
  const [busy, setBusy] = useState(false);
  const [codeAsked, setCodeAsked] = useState(false);
  const methods = useQuery({
    queryKey: ["methods"],
    queryFn: () => callConsole<Methods>("GET", "/session/methods"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  // Of a first sign-in at the provider.
  const made = madeIn(error);
  const { password = true, passkey = true, provider = null } = methods.data ?? {};
  const attempt = async (work: () => Promise<Session | null>) => {
    setBusy(true);
    setError(null);
    const onDone = (session: Session | null) => {
      if (session !== null) onSession(session);
    };
    await work().then(onDone, (refusal: unknown) => {
      const isAsked = refusal instanceof SessionError && refusal.code === "SECOND_FACTOR_REQUIRED";
      if (isAsked) setCodeAsked(true);
      // The first question for the code is no mistake of anybody's.
      setError(isAsked && !codeAsked ? null : refusal);
    });
    setBusy(false);
  };
  return (
    <main className="sign-in stack">
      <Title lead={t(password ? "signIn.lead" : "signIn.leadProvider")} />
      {password && (
        <PasswordForm
          busy={busy}
          codeAsked={codeAsked}
          onSubmit={(body) => void attempt(() => callConsole<Session>("POST", "/session/password", body))}
        />
      )}
      {passkey && (
        <Button variant="default" fullWidth loading={busy} onClick={() => void attempt(signInByPasskey)}>
          {t("signIn.passkey")}
        </Button>
      )}
      {provider !== null && (
        <Button
          variant={password ? "default" : "filled"}
          fullWidth
          loading={busy}
          onClick={() => void attempt(() => goToProvider(null).then(() => null))}
        >
          {t("signIn.provider", { provider })}
        </Button>
      )}
      {made !== null && (
        <EndsWithMaker
          made={made}
          lead={t("link.endsWith")}
          busy={busy}
          onAnswer={(answer) => void attempt(() => goToProvider(null, answer).then(() => null))}
        />
      )}
      {error !== null && error !== undefined && made === null && (
        <p role="alert" className="small failed-text">
          {say(error)}
        </p>
      )}
      <Help />
    </main>
  );
}

/** Where one signs in: a page that imitates this one has another address. */
function Title({ lead }: { lead: string }) {
  const { t } = useTranslation();
  return (
    <>
      <div>
        <h1>{t("signIn.title")}</h1>
        <p className="small quiet">{window.location.host}</p>
      </div>
      <p className="second">{lead}</p>
    </>
  );
}

/** For who cannot sign in, or cannot read this. */
function Help() {
  const { t } = useTranslation();
  const look = useLook();
  return (
    <>
      <p className="small quiet">{t("signIn.lost")}</p>
      <button type="button" className="act small" onClick={look.changeLanguage}>
        {look.otherLanguage}
      </button>
    </>
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
      <TextInput
        name="email"
        type="email"
        required
        withAsterisk={false}
        autoComplete="username webauthn"
        label={t("signIn.email")}
      />
      <PasswordInput
        name="password"
        required
        withAsterisk={false}
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
