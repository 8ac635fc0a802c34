import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { useChange } from "../parts/change.ts";
import { Failure, Read } from "../parts/feedback.tsx";
import { showInFull } from "../parts/instant.ts";
import { Section } from "../parts/page.tsx";
import { Panel } from "../parts/panel.tsx";
import { readAgain } from "../parts/read-again.ts";
import { RecoveryCodes, SetUpAuthenticator } from "../session/authenticator.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";

/** The person's authenticator app, and the recovery codes that stand in for it. */
export function SecondFactor() {
  const { t } = useTranslation();
  const { session } = useSession();
  const query = useQuery({
    queryKey: ["totp"],
    queryFn: () => callConsole<Answers["readAuthenticator"]>("GET", "/me/totp"),
  });
  // It adds to a password, and the section above says that there can be none.
  if (session.person.email === null) return null;
  return (
    <Section title={t("authenticator.title")}>
      {!session.hasPassword ? (
        <p className="small quiet pad-top">{t("authenticator.needsPassword")}</p>
      ) : (
        <Read query={query} lines={2}>
          {(state) => <Own state={state} />}
        </Read>
      )}
    </Section>
  );
}

function Own({ state: { since, required, recoveryCodesLeft } }: { state: Answers["readAuthenticator"] }) {
  const { t, i18n } = useTranslation();
  const { session, replace } = useSession();
  const queries = useQueryClient();
  const [setting, setSetting] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const renew = useChange(
    () => callConsole<Answers["replaceRecoveryCodes"]>("POST", "/me/recovery-codes", {}, session.csrfToken),
    ({ recoveryCodes }) => setCodes(recoveryCodes),
  );
  const remove = useChange(
    () => callConsole<void>("DELETE", "/me/totp", undefined, session.csrfToken),
    () => replace({ ...session, hasAuthenticator: false }),
  );
  return (
    <div className="stack pad-top narrow">
      <p className="second">
        {since === null
          ? t("authenticator.off")
          : `${t("authenticator.on", { when: showInFull(new Date(since), i18n.language) })} ${t("authenticator.left", { count: recoveryCodesLeft })}`}
      </p>
      {(renew.error ?? remove.error) && <Failure error={renew.error ?? remove.error} />}
      <div className="flow">
        <Button variant={since === null ? "filled" : "default"} onClick={() => setSetting(true)}>
          {since === null ? t("authenticator.begin") : t("authenticator.another")}
        </Button>
        {since !== null && (
          <Button variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>
            {t("authenticator.newCodes")}
          </Button>
        )}
        {since !== null && !required && (
          <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
            {t("authenticator.remove")}
          </Button>
        )}
      </div>
      <Panel title={t("authenticator.title")} opened={setting} onClose={() => setSetting(false)}>
        <SetUpAuthenticator
          session={session}
          onDone={(next) => {
            replace(next);
            setSetting(false);
            void readAgain(queries);
          }}
        />
      </Panel>
      <Panel title={t("authenticator.newCodes")} opened={codes !== null} onClose={() => setCodes(null)}>
        {codes !== null && <RecoveryCodes codes={codes} onKept={() => setCodes(null)} />}
      </Panel>
    </div>
  );
}
