import { Button, Modal, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../parts/feedback.tsx";
import { callConsole, type Session } from "./calls.ts";
import { confirmByPasskey } from "./passkey.ts";
import { goToProvider } from "./provider.ts";
import { SecondFactorField, secondFactorOf } from "./second-factor.tsx";

/** Asks who is signed in for a passkey or the password again: what moves money or shows a secret needs it within five minutes. */
export default function ConfirmSignIn(props: {
  session: Session;
  opened: boolean;
  onClose: () => void;
  onSession: (session: Session) => void;
}) {
  const { t } = useTranslation();
  const { session, onSession, onClose } = props;
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const { email } = session.person;
  const confirm = async (work: () => Promise<Session>) => {
    setBusy(true);
    setError(null);
    try {
      onSession(await work());
      onClose();
    } catch (refused) {
      setError(refused);
    }
    setBusy(false);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = { password: String(form.get("password") ?? ""), ...secondFactorOf(form) };
    void confirm(() => callConsole<Session>("POST", "/session/confirm", body, session.csrfToken));
  };
  return (
    <Modal
      opened={props.opened}
      onClose={onClose}
      title={t("confirm.title")}
      closeButtonProps={{ "aria-label": t("panel.close") }}
      transitionProps={{ duration: 120 }}
      zIndex={400}
    >
      <div className="stack">
        <p className="second">
          {session.hasPassword || session.hasPasskey || session.hasProvider
            ? t("confirm.text", { who: email ?? session.person.name })
            : t("confirm.noPassword")}
        </p>
        <Others session={session} busy={busy} confirm={(work) => void confirm(work)} />
        {session.hasPassword && (
          <form className="stack" onSubmit={submit}>
            <PasswordInput
              name="password"
              label={t("signIn.password")}
              autoComplete="current-password"
              required
              withAsterisk={false}
              data-autofocus
              visibilityToggleButtonProps={{ "aria-label": t("signIn.showPassword") }}
            />
            {session.hasAuthenticator && <SecondFactorField />}
            <Button type="submit" fullWidth loading={busy}>
              {t("confirm.confirm")}
            </Button>
          </form>
        )}
        {error !== null && <Failure error={error} />}
      </div>
    </Modal>
  );
}

/** Ways to confirm beside the password. */
function Others(props: { session: Session; busy: boolean; confirm: (work: () => Promise<Session>) => void }) {
  const { t } = useTranslation();
  const { session, busy, confirm } = props;
  return (
    <>
      {session.hasPasskey && (
        <Button
          fullWidth
          variant={session.hasPassword ? "default" : "filled"}
          loading={busy}
          onClick={() => confirm(() => confirmByPasskey(session))}
        >
          {t("confirm.passkey")}
        </Button>
      )}
      {session.hasProvider && (
        <Button
          fullWidth
          variant="default"
          loading={busy}
          onClick={() => confirm(() => goToProvider(session).then(() => session))}
        >
          {t("confirm.provider")}
        </Button>
      )}
    </>
  );
}
