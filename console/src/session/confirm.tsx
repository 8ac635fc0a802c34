import { Button, Modal, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../parts/feedback.tsx";
import { callConsole, type Session } from "./calls.ts";
import { SecondFactorField, secondFactorOf } from "./second-factor.tsx";

/** Asks who is signed in for the password again: what moves money or shows a secret needs it within five minutes. */
export function ConfirmSignIn(props: {
  session: Session;
  opened: boolean;
  onClose: () => void;
  onSession: (session: Session) => void;
}) {
  const { t } = useTranslation();
  const { session, onSession, onClose } = props;
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = { password: String(form.get("password") ?? ""), ...secondFactorOf(form) };
    setBusy(true);
    setError(null);
    try {
      onSession(await callConsole<Session>("POST", "/session/confirm", body, session.csrfToken));
      onClose();
    } catch (refused) {
      setError(refused);
    }
    setBusy(false);
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
      {session.person.email === null ? (
        <p className="second">{t("confirm.noPassword")}</p>
      ) : (
        <form className="stack" onSubmit={(event) => void submit(event)}>
          <p className="second">{t("confirm.text", { email: session.person.email })}</p>
          <PasswordInput
            name="password"
            label={t("signIn.password")}
            autoComplete="current-password"
            required
            data-autofocus
            visibilityToggleButtonProps={{ "aria-label": t("signIn.showPassword") }}
          />
          {session.hasAuthenticator && <SecondFactorField />}
          {error !== null && <Failure error={error} />}
          <Button type="submit" fullWidth loading={busy}>
            {t("confirm.confirm")}
          </Button>
        </form>
      )}
    </Modal>
  );
}
