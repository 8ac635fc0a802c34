import { useTranslation } from "react-i18next";
import { useSession } from "../session/session.tsx";
import { People } from "../team/people.tsx";
import { RecoveryLinks } from "./recovery-links.tsx";

/** From the most that a person may do to the least, which is offered first. */
const ROLES = ["admin", "finance", "auditor", "support"] as const;

/** Who runs the installation. */
export default function OperatorPeople() {
  const { t } = useTranslation();
  const { session } = useSession();
  const mayChange = session.installationRole === "admin";
  const paths = { path: "/people", invitations: "/invitations" };
  return (
    <People place={{ ...paths, title: t("nav.operators.people"), roles: ROLES, mayChange }}>
      <RecoveryLinks mayChange={mayChange} />
    </People>
  );
}
