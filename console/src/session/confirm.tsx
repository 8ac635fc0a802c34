import "@mantine/core/styles/ActionIcon.css";
import "@mantine/core/styles/PasswordInput.css";
import "../parts/over.ts";
import "./door.css";
import { Button, Modal, PasswordInput } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useSearch } from "wouter";
import { Failure } from "../parts/feedback.tsx";
import { callConsole, type Session } from "./calls.ts";
import { confirmByPasskey } from "./passkey.ts";
import { goToProvider } from "./provider.ts";
import type { Refused } from "./refused.ts";
import { SecondFactorField, secondFactorOf } from "./second-factor.tsx";

/**
 * Asks who is signed in for a passkey or the password again: what moves money or shows a secret needs it within five minutes.
 * `act` is the change that they asked for, which is done once they have confirmed; null: something that the screen reads.
 */
export default function ConfirmSignIn(props: {
  session: Session;
  act: Refused["act"];
  onClose: () => void;
  onSession: (session: Session) => void;
}) {
  const { t } = useTranslation();
  const { session, act, onSession, onClose } = props;
  const [error, setError] = useState<unknown>(null);
  useLeft(onClose);
  const [busy, setBusy] = useState(false);
  const confirm = async (work: () => Promise<Session | null>) => {
    setBusy(true);
    setError(null);
    try {
      const confirmed = await work();
      if (confirmed !== null) onSession(confirmed);
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
  const isOther = session.hasPasskey || session.hasProvider;
  const submitButton = (
    <Button type="submit" fullWidth variant={session.hasPasskey ? "default" : "filled"} loading={busy}>
      {t("confirm.password")}
    </Button>
  );
  return (
    <Modal
      className="confirming"
      opened
      onClose={onClose}
      title={<strong>{t("confirm.title")}</strong>}
      closeButtonProps={{ "aria-label": t("panel.close") }}
      transitionProps={{ duration: 120 }}
      zIndex={400}
    >
      <div className="stack">
        <What session={session} act={act} />
        <Others session={session} busy={busy} confirm={(work) => void confirm(work)} />
        {session.hasPassword && (
          <form className="stack" onSubmit={submit}>
            {isOther && <h2 className="door-or">{t("confirm.orPassword")}</h2>}
            <PasswordInput
              name="password"
              label={t("signIn.password")}
              autoComplete="current-password"
              required
              withAsterisk={false}
              {...(!session.hasPasskey && { "data-autofocus": true })}
              visibilityToggleButtonProps={{ "aria-label": t("signIn.showPassword") }}
            />
            {session.hasAuthenticator ? <SecondFactorField>{submitButton}</SecondFactorField> : submitButton}
          </form>
        )}
        {error !== null && <Failure error={error} />}
      </div>
    </Modal>
  );
}

/** Calls `onLeft` when the screen behind goes: nothing is done for a screen that could not show its outcome, such as a secret. */
function useLeft(onLeft: () => void): void {
  const place = useLocation()[0] + useSearch();
  const [begun] = useState(place);
  useEffect(() => {
    if (place !== begun) onLeft();
  }, [place, begun, onLeft]);
}

/** What is done once it is confirmed; or why it cannot be. */
function What({ session, act }: { session: Session; act: Refused["act"] }) {
  const { t } = useTranslation();
  if (!session.hasPassword && !session.hasPasskey && !session.hasProvider) {
    return <p className="second">{t("confirm.noPassword")}</p>;
  }
  return (
    <>
      {act?.button && (
        <p>
          {t("confirm.asked")} <strong>{act.button}</strong>
        </p>
      )}
      <p className="second">{t(act === null ? "confirm.toSee" : "confirm.toDo")}</p>
    </>
  );
}

/** Ways to confirm beside the password. */
function Others(props: { session: Session; busy: boolean; confirm: (work: () => Promise<Session | null>) => void }) {
  const { t } = useTranslation();
  const { session, busy, confirm } = props;
  return (
    <>
      {session.hasPasskey && (
        <Button fullWidth data-autofocus loading={busy} onClick={() => confirm(() => confirmByPasskey(session))}>
          {t("confirm.passkey")}
        </Button>
      )}
      {session.hasProvider && (
        <Button
          fullWidth
          variant="default"
          loading={busy}
          onClick={() => confirm(() => goToProvider(session).then(() => null))}
        >
          {t("confirm.provider")}
        </Button>
      )}
      {session.hasProvider && <p className="small quiet">{t("confirm.atProvider")}</p>}
    </>
  );
}
