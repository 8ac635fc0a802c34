import "./operator.css";
import { Button, TextInput } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useChange } from "../parts/change.ts";
import { Empty, Failure } from "../parts/feedback.tsx";
import { PagedList } from "../parts/list.tsx";
import { Page, Section } from "../parts/page.tsx";
import { Mark } from "../parts/state.tsx";
import { Moment } from "../parts/time.tsx";
import { useSession } from "../session/session.tsx";
import { AGAIN_MS, useNames } from "./reads.ts";
import { personOf, ruleOf, wordOf } from "./words.ts";

/** Checks of the books, and where the auditor found them broken. */
export default function Books() {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const verify = useMutation({ mutationFn: () => operator.ledger.verify() });
  const audit = useChange((mode: "fresh" | "full") => operator.ledger.audit({ mode }));
  const may = session.installationRole === "finance" || session.installationRole === "admin";
  return (
    <Page
      title={t("nav.operators.books")}
      acts={
        <>
          <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
            {t("operator.books.verify")}
          </Button>
          {may && (
            <Button variant="default" loading={audit.isPending} onClick={() => audit.mutate("full")}>
              {t("operator.books.audit")}
            </Button>
          )}
        </>
      }
    >
      <p className="second small">{t("operator.books.text")}</p>
      {verify.error && <Failure error={verify.error} retry={() => verify.mutate()} />}
      {audit.error && <Failure error={audit.error} />}
      {verify.data && <Outcome ok={verify.data.ok} lines={verify.data.lines} />}
      {audit.data && <Outcome ok={audit.data.ok} lines={audit.data.lines} />}
      {verify.data?.violations.map(({ invariant, accountId, detail }) => (
        <p key={invariant + accountId + detail} className="row-line">
          <Mark shape="failed" /> <span className="words">{`${invariant}: ${detail}`}</span>
        </p>
      ))}
      <Section title={t("operator.books.findings")}>
        <PagedList
          queryKey={["operator", "findings"]}
          againMs={AGAIN_MS}
          read={(cursor) => operator.ledger.listFindings({ limit: 50, ...(cursor !== undefined && { cursor }) }).page()}
          keyOf={({ id }) => id}
          empty={<Empty>{t("operator.books.empty")}</Empty>}
        >
          {(findings) => findings.map((one) => <Finding key={one.id} finding={one} mayLift={may} />)}
        </PagedList>
      </Section>
    </Page>
  );
}

function Outcome({ ok, lines }: { ok: boolean; lines: number }) {
  const { t, i18n } = useTranslation();
  return (
    <p className="row-line" role="status">
      <Mark shape={ok ? "done" : "failed"} />
      <strong>
        {t(ok ? "operator.books.ok" : "operator.books.broken", { lines: lines.toLocaleString(i18n.language) })}
      </strong>
    </p>
  );
}

function Finding({ finding, mayLift }: { finding: operator.Finding; mayLift: boolean }) {
  const nameOf = useNames();
  const { status, invariant, says, detail, accountId, foundAt, liftedBy, liftReason } = finding;
  return (
    <div className="row-line">
      <Mark shape={status === "open" ? "failed" : "ended"} />
      <span style={{ minWidth: 0, flex: 1 }}>
        <strong className="block">
          {invariant}: {ruleOf(invariant, says)}
        </strong>
        <span className="small words block">{detail}</span>
        <span className="small quiet block">
          <Link href={`/operator/accounts/${accountId}`} className="link">
            {nameOf(accountId)}
          </Link>{" "}
          · {wordOf("finding", status)} {liftedBy !== undefined && `${personOf(liftedBy)}: ${liftReason ?? ""}`}
        </span>
        {status === "open" && mayLift && <Lift accountId={accountId} />}
      </span>
      <span className="small quiet">
        <Moment at={foundAt} />
      </span>
    </div>
  );
}

/** Lets the account's withdrawals go on, with a reason that stays. */
function Lift({ accountId }: { accountId: string }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const [reason, setReason] = useState("");
  const lift = useChange(() => operator.accounts.liftFreeze(accountId, { reason: reason.trim() }));
  return (
    <>
      <TextInput
        mt="sm"
        label={t("operator.books.liftReason")}
        description={t("operator.books.liftText")}
        maxLength={255}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      {lift.error && <Failure error={lift.error} />}
      <Button
        mt="sm"
        color="red"
        variant="outline"
        disabled={reason.trim() === ""}
        loading={lift.isPending}
        onClick={() => lift.mutate()}
      >
        {t("operator.books.lift")}
      </Button>
    </>
  );
}
