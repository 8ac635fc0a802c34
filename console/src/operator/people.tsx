import "./operator.css";
import { useTranslation } from "react-i18next";
import { INSTALLATION_ROLES } from "../generated/values.ts";
import { useSession } from "../session/session.tsx";
import { type Member, People } from "../team/people.tsx";
import { Answer } from "./answer.tsx";
import { decides } from "./deciding.ts";
import { RecoveryLinks, useDecidesOf, useRecoveryLinks } from "./recovery-links.tsx";

/** Who runs the installation. */
export default function OperatorPeople() {
  const { t } = useTranslation();
  const { session } = useSession();
  const mayChange = session.installationRole === "admin";
  const paths = { path: "/people", invitations: "/invitations" };
  return (
    <People
      place={{ ...paths, title: t("nav.operators.people"), roles: INSTALLATION_ROLES, mayChange }}
      answer={(members) => <Standing members={members} />}
    >
      <RecoveryLinks mayChange={mayChange} />
    </People>
  );
}

/**
 * Open recovery links of who decides about money, then whether everybody has a second factor, where the list says it; and what it
 * weakens that somebody who decides has none.
 */
function Standing({ members }: { members: readonly Member[] }) {
  const { t, i18n } = useTranslation();
  const links = useRecoveryLinks();
  const decidesOf = useDecidesOf();
  if (links.isPending) return <div className="answer-place with-then" />;
  const list = (names: readonly string[]) => new Intl.ListFormat(i18n.language).format(names);
  const open = (links.data?.items ?? []).filter(decidesOf).map(({ name }) => name);
  const openText = open.length > 0 && t("operator.people.openLinks", { count: open.length, names: list(open) });
  const isSaid = members.some(({ secondFactor }) => secondFactor !== undefined);
  const without = members.filter(({ secondFactor }) => isSaid && (secondFactor ?? null) === null);
  const count = without.length;
  if (count === 0) {
    if (openText) return <Answer shape="needs">{openText}</Answer>;
    return isSaid && <Answer shape="done">{t("operator.people.allFactors", { count: members.length })}</Answer>;
  }
  const deciding = without.filter(({ role }) => decides(role)).map(({ name }) => name);
  const risk =
    deciding.length > 0
      ? t("operator.people.deciders", { count: deciding.length, names: list(deciding) })
      : t("operator.people.password", { count });
  const factors = [t("operator.people.withoutFactor", { count }), risk, t("operator.people.addFactor", { count })];
  const said = openText ? [openText, ...factors] : factors;
  return (
    <Answer shape="needs" then={said.slice(1).join(" ")}>
      {said[0]}
    </Answer>
  );
}
