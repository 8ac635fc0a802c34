import "./operator.css";
import { useTranslation } from "react-i18next";
import { Empty } from "../parts/feedback.tsx";
import { PagedList } from "../parts/list.tsx";
import { Filters } from "../parts/list-screen.tsx";
import { Page } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { useAccountFilter } from "./named-filter.tsx";
import { AGAIN_MS, useNames } from "./reads.ts";
import { personOf, wordOf } from "./words.ts";

/** What operators changed: who, what, before and after. */
export default function AuditLog() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const nameOf = useNames();
  const account = useAccountFilter();
  return (
    <Page title={t("nav.operators.auditLog")}>
      <Filters filters={[account]} />
      <PagedList
        queryKey={["operator", "auditLog", account.value]}
        againMs={AGAIN_MS}
        read={(page) => operator.auditLog.list({ ...page, accountId: account.value })}
        keyOf={({ id }) => id}
        empty={<Empty>{t("operator.auditLog.empty")}</Empty>}
      >
        {(entries) =>
          entries.map(({ id, actor, action, accountId: about, objectId, createdAt, before, after }) => (
            <details key={id} className="entry">
              <summary className="row-line">
                <span className="entry-what">
                  <strong>{personOf(actor)}</strong> <span title={action}>{wordOf("audited", action)}</span>{" "}
                  <span className="small quiet">{nameOf(about)}</span>
                </span>
                <span className="row-end small quiet">
                  <Moment at={createdAt} seconds />
                </span>
              </summary>
              <p className="small quiet words">
                {t("operator.auditLog.code")} <span className="mono">{action}</span>
                {objectId !== null && (
                  <>
                    {" "}
                    · {t("operator.auditLog.object")} <span className="mono">{objectId}</span>
                  </>
                )}
              </p>
              <div className="desk-even">
                <div>
                  <span className="small quiet">{t("operator.auditLog.before")}</span>
                  <pre className="code">{JSON.stringify(before, null, 2)}</pre>
                </div>
                <div>
                  <span className="small quiet">{t("operator.auditLog.after")}</span>
                  <pre className="code">{JSON.stringify(after, null, 2)}</pre>
                </div>
              </div>
            </details>
          ))
        }
      </PagedList>
    </Page>
  );
}
