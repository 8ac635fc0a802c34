import "@mantine/core/styles/Checkbox.css";
import "@mantine/core/styles/InlineInput.css";
import { Button, Checkbox } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useMutation } from "@tanstack/react-query";
import i18next from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { copy } from "../../parts/copy.ts";
import { Failure } from "../../parts/feedback.tsx";
import { More } from "../../parts/more.tsx";
import { Mark } from "../../parts/state.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { wordOf } from "../words.ts";

/** Whether a bank does what we assume; that it answers is tried beside what is done at night. For admins. */
export function Checks({ one: { id, status } }: { one: Pick<operator.OperatorInstitution, "id" | "status"> }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const [isCharging, setCharging] = useState(false);
  const check = useMutation({ mutationFn: () => operator.institutions.check(id, { charge: isCharging }) });
  if (session.installationRole !== "admin" || status === "retired") return null;
  return (
    <div className="section">
      <More label={t("operator.institutions.checks")}>
        <p className="small second">{t("operator.institutions.checkDoes")}</p>
        <Checkbox
          label={t("operator.institutions.checkCharge")}
          checked={isCharging}
          onChange={({ currentTarget }) => setCharging(currentTarget.checked)}
        />
        <div className="acts no-margin">
          <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
            {t("operator.institutions.check")}
          </Button>
        </div>
        {check.error && <Failure error={check.error} />}
        {check.data && <Checked report={check.data} />}
      </More>
    </div>
  );
}

function Checked({ report }: { report: operator.BankCheck }) {
  const { t } = useTranslation();
  return (
    <>
      <Tested test={report} />
      <Seen seen={report.seen} />
      <p className="small quiet">{t("operator.institutions.checkText")}</p>
      <Button variant="default" onClick={() => copy(JSON.stringify(report, null, 2))}>
        {t("operator.institutions.copyReport")}
      </Button>
    </>
  );
}

/** What a bank has done by itself within a day. */
function Seen({ seen }: { seen: operator.BankCheck["seen"] }) {
  const { t } = useTranslation();
  return (
    <>
      <p className="strong">{t("operator.institutions.seen")}</p>
      {seen.map(({ what, at }) => (
        <div key={what} className="row-line">
          <Mark shape={at === undefined ? "ended" : "done"} />
          <span>
            {t(`operator.seen.${what}`, what)}{" "}
            {at === undefined ? t("operator.institutions.seenNot") : <Moment at={at} />}
          </span>
        </div>
      ))}
      <p className="small quiet">{t("operator.institutions.seenHow")}</p>
    </>
  );
}

/** What came of a check; what failed has the bank's own words too. */
function saidOf(name: string, result: string, says: string): string {
  const key = result === "works" ? `operator.worked.${name}` : `operator.${result}.${name}`;
  if (!i18next.exists(key)) return says;
  return result === "failed" ? `${i18next.t(key)} ${says}` : i18next.t(key);
}

/** The test, step by step, in words. */
export function Tested({
  test: { ok, checks },
}: {
  test: Pick<operator.ConnectionTest | operator.BankCheck, "ok" | "checks">;
}) {
  const { t } = useTranslation();
  return (
    <div role="status">
      <p className="strong">{t(ok ? "operator.institutions.testOk" : "operator.institutions.testFailed")}</p>
      {checks.map(({ name, result, says }) => (
        <div key={name} className="row-line">
          <Mark shape={result === "works" ? "done" : result === "failed" ? "failed" : "ended"} />
          <span>
            {wordOf("check", name)}, {wordOf("result", result)}
            <span className="small quiet block words">{saidOf(name, result, says)}</span>
          </span>
        </div>
      ))}
    </div>
  );
}
