import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../parts/feedback.tsx";
import { callConsole, type Session } from "./calls.ts";

type Look = {
  readonly purpose: "first" | "invitation" | "recovery";
  readonly email: string | null;
  readonly name: string | null;
  readonly role: string | null;
  readonly account: string | null;
  readonly madeBy: string | null;
};

/** A link that was opened by somebody who is signed in: whose it is and what it gives, before anything of it is used. */
export default function UseLink(props: {
  session: Session;
  token: string;
  /** With the session that goes on. */
  onDone: (session: Session) => void;
}) {
  const { t } = useTranslation();
  const { session, token, onDone } = props;
  const [look, setLook] = useState<Look | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = `${t("link.title")} · Pixgate`;
    callConsole<Look>("POST", "/session/link/look", { token }).then(setLook, setError);
  }, [t, token]);
  const use = (replace: boolean) => {
    setBusy(true);
    callConsole<Session>("POST", "/session/link", { token, replace })
      .then(onDone, setError)
      .finally(() => setBusy(false));
  };
  const signedIn = session.person.email ?? session.person.name;
  const isOwn = look?.email !== null && look?.email === session.person.email;
  return (
    <main className="sign-in stack">
      <h1>{t("link.title")}</h1>
      <p>{t("link.signedIn", { who: signedIn })}</p>
      {look && <p>{t("link.whose", { who: look.email ?? look.name ?? "" })}</p>}
      {look && <p className="second">{t(`link.gives.${look.purpose}`, given(look, t))}</p>}
      {error !== null && <Failure error={error} />}
      {look && error === null && (
        <Button loading={busy} color={isOwn ? undefined : "red"} onClick={() => use(!isOwn)}>
          {isOwn ? t("link.accept") : t("link.replace", { who: look.email ?? look.name ?? "" })}
        </Button>
      )}
      <Button variant="default" onClick={() => onDone(session)}>
        {t("link.stay", { who: signedIn })}
      </Button>
    </main>
  );
}

const given = ({ role, account, madeBy }: Look, t: (key: string) => string) => ({
  role: role === null ? "" : t(`team.roles.${role}`),
  place: account ?? t("link.installation"),
  by: madeBy ?? "Pixgate",
});
