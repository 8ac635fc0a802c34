import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { copy } from "../parts/copy.ts";
import { Failure, Loading } from "../parts/feedback.tsx";
import { Secret } from "../parts/secret.tsx";
import { callConsole, type Session } from "./calls.ts";
import { CodeField } from "./second-factor.tsx";

type Made = Answers["enrolAuthenticator"];
type Confirmed = Answers["confirmAuthenticator"];

/** Sets up an authenticator app: its QR code, the first code, and the recovery codes, which are shown once. */
export function SetUpAuthenticator(props: {
  session: Session;
  /** It is what a page shows: a reload alone must not make another secret, which would void the one that the app has read. */
  isPage?: boolean;
  onDone: (session: Session) => void;
}) {
  const { t } = useTranslation();
  const { session, isPage = false, onDone } = props;
  const [hasBegun, setBegun] = useState(!isPage);
  const make = useMutation({ mutationFn: () => callConsole<Made>("POST", "/me/totp", {}, session.csrfToken) });
  const [confirmed, setConfirmed] = useState<Confirmed | null>(null);
  const { mutate } = make;
  // A secret counts from its first code on: making one ends only the one before that was not confirmed.
  useEffect(() => {
    if (hasBegun) mutate();
  }, [hasBegun, mutate]);
  if (confirmed !== null) {
    return <RecoveryCodes codes={confirmed.recoveryCodes} onKept={() => onDone(confirmed.session)} />;
  }
  return (
    <>
      <p className="second">{t("authenticator.text")}</p>
      {make.data !== undefined ? (
        <FirstCode made={make.data} session={session} onConfirmed={setConfirmed} />
      ) : make.error ? (
        <Failure error={make.error} retry={mutate} />
      ) : hasBegun ? (
        <Loading />
      ) : (
        <Button fullWidth onClick={() => setBegun(true)}>
          {t("authenticator.begin")}
        </Button>
      )}
    </>
  );
}

function FirstCode(props: { made: Made; session: Session; onConfirmed: (confirmed: Confirmed) => void }) {
  const { t } = useTranslation();
  const { made, session, onConfirmed } = props;
  const isPhone = useMediaQuery("(max-width: 760px)", undefined, { getInitialValueInEffect: false });
  const confirm = useMutation({
    mutationFn: (code: string) => callConsole<Confirmed>("POST", "/me/totp/confirm", { code }, session.csrfToken),
    onSuccess: onConfirmed,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    confirm.mutate(String(new FormData(event.currentTarget).get("code") ?? "").trim());
  };
  return (
    <form className="stack" onSubmit={submit}>
      {isPhone && (
        <Button component="a" href={made.uri} fullWidth>
          {t("authenticator.open")}
        </Button>
      )}
      <p className="second">{t(isPhone ? "authenticator.scanElsewhere" : "authenticator.scan")}</p>
      <img className="authenticator-qr" src={made.qrCode} alt={t("authenticator.qr")} width={200} height={200} />
      <div>
        <div className="label">{t("authenticator.secret")}</div>
        <code className="mono small authenticator-secret">{made.secret.replaceAll(/(.{4})(?=.)/g, "$1 ")}</code>
      </div>
      <button type="button" className="act small" onClick={() => copy(made.secret)}>
        {t("authenticator.copy")}
      </button>
      <CodeField isFirst={!isPhone} />
      {confirm.error && <Failure error={confirm.error} />}
      <Button type="submit" loading={confirm.isPending}>
        {t("authenticator.confirm")}
      </Button>
    </form>
  );
}

/** Codes that stand in for the app, shown once. */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const { t } = useTranslation();
  return (
    <>
      <p>{t("authenticator.codes")}</p>
      <Secret text={codes.join("\n")} onKept={onKept} />
    </>
  );
}
