import "../operator.css";
import type { operator } from "@pixgate/sdk";
import { useTranslation } from "react-i18next";
import { Empty } from "../../parts/feedback.tsx";
import { ChoiceChip, StateTabs, useAddress } from "../../parts/filters.tsx";
import { PagedList } from "../../parts/list.tsx";
import { Money } from "../../parts/money.tsx";
import { Page } from "../../parts/page.tsx";
import { Mark } from "../../parts/state.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { AGAIN_MS, useAccounts, useInstitutions, useNames } from "../reads.ts";
import { ruleOf, severityShape, wordOf } from "../words.ts";
import { OneCase } from "./one.tsx";

type Case = operator.Case;
const SEVERITIES = ["critical", "warning", "notice"] as const;

/** The queue of what a person must decide, and the case that is open beside it. */
export default function Cases() {
  const { t } = useTranslation();
  const address = useAddress();
  const opened = address.get("open");
  return (
    <Page title={t("nav.operators.cases")}>
      <div className={opened === null ? "desk" : "desk opened"}>
        <Queue />
        {opened === null ? (
          <p className="quiet wide-only">{t("operator.cases.choose")}</p>
        ) : (
          <OneCase key={opened} id={opened} />
        )}
      </div>
    </Page>
  );
}

function Queue() {
  const { t } = useTranslation();
  const { operator } = useSession();
  const address = useAddress();
  const institutions = useInstitutions();
  const accounts = useAccounts();
  const choices = (items: readonly { id: string; name: string }[] | undefined) =>
    (items ?? []).slice(0, 50).map(({ id, name }) => ({ value: id, text: name }));
  const status = address.get("status") === "closed" ? "closed" : "open";
  const severity = SEVERITIES.find((one) => one === address.get("severity"));
  const [accountId, institutionId] = [address.get("account"), address.get("institution")];
  return (
    <div>
      <StateTabs
        name="status"
        label={t("operator.cases.states")}
        first={t("operator.cases.open")}
        states={["closed"]}
        textOf={() => t("operator.cases.closed")}
      />
      <div className="chips">
        <ChoiceChip
          name="severity"
          label={t("operator.cases.severity")}
          choices={SEVERITIES.map((value) => ({ value, text: t(`operator.severity.${value}`) }))}
        />
        <ChoiceChip name="institution" label={t("operator.cases.institution")} choices={choices(institutions.data)} />
        <ChoiceChip name="account" label={t("operator.cases.account")} choices={choices(accounts.data)} />
      </div>
      <PagedList
        queryKey={["operator", "cases", status, severity, accountId, institutionId]}
        againMs={AGAIN_MS}
        read={(cursor) =>
          operator.cases
            .list({
              status,
              limit: 50,
              ...(severity !== undefined && { severity }),
              ...(accountId !== null && { accountId }),
              ...(institutionId !== null && { institutionId }),
              ...(cursor !== undefined && { cursor }),
            })
            .page()
        }
        keyOf={({ id }) => id}
        empty={<Empty>{t(status === "open" ? "operator.cases.empty" : "operator.cases.emptyClosed")}</Empty>}
      >
        {(cases) => cases.map((one) => <Row key={one.id} about={one} />)}
      </PagedList>
    </div>
  );
}

function Row({ about }: { about: Case }) {
  const { t } = useTranslation();
  const address = useAddress();
  const nameOf = useNames();
  const { id, kind, severity, amount, deadline, openedAt, proposal, status } = about;
  const rule = about.evidence.data?.invariant;
  const where = [
    nameOf(about.accountId),
    nameOf(about.institutionId),
    typeof rule === "string" ? ruleOf(rule, rule) : "",
  ]
    .filter((name) => name !== "")
    .join(" · ");
  return (
    <button
      type="button"
      className="row-line"
      style={{ cursor: "pointer" }}
      aria-current={address.get("open") === id}
      onClick={() => address.change({ open: id })}
    >
      <Mark shape={status === "closed" ? "done" : severityShape(severity)} />
      <span style={{ minWidth: 0 }}>
        <strong className="block">{wordOf("kind", kind)}</strong>
        <span className="small quiet block cut" title={where}>
          {where}
        </span>
        {status === "open" && proposal?.status === "awaiting_approval" && (
          <span className="small block">{t("operator.cases.awaits")}</span>
        )}
      </span>
      <span className="row-end">
        <span className="block">
          <Money brl={amount} />
        </span>
        <span className="small quiet">
          {deadline !== undefined ? t("operator.cases.until") : ""} <Moment at={deadline ?? openedAt} />
        </span>
      </span>
    </button>
  );
}
