import "./team.css";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Answers } from "../generated/answers.ts";
import { Read } from "../parts/feedback.tsx";
import { Icon } from "../parts/icon.tsx";
import { Section } from "../parts/page.tsx";
import { callConsole } from "../session/calls.ts";

type Roles = Answers["readRoles"]["account"];

/** What permissions are about, by the beginning of their names; what a later gateway has beside them comes last. */
const SUBJECTS = {
  charges: ["PIX", "REFUND", "PROJECT"],
  money: ["ACCOUNT", "TRANSACTION", "SUBACCOUNT", "TRANSFER"],
  withdrawals: ["WITHDRAWAL"],
  blocks: ["BALANCE_BLOCK"],
  developers: ["CREDENTIAL", "WEBHOOK"],
  team: ["PEOPLE"],
  others: [],
} as const satisfies Record<string, readonly string[]>;
type Subject = keyof typeof SUBJECTS;

function subjectOf(permission: string): Subject {
  const about = permission.split(":")[0] ?? "";
  const found = Object.entries(SUBJECTS).find(([, names]) => (names as readonly string[]).includes(about));
  return (found?.[0] ?? "others") as Subject;
}

/** The permissions of all roles by what they are about. */
function bySubject(roles: Roles): readonly (readonly [Subject, readonly string[]])[] {
  const all = [...new Set(Object.values(roles).flat())].sort();
  return (Object.keys(SUBJECTS) as Subject[])
    .map((subject) => [subject, all.filter((permission) => subjectOf(permission) === subject)] as const)
    .filter(([, permissions]) => permissions.length > 0);
}

/** What each role of an account may do: a table on a desk, role by role on a phone. */
export function Roles() {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: ["roles"],
    queryFn: () => callConsole<Answers["readRoles"]>("GET", "/roles"),
  });
  return (
    <Section title={t("team.table")}>
      <Read query={query}>
        {({ account }) => (
          <div className="rows-shown">
            <Matrix roles={account} />
            <div className="phone-only">
              {Object.keys(account).map((role) => (
                <OneRole key={role} role={role} roles={account} />
              ))}
            </div>
          </div>
        )}
      </Read>
    </Section>
  );
}

function Permission({ name }: { name: string }) {
  const { t } = useTranslation();
  return <span title={name}>{t(`credentials.permission.${name.replace(":", "_")}`, { defaultValue: name })}</span>;
}

function Matrix({ roles }: { roles: Roles }) {
  const { t } = useTranslation();
  const names = Object.keys(roles);
  return (
    <table className="table wide-only role-table">
      <caption className="hidden">{t("team.table")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("team.permission")}</th>
          {names.map((role) => (
            <th key={role} scope="col">
              {t(`team.roles.${role}`)}
            </th>
          ))}
        </tr>
      </thead>
      {bySubject(roles).map(([subject, permissions]) => (
        <tbody key={subject}>
          <tr>
            <th scope="rowgroup" colSpan={names.length + 1} className="role-subject">
              {t(`team.subject.${subject}`)}
            </th>
          </tr>
          {permissions.map((permission) => (
            <tr key={permission}>
              <td>
                <Permission name={permission} />
              </td>
              {names.map((role) => (
                <td key={role} className="role-may">
                  <May may={roles[role]?.includes(permission) ?? false} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

function May({ may }: { may: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      {may ? <Icon name="check" /> : <span aria-hidden="true">–</span>}
      <span className="hidden">{t(may ? "team.yes" : "team.no")}</span>
    </>
  );
}

function OneRole({ role, roles }: { role: string; roles: Roles }) {
  const { t } = useTranslation();
  const may = roles[role] ?? [];
  const subjects = bySubject(roles);
  const all = subjects.flatMap(([, permissions]) => permissions);
  return (
    <details className="role-one">
      <summary>
        <span className="heavy">{t(`team.roles.${role}`)}</span>
        <span className="small quiet at-end">{t("team.mayCount", { may: may.length, all: all.length })}</span>
        <Icon name="down" />
      </summary>
      <p className="small second">{t(`team.about.${role}`)}</p>
      {subjects.map(([subject, permissions]) => (
        <div key={subject}>
          <div className="label">{t(`team.subject.${subject}`)}</div>
          <ul className="plain-list">
            {permissions.map((permission) => (
              <li key={permission} className={may.includes(permission) ? undefined : "quiet"}>
                <span className="role-mark">
                  <May may={may.includes(permission)} />
                </span>
                <Permission name={permission} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </details>
  );
}
