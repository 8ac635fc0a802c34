import { Button, TextInput } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChange } from "../parts/change.ts";
import { Facts } from "../parts/facts.tsx";
import { Failure } from "../parts/feedback.tsx";
import { Id } from "../parts/id.tsx";
import { showInFull } from "../parts/instant.ts";
import { Section } from "../parts/page.tsx";
import { Secret } from "../parts/secret.tsx";
import { callConsole } from "../session/calls.ts";
import { useSession } from "../session/session.tsx";
import { type Made, toText } from "./new-credential.tsx";

type Credential = operator.Credential;
/** Whether whoever has its secret can send all the money, from any place. */
export const isRisky = ({ permissions, allowedIps, revokedAt }: Credential): boolean =>
  permissions.includes("FULL_ACCESS") && allowedIps === null && revokedAt === null;

type Props = { readonly path: string; readonly credential: Credential };

/** A credential: what it may do, its name, its secret, its end. Opening another credential forgets what was typed and shown for this one. */
export function CredentialDetails({ path, credential }: Props) {
  const { t, i18n } = useTranslation();
  const { may, session } = useSession();
  const when = (at: string | null = null) => (at === null ? null : showInFull(new Date(at), i18n.language));
  return (
    <>
      {isRisky(credential) && <p className="note">{t("credentials.riskyText")}</p>}
      <Facts
        facts={[
          ["client_id", <Id key="id">{credential.clientId}</Id>],
          [
            t("credentials.rights"),
            <span key="rights" className="mono small">
              {credential.permissions.join(", ")}
            </span>,
          ],
          [t("credentials.subAccounts"), t(credential.subAccountAccess ? "credentials.yes" : "credentials.no")],
          [t("credentials.from"), credential.allowedIps?.join(", ") ?? t("credentials.anywhere")],
          [t("transactions.created"), when(credential.createdAt)],
          [t("credentials.used"), when(credential.lastUsedAt) ?? t("credentials.neverUsed")],
          [t("team.madeBy"), credential.madeBy],
          [t("credentials.ended"), when(credential.revokedAt)],
        ]}
      />
      {credential.revokedAt === null && may("CREDENTIAL:WRITE") && (
        <div>
          <Rename path={path} credential={credential} />
          <Rotate path={path} credential={credential} />
          {credential.madeBy !== session.person.name && <Adopt path={path} credential={credential} />}
          <End path={path} credential={credential} />
        </div>
      )}
    </>
  );
}

function Rename({ path, credential }: Props) {
  const { t } = useTranslation();
  const { session } = useSession();
  const [name, setName] = useState(credential.name);
  const rename = useChange(() =>
    callConsole<Credential>("PATCH", `${path}/${credential.id}`, { name }, session.csrfToken),
  );
  return (
    <Section title={t("credentials.rename")}>
      <div className="stack pad-top">
        <TextInput
          label={t("credentials.name")}
          value={name}
          maxLength={255}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        {rename.error && <Failure error={rename.error} />}
        <Button
          variant="default"
          disabled={name.trim() === "" || name.trim() === credential.name}
          loading={rename.isPending}
          onClick={() => rename.mutate()}
        >
          {t("credentials.rename")}
        </Button>
      </div>
    </Section>
  );
}

function Rotate({ path, credential }: Props) {
  const { t } = useTranslation();
  const { session } = useSession();
  const rotate = useChange(() =>
    callConsole<Made>("POST", `${path}/${credential.id}/rotate`, undefined, session.csrfToken),
  );
  return (
    <Section title={t("credentials.rotate")}>
      <div className="stack pad-top">
        {rotate.data === undefined ? (
          <>
            <p className="small second">{t("credentials.rotateText")}</p>
            {rotate.error && <Failure error={rotate.error} />}
            <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate()}>
              {t("credentials.rotate")}
            </Button>
          </>
        ) : (
          <Secret text={toText(rotate.data)} onKept={rotate.reset} />
        )}
      </div>
    </Section>
  );
}

/** Whoever takes a credential over has it end with themselves, and no longer with who made it. */
function Adopt({ path, credential }: Props) {
  const { t } = useTranslation();
  const { session } = useSession();
  const adopt = useChange(() =>
    callConsole<Credential>("POST", `${path}/${credential.id}/adopt`, undefined, session.csrfToken),
  );
  return (
    <Section title={t("team.adoptOne")}>
      <div className="stack pad-top">
        <p className="small second">{t("team.adoptText")}</p>
        {adopt.error && <Failure error={adopt.error} />}
        <Button variant="default" loading={adopt.isPending} onClick={() => adopt.mutate()}>
          {t("team.adoptOne")}
        </Button>
      </div>
    </Section>
  );
}

function End({ path, credential }: Props) {
  const { t } = useTranslation();
  const { session } = useSession();
  const end = useChange(() => callConsole<void>("DELETE", `${path}/${credential.id}`, undefined, session.csrfToken));
  return (
    <Section title={t("credentials.end")}>
      <div className="stack pad-top">
        <p className="small second">{t("credentials.endText")}</p>
        {end.error && <Failure error={end.error} />}
        <Button color="red" loading={end.isPending} onClick={() => end.mutate()}>
          {t("credentials.endSure", { name: credential.name })}
        </Button>
      </div>
    </Section>
  );
}
