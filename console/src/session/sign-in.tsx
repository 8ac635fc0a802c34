import "@mantine/core/styles/ActionIcon.css";
import "@mantine/core/styles/PasswordInput.css";
import { Button, type ButtonProps, PasswordInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "../parts/feedback.tsx";
import { EndsWithMaker, madeIn } from "../team/ends-with-maker.tsx";
import { callConsole, type Session, SessionError } from "./calls.ts";
import { Door } from "./door.tsx";
import { signInByPasskey } from "./passkey.ts";
import { goToProvider, type Methods } from "./provider.ts";
import { SecondFactorField, secondFactorOf } from "./second-factor.tsx";

/** Ways to sign in; the one that is under way shows it, and where it is refused, beside itself. */
type Way = "passkey" | "provider" | "password";

type Work = () => Promise<Session | null>;

/** One attempt at a time: which is under way, which was refused and why, and whether it asked for a second factor. */
function useAttempt(refused: unknown, onSession: (session: Session) => void) {
  const [error, setError] = useState<unknown>(refused);
  const [busy, setBusy] = useState<Way | null>(null);
  const [failed, setFailed] = useState<Way | null>(null);
  const [codeAsked, setCodeAsked] = useState(false);
  const attempt = async (way: Way, work: Work) => {
    setBusy(way);
    setFailed(way);
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
    setBusy(null);
  };
  const begin = () => {
    setCodeAsked(false);
    setError(null);
  };
  return { error, busy, failed, codeAsked, begin, attempt: (way: Way, work: Work) => void attempt(way, work) };
}

/** A passkey, which needs nothing else; or a password, with a code where the person has a second factor. */
export default function SignIn({ refused, onSession }: { refused: unknown; onSession: (session: Session) => void }) {
  const { t } = useTranslation();
  const say = useErrorText();
  // What the code, which is asked for next, adds to.
  const [given, setGiven] = useState<PasswordBody | null>(null);
  const { error, busy, failed, codeAsked, begin, attempt } = useAttempt(refused, onSession);
  const methods = useQuery({
    queryKey: ["methods"],
    queryFn: () => callConsole<Methods>("GET", "/session/methods"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  // Of a first sign-in at the provider.
  const made = madeIn(error);
  const { password = true, passkey = true, provider = null } = methods.data ?? {};
  // Nobody can be tricked into giving a passkey away. A browser without them has the password, a company its provider.
  const first: Way = !password ? "provider" : "PublicKeyCredential" in window ? "passkey" : "password";
  const alert = (way: Way | null) =>
    failed === way &&
    error !== null &&
    error !== undefined &&
    made === null && (
      <p role="alert" className="small failed-text">
        {say(error)}
      </p>
    );
  const looks = (way: Way): ButtonProps => ({
    ...{ fullWidth: true, size: "md", variant: way === first ? "filled" : "default" },
    ...{ loading: busy === way, disabled: busy !== null && busy !== way },
  });
  const byPassword = (body: PasswordBody) => {
    setGiven(body);
    attempt("password", () => callConsole<Session>("POST", "/session/password", body));
  };
  if (codeAsked && given !== null) {
    const send = (code: SecondFactor) => byPassword({ ...given, ...code });
    const refusal = alert("password");
    return <CodePage {...{ busy: busy !== null, email: given.email, refusal, onSubmit: send, onBack: begin }} />;
  }
  return (
    <Door>
      <h1>{t("signIn.title")}</h1>
      {alert(null)}
      {passkey && (
        <Button {...looks("passkey")} onClick={() => attempt("passkey", signInByPasskey)}>
          {t("signIn.passkey")}
        </Button>
      )}
      {alert("passkey")}
      {provider !== null && (
        <Button {...looks("provider")} onClick={() => attempt("provider", () => goToProvider(null).then(() => null))}>
          {t("signIn.provider", { provider })}
        </Button>
      )}
      {alert("provider")}
      {made !== null && (
        <EndsWithMaker
          made={made}
          lead={t("link.endsWith")}
          busy={busy !== null}
          onAnswer={(answer) => attempt("provider", () => goToProvider(null, answer).then(() => null))}
        />
      )}
      {password && <PasswordForm button={looks("password")} email={given?.email ?? ""} onSubmit={byPassword} />}
      {alert("password")}
      <p className="small quiet">{t("signIn.lost")}</p>
    </Door>
  );
}

type PasswordBody = { readonly email: string; readonly password: string };

function PasswordForm(props: { button: ButtonProps; email: string; onSubmit: (body: PasswordBody) => void }) {
  const { t } = useTranslation();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    props.onSubmit({ email: String(form.get("email") ?? "").trim(), password: String(form.get("password") ?? "") });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <h2 className="door-or">{t("signIn.byPassword")}</h2>
      <TextInput
        name="email"
        type="email"
        required
        withAsterisk={false}
        autoComplete="username webauthn"
        label={t("signIn.email")}
        defaultValue={props.email}
      />
      <PasswordInput
        name="password"
        required
        withAsterisk={false}
        autoComplete="current-password"
        label={t("signIn.password")}
        visibilityToggleButtonProps={{ "aria-label": t("signIn.showPassword") }}
      />
      <Button type="submit" {...props.button}>
        {t("signIn.withPassword")}
      </Button>
    </form>
  );
}

type SecondFactor = ReturnType<typeof secondFactorOf>;

/** The password was right: what is missing is the code. */
function CodePage(props: {
  busy: boolean;
  email: string;
  refusal: ReactNode;
  onSubmit: (code: SecondFactor) => void;
  onBack: () => void;
}) {
  const { t } = useTranslation();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    props.onSubmit(secondFactorOf(new FormData(event.currentTarget)));
  };
  return (
    <Door>
      <h1>{t("signIn.codeTitle")}</h1>
      <p className="second">{t("signIn.codeFor", { email: props.email })}</p>
      <form className="stack" onSubmit={submit}>
        <SecondFactorField isFirst>
          <Button type="submit" fullWidth size="md" loading={props.busy}>
            {t("signIn.enter")}
          </Button>
          {props.refusal}
        </SecondFactorField>
      </form>
      <button type="button" className="act" onClick={props.onBack}>
        {t("signIn.back")}
      </button>
    </Door>
  );
}
