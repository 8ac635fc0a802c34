import { useTranslation } from "react-i18next";
import { INSTALLATION_ROLES } from "../generated/values.ts";
import { useSession } from "../session/session.tsx";
import { People } from "../team/people.tsx";
import { RecoveryLinks } from "./recovery-links.tsx";

/** Who runs the installation. */
export default function OperatorPeople() {
  const { t } = useTranslation();
  const { session } = useSession();
  const mayChange = session.installationRole === "admin";
  const paths = { path: "/people", invitations: "/invitations" };
  return (
    <People place={{ ...paths, title: t("nav.operators.people"), roles: INSTALLATION_ROLES, mayChange }}>
      <RecoveryLinks mayChange={mayChange} />
    </People>
  );
}
