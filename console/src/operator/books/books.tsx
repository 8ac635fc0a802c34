import "../operator.css";
import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../../parts/amount.ts";
import { useChange } from "../../parts/change.ts";
import { useCounted } from "../../parts/counted.ts";
import { Empty, Failure, Read } from "../../parts/feedback.tsx";
import { showWhen } from "../../parts/instant.ts";
import { PagedList } from "../../parts/list.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Mark } from "../../parts/state.tsx";
import { Moment } from "../../parts/time.tsx";
import { useSession } from "../../session/session.tsx";
import { Answer } from "../answer.tsx";
import { useDeciders } from "../deciders.ts";
import { Jobs } from "../jobs.tsx";
import { AGAIN_MS, useNames } from "../reads.ts";
import { faultOf, personOf, wordOf } from "../words.ts";
import { BrokenFacts } from "./broken.tsx";
import { differenceIn } from "./detail.ts";
import { Lift } from "./lift.tsx";

/** Checks of the books, and where the auditor found them broken. */
export default function Books() {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const verify = useMutation({ mutationFn: () => operator.ledger.verify() });
  const audit = useChange((mode: "fresh" | "full") => operator.ledger.audit({ mode }));
  const [isAsked, setAsked] = useState(false);
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
            <Button variant="default" loading={audit.isPending} onClick={() => setAsked(true)}>
              {t("operator.books.audit")}
            </Button>
          )}
        </>
      }
    >
      <Verdict mayLift={may} />
      {verify.error && <Failure error={verify.error} retry={() => verify.mutate()} />}
      {audit.error && <Failure error={audit.error} />}
      {verify.data && <Outcome ok={verify.data.ok} lines={verify.data.lines} />}
      {audit.data && <Outcome ok={audit.data.ok} lines={audit.data.lines} />}
      {verify.data?.violations.map(({ invariant: says, code: invariant, ...found }) => (
        <Violation key={invariant + found.accountId + found.detail} violation={{ ...found, invariant, says }} />
      ))}
      <Section title={t("operator.books.findings")}>
        <PagedList
          queryKey={["operator", "findings"]}
          againMs={AGAIN_MS}
          read={(page) => operator.ledger.listFindings(page)}
          keyOf={({ id }) => id}
          sumOf={useCounted("findings")}
          empty={<Empty>{t("operator.books.empty")}</Empty>}
        >
          {(findings) =>
            findings.map((one) => (
              <Finding key={one.id} finding={one} mayLift={may && one === lastOf(findings, one.accountId)} />
            ))
          }
        </PagedList>
      </Section>
      <Panel title={t("operator.books.auditTitle")} opened={isAsked} onClose={() => setAsked(false)}>
        <p>{t("operator.books.auditText")}</p>
        <Button
          color="red"
          onClick={() => {
            setAsked(false);
            audit.mutate("full");
          }}
        >
          {t("operator.books.auditSure")}
        </Button>
      </Panel>
      <Jobs kinds={["ledger.verify", "ledger.audit"]} isStarted={verify.isPending || audit.isPending} />
      <p className="second small gap-above">{t("operator.books.text")}</p>
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

const isOpen = ({ status }: operator.Finding): boolean => status === "open";
/** The last of an account's open findings: one lifting, below all of them, ends the freeze. */
const lastOf = (findings: readonly operator.Finding[], accountId: string) =>
  findings.findLast((one) => isOpen(one) && one.accountId === accountId);

/** Where the button stands that lets an account's withdrawals go on. */
const liftPlace = (accountId: string): string => `lift-${accountId}`;

/** Open findings that are read for the accounts they name. */
const SHOWN = 100;

/** Whether the books add up, where not, and what to do then. */
function Verdict({ mayLift }: { mayLift: boolean }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const query = useQuery({
    queryKey: ["operator", "open-findings"],
    queryFn: () => operator.ledger.listFindings({ status: "open", limit: SHOWN }).page(),
    refetchInterval: AGAIN_MS,
  });
  return (
    <Read query={query} lines={2}>
      {({ items, checks }) =>
        items.length === 0 ? (
          <Answer shape="done" then={<LastChecks checks={checks ?? []} />}>
            {t("operator.books.addUp")}
          </Answer>
        ) : (
          <Wrong findings={items} mayLift={mayLift} />
        )
      }
    </Read>
  );
}

/** When the auditor checked the books last, by itself or because somebody asked. */
function LastChecks({ checks }: { checks: NonNullable<operator.FindingPage["checks"]> }) {
  const { t, i18n } = useTranslation();
  const of = (mode: "fresh" | "full") => checks.find((one) => one.mode === mode)?.checkedAt;
  const show = (at: string) => showWhen(new Date(at), i18n.language, true);
  const [fresh, full] = [of("fresh"), of("full")];
  if (fresh === undefined && full === undefined) return null;
  return fresh === undefined || full === undefined
    ? t("operator.books.checkedOnce", { at: show(fresh ?? full ?? "") })
    : t("operator.books.checked", { fresh: show(fresh), full: show(full) });
}

function Wrong({ findings, mayLift }: { findings: readonly operator.Finding[]; mayLift: boolean }) {
  const { t, i18n } = useTranslation();
  const nameOf = useNames();
  const accountIds = [...new Set(findings.map(({ accountId }) => accountId))];
  const names = new Intl.ListFormat(i18n.language).format(accountIds.map(nameOf));
  // One fault breaks several rules by the same amount: nothing is added up.
  const amounts = new Set(findings.map((one) => Math.abs(differenceIn(one) ?? 0)).filter((brl) => brl > 0));
  const key = amounts.size === 0 ? "wrong" : amounts.size === 1 ? "wrongBy" : "wrongByMost";
  return (
    <>
      <Answer shape="failed" then={t("operator.books.todo.means")}>
        {t(`operator.books.${key}`, { names, amount: showBrl(Math.max(0, ...amounts)) })}
      </Answer>
      <WhatToDo accountId={accountIds.length === 1 ? accountIds[0] : undefined} mayLift={mayLift} />
    </>
  );
}

/** The runbook: whoever reads it was woken. `accountId`: the only account it is about. */
function WhatToDo({ accountId, mayLift }: { accountId: string | undefined; mayLift: boolean }) {
  const { t, i18n } = useTranslation();
  const { session } = useSession();
  const deciders = useDeciders().filter(({ personId }) => personId !== session.person.id);
  const names = new Intl.ListFormat(i18n.language, { type: "disjunction" }).format(deciders.map(({ name }) => name));
  return (
    <div className="todo">
      <strong>{t("operator.books.todo.title")}</strong>
      <ol>
        <li>
          {deciders.length > 0 ? t("operator.books.todo.wakeOne", { names }) : t("operator.books.todo.wake")}
          {deciders.map(
            ({ personId, email }) =>
              email !== null && (
                <span key={personId} className="block">
                  <a className="link" href={`mailto:${email}`}>
                    {email}
                  </a>
                </span>
              ),
          )}
        </li>
        <li>
          <Link href={`/operator/audit-log${accountId === undefined ? "" : `?account=${accountId}`}`} className="link">
            {t("operator.books.todo.look")}
          </Link>
        </li>
        <li>{t("operator.books.todo.database")}</li>
        <li>{t("operator.books.todo.correct")}</li>
        <li>
          {mayLift && accountId !== undefined ? (
            <a href={`#${liftPlace(accountId)}`} className="link">
              {t("operator.books.todo.lift")}
            </a>
          ) : (
            t("operator.books.todo.lift")
          )}
        </li>
      </ol>
    </div>
  );
}

type Found = Pick<operator.Finding, "accountId" | "invariant" | "says" | "place" | "figures">;

/** Whose books are wrong, in which way, by how much, and where to look. */
function Broken({ found: { accountId, invariant, says, place, figures }, about }: { found: Found; about?: ReactNode }) {
  const { t } = useTranslation();
  const nameOf = useNames();
  return (
    <>
      <strong className="block">
        <Link href={`/operator/accounts/${accountId}`} className="link">
          {nameOf(accountId)}
        </Link>
        {" · "}
        {faultOf(invariant, says)}
      </strong>
      <span className="small quiet block">
        {t("operator.books.rule", { invariant })}
        {about}
      </span>
      <BrokenFacts accountId={accountId} invariant={invariant} place={place} figures={figures} />
      <p className="small gap-above">
        <Link href={`/operator/accounts/${accountId}/ledger`} className="link">
          {t("operator.accounts.ledger")}
        </Link>{" "}
        ·{" "}
        <Link href={`/operator/audit-log?account=${accountId}`} className="link">
          {t("operator.books.auditLog")}
        </Link>
      </p>
    </>
  );
}

function Violation({ violation }: { violation: Found }) {
  return (
    <div className="row-line">
      <Mark shape="failed" />
      <div className="grows">
        <Broken found={violation} />
      </div>
    </div>
  );
}

function Finding({ finding, mayLift }: { finding: operator.Finding; mayLift: boolean }) {
  const { accountId, foundAt, status, liftedBy, liftReason } = finding;
  return (
    <div className="row-line">
      <Mark shape={isOpen(finding) ? "failed" : "ended"} />
      <div className="grows">
        <Broken
          found={finding}
          about={
            <>
              {" "}
              · <Moment at={foundAt} /> · {wordOf("finding", status)}{" "}
              {liftedBy !== undefined && `${personOf(liftedBy)}: ${liftReason ?? ""}`}
            </>
          }
        />
        {mayLift && (
          <div id={liftPlace(accountId)}>
            <Lift accountId={accountId} />
          </div>
        )}
      </div>
    </div>
  );
}
