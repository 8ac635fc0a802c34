import "./operator.css";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { INSTALLATION_ROLES } from "../generated/values.ts";
import { useAddress } from "../parts/filters.tsx";
import { useSession } from "../session/session.tsx";
import { type Member, People } from "../team/people.tsx";
import { Answer } from "./answer.tsx";
import { decides } from "./deciding.ts";
import { type RecoveryLink, RecoveryLinks, useDecidesOf, useRecoveryLinks } from "./recovery-links.tsx";

/** Who runs the installation. */
export default function OperatorPeople() {
  const { t } = useTranslation();
  const { session } = useSession();
  const mayChange = session.installationRole === "admin";
  const links = useRecoveryLinks();
  const paths = { path: "/people", invitations: "/invitations" };
  return (
    <People
      place={{ ...paths, title: t("nav.operators.people"), roles: INSTALLATION_ROLES, mayChange }}
      answer={(members) => <Standing members={members} mayChange={mayChange} />}
      isAwaited={links.isPending}
    >
      <RecoveryLinks mayChange={mayChange} />
    </People>
  );
}

/**
 * Open recovery links of who decides about money, then whether everybody has a second factor, where the list says it; and what it
 * weakens that somebody who decides has none.
 */
function Standing({ members, mayChange }: { members: readonly Member[]; mayChange: boolean }) {
  const { t, i18n } = useTranslation();
  const links = useRecoveryLinks();
  const decidesOf = useDecidesOf();
  const list = (names: readonly string[]) => new Intl.ListFormat(i18n.language).format(names);
  const open = (links.data?.items ?? []).filter(decidesOf);
  const openText = open.length > 0 && <OpenLinks links={open} mayChange={mayChange} />;
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
  return (
    <Answer shape="needs" then={(openText ? factors : factors.slice(1)).join(" ")}>
      {openText || factors[0]}
    </Answer>
  );
}

/** Whoever may revoke a link comes to it by the sentence. */
function OpenLinks({ links, mayChange }: { links: readonly RecoveryLink[]; mayChange: boolean }) {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const names = new Intl.ListFormat(i18n.language).format(links.map(({ name }) => name));
  const text = t("operator.people.openLinks", { count: links.length, names });
  if (!mayChange || links.length > 1) return text;
  return (
    <Link href={address.withChange({ recovery: links[0]!.linkId })} className="link">
      {text}
    </Link>
  );
}
