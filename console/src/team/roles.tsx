import "./team.css";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { Read } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { Section } from "../parts/page.tsx";
import { callConsole } from "../session/calls.ts";

/** The one table of roles and permissions of an account. */
export function Roles() {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: ["roles"],
    queryFn: () => callConsole<Answers["readRoles"]>("GET", "/roles"),
  });
  return (
    <Section title={t("team.table")}>
      <Read query={query}>
        {({ account }) => {
          const roles = Object.keys(account);
          const permissions = [...new Set(Object.values(account).flat())].sort();
          return (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls by keyboard
            <section className="scrolls-sideways" tabIndex={0} aria-label={t("team.table")}>
              <table className="table">
                <thead>
                  <tr>
                    <th scope="col">{t("team.permission")}</th>
                    {roles.map((role) => (
                      <th key={role} scope="col" className="role-mark">
                        {t(`team.roles.${role}`)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {permissions.map((permission) => (
                    <tr key={permission}>
                      <td className="role-cell" title={permission}>
                        {t(`credentials.permission.${permission.replace(":", "_")}`, { defaultValue: permission })}
                      </td>
                      {roles.map((role) => (
                        <td key={role} className="role-mark">
                          {account[role]?.includes(permission) ? (
                            <>
                              <Icon name="check" />
                              <span className="hidden">{t("team.yes")}</span>
                            </>
                          ) : (
                            <span className="quiet">–</span>
                          )}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          );
        }}
      </Read>
    </Section>
  );
}
