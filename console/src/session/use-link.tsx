import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../parts/feedback.tsx";
import { EndsWithMaker, type MadeAnswer, madeIn } from "../team/ends-with-maker.tsx";
import { callConsole, type LinkShown, lookAtLink, type Session } from "./calls.ts";
import { Door } from "./door.tsx";

/** A link that was opened: whose it is and what it gives, before anything of it is used. */
export default function UseLink(props: {
  /** Who is signed in; null: nobody. */
  session: Session | null;
  token: string;
  /** The link is for somebody who can sign in already. */
  onSignIn: () => void;
  /** With the session that goes on. */
  onDone: (session: Session) => void;
}) {
  const { t } = useTranslation();
  const { session, token, onSignIn, onDone } = props;
  const [look, setLook] = useState<LinkShown | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = `${t("link.title")} · Pixgate`;
    lookAtLink(token).then(setLook, setError);
  }, [t, token]);
  const signedIn = session === null ? null : (session.person.email ?? session.person.name);
  const isOwn = session !== null && look !== null && look.email !== null && look.email === session.person.email;
  const use = (made?: MadeAnswer) => {
    setBusy(true);
    setError(null);
    callConsole<Session>("POST", "/session/link", { token, replace: !isOwn, ...(made && { made }) })
      .then(onDone, setError)
      .finally(() => setBusy(false));
  };
  const made = madeIn(error);
  const who = look?.email ?? look?.name ?? "";
  return (
    <Door>
      <h1>{t(`link.titles.${look?.purpose ?? "unknown"}`)}</h1>
      {look && <p>{t(`link.gives.${look.purpose}`, { who, ...given(look, t) })}</p>}
      {signedIn !== null && <p className="second">{t("link.signedIn", { who: signedIn })}</p>}
      {made !== null && <EndsWithMaker made={made} lead={t("link.endsWith")} busy={busy} onAnswer={use} />}
      {error !== null && made === null && <Failure error={error} />}
      {look && error === null && (
        <Button fullWidth loading={busy} color={signedIn === null || isOwn ? undefined : "red"} onClick={() => use()}>
          {signedIn === null || isOwn ? t(`link.use.${look.purpose}`) : t("link.replace", { who })}
        </Button>
      )}
      {session !== null ? (
        <Button fullWidth variant="default" onClick={() => onDone(session)}>
          {t("link.stay", { who: signedIn })}
        </Button>
      ) : (
        look?.purpose !== "recovery" && (
          <>
            <Button fullWidth variant="default" onClick={onSignIn}>
              {t("link.signIn")}
            </Button>
            {look && error === null && <p className="second small">{t("link.signInWhy")}</p>}
          </>
        )
      )}
    </Door>
  );
}

const given = ({ role, account, madeBy }: LinkShown, t: (key: string) => string) => ({
  role: role === null ? "" : t(`team.roles.${role}`),
  place: account ?? t("link.installation"),
  // Whoever has the server's command line is nobody by name.
  by: madeBy === null || madeBy === "command line" ? t("link.machine") : madeBy,
});
