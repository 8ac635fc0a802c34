import type { operator } from "@pixgate/sdk";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import { FreeText } from "../parts/free-text.tsx";
import { shortId } from "../parts/short-id.ts";
import { useAboutText } from "./about-text.ts";
import { aboutOf, caseKindIn, isOfAccount, isOfObject, subjectIn } from "./audited.ts";
import { useNames } from "./reads.ts";
import { wordOf } from "./words.ts";

type Entry = operator.AuditEntry;

/** What was done; before the name of what it was done to in words that lead to it, where there are such. */
function actionWord(entry: Entry, isNamed: boolean): string {
  const { action } = entry;
  if (aboutOf(entry).isRest) return i18next.t("operator.auditLog.refundedRest");
  const named = `operator.auditedNamed.${action}`;
  return isNamed && i18next.exists(named) ? i18next.t(named) : wordOf("audited", action);
}

/** What was done, and to what: the end of a decision says the decision too. */
export function Said({ entry, earlier }: { entry: Entry; earlier: readonly Entry[] }) {
  const { t } = useTranslation();
  const nameOf = useNames();
  const about = useAboutText()(entry, earlier.length > 1);
  const { action, accountId, objectId } = entry;
  const ofAccount = isOfAccount(entry);
  const caseKind = caseKindIn(entry);
  const named = caseKind === null ? subjectIn(entry) : wordOf("kind", caseKind);
  const subject = ofAccount ? nameOf(accountId) : named;
  const [began] = earlier;
  const did =
    action !== "case.executed" || began === undefined
      ? actionWord(entry, subject !== null)
      : t(began.action === "case.approve" ? "operator.auditLog.carriedOut" : "operator.auditLog.decidedAlone");
  return (
    <>
      <span title={action}>{did}</span>
      {subject !== null && (
        <>
          {" "}
          “<FreeText>{subject}</FreeText>”
        </>
      )}
      {(caseKind !== null || isOfObject(entry)) && objectId !== null && (
        <span className="num quiet"> {shortId(objectId)}</span>
      )}
      {about !== "" && <>: {about}</>}
      {accountId !== null && !ofAccount && <> {t("operator.auditLog.inAccount", { name: nameOf(accountId) })}</>}.
    </>
  );
}
