import { useTranslation } from "react-i18next";
import { ACCOUNT_ROLES } from "../generated/values.ts";
import { useSession } from "../session/session.tsx";
import { People } from "./people.tsx";
import { Roles } from "./roles.tsx";

/** Who may do what in the account. */
export default function Team() {
  const { t } = useTranslation();
  const { account, may } = useSession();
  const own = `/accounts/${account.accountId}`;
  const paths = { path: `${own}/people`, invitations: `${own}/invitations` };
  return (
    <People
      place={{
        ...paths,
        ...{ title: t("nav.team"), roles: ACCOUNT_ROLES, mayChange: may("PEOPLE:WRITE") },
        about: (role) => t(`team.about.${role}`),
      }}
      answer={({ length: count }) => (
        <p className="second gap-below">{t("team.lead", { count, account: account.name })}</p>
      )}
    >
      <Roles />
    </People>
  );
}
