import { Button } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answers } from "../../generated/answers.ts";
import { showBrl } from "../../parts/amount.ts";
import { useChange } from "../../parts/change.ts";
import { Sums } from "../../parts/facts.tsx";
import { Failure } from "../../parts/feedback.tsx";
import { Section } from "../../parts/page.tsx";
import { Mark } from "../../parts/state.tsx";
import { Moment } from "../../parts/time.tsx";
import { useTypedAmount } from "../../parts/typed-amount.tsx";
import { callConsole, unlessForbidden } from "../../session/calls.ts";
import { useSession } from "../../session/session.tsx";
import { useNames } from "../reads.ts";
import { addressOf, personOf, wordOf } from "../words.ts";
import { Propose } from "./propose.tsx";

type Whole = operator.CaseWithHistory;
/** What can be done about a case: a proposal by one person, its approval by another. */
export function Decision({ about }: { about: Whole }) {
  const { session } = useSession();
  const { proposal } = about;
  const mayDecide = session.installationRole === "finance" || session.installationRole === "admin";
  const ended = proposal !== undefined && (proposal.status === "rejected" || proposal.status === "refused");
  return (
    <>
      {proposal !== undefined && <TwoPersons about={about} proposal={proposal} mayDecide={mayDecide} />}
      {about.status === "open" && (proposal === undefined || ended) && <Propose about={about} mayDecide={mayDecide} />}
    </>
  );
}

type Of = { about: Whole; proposal: operator.CaseProposal };

function TwoPersons({ about, proposal, mayDecide }: Of & { mayDecide: boolean }) {
  const { t } = useTranslation();
  const { session } = useSession();
  const mine = addressOf(proposal.proposedBy) === (session.person.email ?? session.person.id);
  const waiting = proposal.status === "awaiting_approval" && about.status === "open";
  return (
    <Section title={t("operator.decision.title", { action: wordOf("action", proposal.action) })}>
      <p className="pad-top">{wordOf("actionText", proposal.action)}</p>
      <Parameters parameters={proposal.parameters} />
      <Booked about={about} proposal={proposal} />
      <p className="row-line">
        <Mark shape="done" />
        <span>
          <strong>{t("operator.decision.proposed", { name: personOf(proposal.proposedBy) })}</strong>{" "}
          <span className="quiet">
            <Address of={proposal.proposedBy} />
            <Moment at={proposal.proposedAt} seconds />
          </span>
        </span>
      </p>
      {waiting ? (
        <p className="row-line">
          <Mark shape="needs" />
          <span>
            <strong>{t(mine || !mayDecide ? "operator.decision.missing" : "operator.decision.youMay")}</strong>
            <span className="small quiet block">
              {t("operator.decision.notSelf", { name: personOf(proposal.proposedBy) })} <Able proposal={proposal} />
            </span>
          </span>
        </p>
      ) : (
        <Second proposal={proposal} />
      )}
      {waiting && mayDecide && <Approve about={about} proposal={proposal} mine={mine} />}
    </Section>
  );
}

/** Who of the installation may approve it, for those who may read the list of people. */
function Able({ proposal }: { proposal: operator.CaseProposal }) {
  const { t, i18n } = useTranslation();
  const query = useQuery({
    queryKey: ["operator", "people", "able"],
    queryFn: () => unlessForbidden(callConsole<Answers["listPeople"]>("GET", "/people")),
  });
  const names = (query.data?.items ?? [])
    .filter(({ role }) => role === "finance" || role === "admin")
    .filter(({ email, personId }) => (email ?? personId) !== addressOf(proposal.proposedBy))
    .map(({ name }) => name);
  if (names.length === 0) return null;
  const list = new Intl.ListFormat(i18n.language, { type: "disjunction" }).format(names);
  return <>{t("operator.decision.able", { names: list })}</>;
}

function Second({ proposal: { status, decidedBy, decidedAt } }: { proposal: operator.CaseProposal }) {
  const good = status === "executed" || status === "approved";
  return (
    <p className="row-line">
      <Mark shape={good ? "done" : "failed"} />
      <span>
        <strong>
          {wordOf("proposal", status)}
          {decidedBy !== undefined && `: ${personOf(decidedBy)}`}
        </strong>{" "}
        <span className="quiet">
          {decidedBy !== undefined && <Address of={decidedBy} />}
          {decidedAt !== undefined && <Moment at={decidedAt} seconds />}
        </span>
      </span>
    </p>
  );
}

/** What a move between institutions books: what leaves the one is what the other gets. */
function Booked({ about: { kind, amount, institutionId, evidence }, proposal: { action } }: Of) {
  const { t } = useTranslation();
  const nameOf = useNames();
  const to = evidence.data?.toInstitutionId;
  if (kind !== "treasury_entry" || action !== "book" || amount === undefined || typeof to !== "string") return null;
  return (
    <Sums
      lines={[
        [t("operator.decision.leaves", { name: nameOf(institutionId) }), -amount],
        [t("operator.decision.enters", { name: nameOf(to) }), amount],
      ]}
      total={[t("operator.decision.sum"), 0]}
    />
  );
}

/** Of two people with one name, which one: anybody may change their own name. */
function Address({ of }: { of: string }) {
  const address = addressOf(of);
  // Somebody without an address is named by an id, which tells nobody anything.
  return address?.includes("@") && <>{address} · </>;
}

function Parameters({ parameters }: { parameters: Readonly<Record<string, unknown>> }) {
  const shown = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined);
  if (shown.length === 0) return null;
  return (
    <dl className="facts gap-below">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{wordOf("parameter", name)}</dt>
          <dd>
            {name === "amount" && typeof value === "number"
              ? showBrl(value)
              : name === "kind"
                ? wordOf("movement", String(value))
                : String(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Decides about the proposal that the person has read: when another one takes its place, it is shown, and has to be read first. */
function Approve({ about: { id, amount }, proposal, mine }: Of & { mine: boolean }) {
  const { t } = useTranslation();
  const { operator } = useSession();
  const [read, setRead] = useState(proposal.id);
  const decide = useChange((what: "approve" | "reject") => operator.cases[what](id, { proposalId: read }));
  const typed = useTypedAmount(mine || amount === undefined ? null : Math.abs(amount));
  const action = wordOf("action", proposal.action);
  if (read !== proposal.id) {
    return (
      <>
        <p className="row-line" role="alert">
          <Mark shape="needs" />
          <strong>{t("operator.decision.changed", { name: personOf(proposal.proposedBy), action })}</strong>
        </p>
        <div className="acts stuck">
          <Button variant="default" onClick={() => setRead(proposal.id)}>
            {t("operator.decision.readAgain")}
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      {typed.field}
      {decide.error && <Failure error={decide.error} />}
      <div className="acts stuck">
        {!mine && (
          <Button loading={decide.isPending} disabled={!typed.confirmed} onClick={() => decide.mutate("approve")}>
            {amount === undefined
              ? t("operator.decision.approve", { action })
              : t("operator.decision.approveAmount", { action, amount: showBrl(amount) })}
          </Button>
        )}
        <Button variant="default" loading={decide.isPending} onClick={() => decide.mutate("reject")}>
          {t(mine ? "operator.decision.withdraw" : "operator.decision.reject")}
        </Button>
      </div>
    </>
  );
}
