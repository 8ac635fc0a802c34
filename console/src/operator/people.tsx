import "./operator.css";
import { useTranslation } from "react-i18next";
import { INSTALLATION_ROLES } from "../generated/values.ts";
import { useSession } from "../session/session.tsx";
import { type Member, People } from "../team/people.tsx";
import { Answer } from "./answer.tsx";
import { decides } from "./deciding.ts";
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

/** Whether everybody has a second factor, where the list says it; and what it weakens that somebody who decides has none. */
function Factors({ members }: { members: readonly Member[] }) {
  const { t, i18n } = useTranslation();
  if (members.every(({ secondFactor }) => secondFactor === undefined)) return null;
  const without = members.filter(({ secondFactor }) => (secondFactor ?? null) === null);
  const count = without.length;
  if (count === 0) return <Answer shape="done">{t("operator.people.allFactors", { count: members.length })}</Answer>;
  const deciding = without.filter(({ role }) => decides(role)).map(({ name }) => name);
  const names = new Intl.ListFormat(i18n.language).format(deciding);
  const risk =
    deciding.length > 0
      ? t("operator.people.deciders", { count: deciding.length, names })
      : t("operator.people.password", { count });
  return (
    <Answer shape="needs" then={`${risk} ${t("operator.people.addFactor", { count })}`}>
      {t("operator.people.withoutFactor", { count })}
    </Answer>
  );
}
