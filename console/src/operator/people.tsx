import "./operator.css";
import { useTranslation } from "react-i18next";
import { INSTALLATION_ROLES } from "../generated/values.ts";
import { useSession } from "../session/session.tsx";
import { type Member, People } from "../team/people.tsx";
import { Answer } from "./answer.tsx";
import { RecoveryLinks } from "./recovery-links.tsx";

/** Who runs the installation. */
export default function OperatorPeople() {
  const { t } = useTranslation();
  const { session } = useSession();
  const mayChange = session.installationRole === "admin";
  const paths = { path: "/people", invitations: "/invitations" };
  return (
    <People
      place={{ ...paths, title: t("nav.operators.people"), roles: INSTALLATION_ROLES, mayChange }}
      answer={(members) => <Factors members={members} />}
    >
      <RecoveryLinks mayChange={mayChange} />
    </People>
  );
}

/** Whether everybody has a second factor, where the list says it. */
function Factors({ members }: { members: readonly Member[] }) {
  const { t } = useTranslation();
  if (members.every(({ secondFactor }) => secondFactor === undefined)) return null;
  const count = members.filter(({ secondFactor }) => (secondFactor ?? null) === null).length;
  if (count === 0) return <Answer shape="done">{t("operator.people.allFactors", { count: members.length })}</Answer>;
  return (
    <Answer shape="needs" then={t("operator.people.addFactor", { count })}>
      {t("operator.people.withoutFactor", { count })}
    </Answer>
  );
}
