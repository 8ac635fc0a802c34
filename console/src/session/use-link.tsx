import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Facts } from "../parts/facts.tsx";
import { Failure, Loading } from "../parts/feedback.tsx";
import { showDayTime } from "../parts/instant.ts";
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
      <h1>{t(`link.titles.${look?.purpose ?? "unknown"}`, { place: look?.account ?? t("link.operation") })}</h1>
      {look ? <Gives look={look} who={who} /> : error === null && <Loading />}
      {signedIn !== null && <SignedInAs signedIn={signedIn} replacedBy={isOwn || look === null ? null : who} />}
      {session === null && look?.purpose === "invitation" && error === null && (
        <p className="second">{t("link.signInWhy")}</p>
      )}
      {made !== null && <EndsWithMaker made={made} lead={t("link.endsWith")} busy={busy} onAnswer={use} />}
      {error !== null && made === null && <Failure error={error} />}
      {look && error === null && (
        <Button
          fullWidth
          size="md"
          loading={busy}
          // To become somebody else in this browser is not what is meant most often.
          variant={signedIn === null || isOwn ? "filled" : "default"}
          color={look.purpose === "recovery" ? "red" : undefined}
          onClick={() => use()}
        >
          {signedIn === null || isOwn ? t(`link.use.${look.purpose}`) : t("link.replace", { who })}
        </Button>
      )}
      {session !== null ? (
        <Button
          fullWidth
          size="md"
          variant={isOwn || look === null ? "default" : "filled"}
          onClick={() => onDone(session)}
        >
          {t("link.stay", { who: signedIn })}
        </Button>
      ) : (
        <Button fullWidth size="md" variant="default" onClick={onSignIn}>
          {t(look?.purpose === "recovery" ? "link.notNow" : "link.signIn")}
        </Button>
      )}
    </Door>
  );
}

/** Who is signed in, and whom the link would put in their place. */
function SignedInAs({ signedIn, replacedBy: who }: { signedIn: string; replacedBy: string | null }) {
  const { t } = useTranslation();
  return (
    <p className="strong">
      {t("link.signedIn", { who: signedIn })}{" "}
      {who !== null && <span className="door-then">{t("link.replaces", { who })}</span>}
    </p>
  );
}

/** To whom the link gives what, and until when. */
function Gives({ look, who }: { look: LinkShown; who: string }) {
  const { t, i18n } = useTranslation();
  const { purpose, role, account, madeBy, expiresAt } = look;
  // Whoever has the server's command line is nobody by name.
  const by = madeBy === null || madeBy === "command line" ? t("link.machine") : madeBy;
  const isRecovery = purpose === "recovery";
  const about = `${account === null ? "link" : "team"}.about.${role}`;
  return (
    <>
      <p>{t(`link.gives.${purpose}`, { who, by })}</p>
      {isRecovery && (
        <ul className="door-list">
          <li>{t("link.recoveryEnds")}</li>
          <li>{t("link.recoveryThen")}</li>
          <li>{t("link.recoveryNot")}</li>
        </ul>
      )}
      <Facts
        facts={[
          [t("link.place"), role === null ? null : (account ?? t("link.installation"))],
          [t("team.role"), role === null ? null : `${t(`team.roles.${role}`)}. ${t(about)}`],
          [t("team.madeBy"), isRecovery ? by : null],
          [t("team.expires"), showDayTime(new Date(expiresAt), i18n.language)],
        ]}
      />
    </>
  );
}
