import { Button, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { operator } from "@pixgate/sdk";
import i18next from "i18next";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { showBrl } from "../../parts/amount.ts";
import { useChange } from "../../parts/change.ts";
import { Failure } from "../../parts/feedback.tsx";
import { Section } from "../../parts/page.tsx";
import { Mark } from "../../parts/state.tsx";
import { AskIfSure } from "../../parts/sure.tsx";
import { Moment } from "../../parts/time.tsx";
import { useTypedAmount } from "../../parts/typed-amount.tsx";
import { useSession } from "../../session/session.tsx";
import { useDeciders } from "../deciders.ts";
import { kindOf, OwnMoney } from "../own-money.tsx";
import { useNames } from "../reads.ts";
import { addressOf, personOf, wordOf } from "../words.ts";
import { Propose } from "./propose.tsx";

type Whole = operator.CaseWithHistory;

/** The pressed button is gone. */
const focus = (field: HTMLInputElement | null) => field?.focus();

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
      <p className="pad-top">
        {/* What is booked stands in its lines below. */}
        {(!waiting || proposal.action !== "book") && `${wordOf("actionText", proposal.action)} `}
        {waiting && <Final action={proposal.action} />}
      </p>
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
          <Why about={about} />
        </span>
      </p>
      {waiting ? (
        <p className="row-line">
          <Mark shape="needs" />
          <span>
            <strong>{t(mine || !mayDecide ? "operator.decision.missing" : "operator.decision.youMay")}</strong>
            <span className="small quiet block">
              {mine
                ? t("operator.decision.notYourself")
                : t("operator.decision.notSelf", { name: personOf(proposal.proposedBy) })}{" "}
              {(mine || !mayDecide) && <Able proposal={proposal} />}
            </span>
          </span>
        </p>
      ) : (
        <Second proposal={proposal} />
      )}
      {waiting && mayDecide && !mine && <ToCompare about={about} proposal={proposal} />}
      {waiting && mayDecide && <Approve about={about} proposal={proposal} mine={mine} />}
    </Section>
  );
}

/** Actions that nothing takes back once they are done. */
const FINAL: readonly string[] = [
  ...["assign", "treasury", "book_difference", "force_completed", "force_failed", "write_off", "acknowledge"],
  ...["expire_charge", "take_hold", "adopt", "give_back", "finish"],
];

/** What an approval cannot take back. */
function Final({ action }: { action: string }) {
  const { t } = useTranslation();
  if (action === "book") return t("operator.decision.kept");
  return FINAL.includes(action) && t("operator.decision.final");
}

/** Why own money is to be booked, in the words of who asked for it; nothing where the case is of a gateway that kept none. */
function Why({ about: { kind, evidence } }: { about: Whole }) {
  const { t } = useTranslation();
  const why = evidence.data?.description;
  if (kind !== "treasury_entry" || why === undefined) return null;
  return (
    <span className="block words">
      {typeof why === "string" ? t("operator.decision.why", { text: why }) : t("operator.decision.noWhy")}
    </span>
  );
}

/** Who of the installation may approve it, for those who may read the list of people. */
function Able({ proposal }: { proposal: operator.CaseProposal }) {
  const { t, i18n } = useTranslation();
  const names = useDeciders()
    .filter(({ email, personId }) => (email ?? personId) !== addressOf(proposal.proposedBy))
    .map(({ name }) => name);
  if (names.length === 0) return null;
  const list = new Intl.ListFormat(i18n.language, { type: "disjunction" }).format(names);
  return <>{t("operator.decision.able", { count: names.length, names: list })}</>;
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

/** What booking a movement of the operator's own money does: in which direction, and to what. */
function Booked({ about: { kind, amount, institutionId, evidence }, proposal: { action } }: Of) {
  const nameOf = useNames();
  const { kind: movement, toInstitutionId: to } = evidence.data ?? {};
  const known = kindOf(movement);
  if (kind !== "treasury_entry" || action !== "book" || amount === undefined || known === null) return null;
  return (
    <OwnMoney kind={known} brl={amount} from={nameOf(institutionId)} to={typeof to === "string" ? nameOf(to) : ""} />
  );
}

/** What a second person finds at the bank before they approve: the gateway has only the word of who asked. */
function ToCompare({ about: { amount, institutionId, evidence }, proposal: { action } }: Of) {
  const { t, i18n } = useTranslation();
  const nameOf = useNames();
  if (action !== "book" || amount === undefined) return null;
  const { toInstitutionId: to, occurredAt, reference } = evidence.data ?? {};
  const banks = [nameOf(institutionId), typeof to === "string" ? nameOf(to) : ""].filter((name) => name !== "");
  const list = new Intl.ListFormat(i18n.language).format(banks);
  return (
    <p className="gap-above">
      {t("operator.decision.check", { count: banks.length, banks: list })}{" "}
      <strong>
        {[showBrl(Math.abs(amount)), typeof reference === "string" ? reference.replaceAll(" ", "\u00a0") : ""]
          .filter((part) => part !== "")
          .join(" · ")}
        {typeof occurredAt === "string" && (
          <>
            {" · "}
            <Moment at={occurredAt} />
          </>
        )}
      </strong>
    </p>
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
  // Null: it is approved.
  const decide = useChange((rejection: { proposalId: string; reason?: string } | null) =>
    rejection === null ? operator.cases.approve(id, { proposalId: read }) : operator.cases.reject(id, rejection),
  );
  const [isAsked, setAsked] = useState(false);
  const typed = useTypedAmount(mine || amount === undefined ? null : Math.abs(amount));
  const { bar, isShort, lengthen } = useShortBar(Boolean(typed.field));
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
  const failure = decide.error && <Failure error={decide.error} />;
  if (isAsked) {
    const leave = () => setAsked(false);
    const end = (reason = "") => decide.mutate(reason === "" ? { proposalId: read } : { proposalId: read, reason });
    return (
      <>
        {failure}
        {mine ? (
          <AskIfSure
            note={t(`operator.decision.${proposal.action === "carry_out" ? "withdrawCall" : "withdrawText"}`)}
            sure={t("operator.decision.withdrawSure")}
            onAnswer={(isSure) => (isSure ? end() : leave())}
          />
        ) : (
          <Rejecting isPending={decide.isPending} onCancel={leave} onReject={end} />
        )}
      </>
    );
  }
  return (
    <>
      {failure}
      {/* Taking one's own proposal back is never what a phone keeps in sight. */}
      <div className={mine ? "acts" : typed.field ? "acts typed-acts stuck" : "acts stuck"} ref={bar}>
        {!isShort && typed.field}
        {!mine && isShort && <Button onClick={lengthen}>{`${approvalOf(proposal.action, amount)}…`}</Button>}
        {!mine && !isShort && (
          <Button loading={decide.isPending} disabled={!typed.confirmed} onClick={() => decide.mutate(null)}>
            {approvalOf(proposal.action, amount)}
          </Button>
        )}
        <Button variant="default" loading={decide.isPending} onClick={() => setAsked(true)}>
          {t(mine ? "operator.decision.withdraw" : "operator.decision.reject")}
        </Button>
      </div>
    </>
  );
}

/** What a phone keeps in sight is one line until somebody approves: the proposal stands behind it. */
function useShortBar(hasField: boolean) {
  const isPhone = useMediaQuery("(max-width: 760px)") ?? false;
  const [isLong, setLong] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isLong) bar.current?.querySelector("input")?.focus();
  }, [isLong]);
  return { bar, isShort: isPhone && hasField && !isLong, lengthen: () => setLong(true) };
}

/** On the button: what the approval does, and to which amount. */
function approvalOf(action: string, brl: number | undefined): string {
  const key = `operator.approve.${action}`;
  if (brl === undefined || !i18next.exists(key))
    return i18next.t("operator.decision.approve", { action: wordOf("action", action) });
  return i18next.t(key, { amount: showBrl(Math.abs(brl)) });
}

/** Why it is not done: whoever proposed it reads that in the case. */
function Rejecting(props: { isPending: boolean; onCancel: () => void; onReject: (reason: string) => void }) {
  const { isPending, onCancel, onReject } = props;
  const { t } = useTranslation();
  const [reason, setReason] = useState("");
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onReject(reason.trim());
      }}
    >
      <TextInput
        label={t("operator.decision.rejectReason")}
        description={t("operator.decision.rejectText")}
        maxLength={500}
        ref={focus}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <div className="acts stuck">
        <Button variant="default" onClick={onCancel}>
          {t("sure.not")}
        </Button>
        <Button type="submit" color="red" loading={isPending}>
          {t("operator.decision.rejectSure")}
        </Button>
      </div>
    </form>
  );
}
