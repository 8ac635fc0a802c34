import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../parts/feedback.tsx";
import { AddPasskey } from "./add-passkey.tsx";
import { SetUpAuthenticator } from "./authenticator.tsx";
import { callConsole, type Session } from "./calls.ts";
import { Door } from "./door.tsx";
import { NewPassword } from "./new-password.tsx";

/** What production needs of a person before anything else: a passkey, or a password and an authenticator that adds to it. */
export default function Enrol({ session, onSession }: { session: Session; onSession: (session: Session) => void }) {
  const { t } = useTranslation();
  const [error, setError] = useState<unknown>(null);
  // With a password a passkey is not enough any more: who knew the password would sign in without a second factor.
  const isSecond = session.missing[0] !== "password";
  useEffect(() => {
    document.title = `${t("enrol.title")} · Pixgate`;
  }, [t]);
  const reread = () => void callConsole<Session>("GET", "/session").then(onSession, setError);
  return (
    <Door>
      <h1>{t("enrol.title")}</h1>
      <p className="second">{t(isSecond ? "enrol.leadSecond" : "enrol.lead")}</p>
      {error !== null && <Failure error={error} retry={reread} />}
      {isSecond ? (
        <>
          <h2 className="door-step">{t("enrol.authenticator")}</h2>
          <SetUpAuthenticator session={session} isPage onDone={onSession} />
        </>
      ) : (
        <>
          <h2 className="door-step">{t("enrol.passkey")}</h2>
          <AddPasskey session={session} isFirst onDone={onSession} />
          <h2 className="door-step">{t("enrol.password")}</h2>
          <NewPassword session={session} button={t("enrol.choose")} isFirst={false} onDone={reread} />
        </>
      )}
    </Door>
  );
}
