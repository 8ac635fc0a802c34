import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { timeColumn } from "../parts/columns.tsx";
import { Read } from "../parts/feedback.tsx";
import { FreeText } from "../parts/free-text.tsx";
import { Section } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { browserName } from "../session/browser-name.ts";
import { NOTICES, type Notice } from "../session/notices.ts";

/** What happened to one's access in the last 90 days, the last first. */
export function Activity() {
  const { t } = useTranslation();
  const query = useQuery(NOTICES);
  const what = ({ action, by }: Notice) =>
    [t(`notices.${action}`), by && t(`notices.by.${by}`)].filter(Boolean).join(" ");
  /** Of an invitation or a role: for whom, which, and in which account. */
  const about = ({ email, role, account }: Notice) =>
    [email, role && t(`team.roles.${role}`), account].filter(Boolean).join(" · ");
  const where = ({ browser, address }: Notice) =>
    [browserName(browser), address].filter((one) => one !== null).join(", ");
  return (
    <Section title={t("notices.activity")}>
      <Read query={query} lines={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="small quiet pad-top">{t("notices.none")}</p>
          ) : (
            <Table<Notice>
              caption={t("notices.activity")}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                timeColumn(t("notices.when"), ({ at }) => at),
                {
                  key: "what",
                  title: t("notices.what"),
                  cell: (one) => (
                    <>
                      {what(one)}
                      {about(one) !== "" && (
                        <div className="label">
                          <FreeText>{about(one)}</FreeText>
                        </div>
                      )}
                    </>
                  ),
                  corner: "who",
                  phone: what,
                },
                {
                  key: "where",
                  title: t("notices.where"),
                  className: "second",
                  cell: (one) => where(one) || "–",
                  corner: "state",
                  phone: (one) => about(one) || where(one),
                },
              ]}
            />
          )
        }
      </Read>
    </Section>
  );
}
