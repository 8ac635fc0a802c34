import { Button, Textarea } from "@mantine/core";
import type { operator } from "@pixgate/sdk";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { showBrl } from "../../parts/amount.ts";
import { useChange } from "../../parts/change.ts";
import { Facts } from "../../parts/facts.tsx";
import { Failure, Read } from "../../parts/feedback.tsx";
import { useAddress } from "../../parts/filters.tsx";
import { showDay, showElapsed, startOfDay } from "../../parts/instant.ts";
import { Section } from "../../parts/page.tsx";
import { shortId } from "../../parts/short-id.ts";
import { type Shape, State } from "../../parts/state.tsx";
import { Moment } from "../../parts/time.tsx";
import { Timeline } from "../../parts/timeline.tsx";
import { useSession } from "../../session/session.tsx";
import { BrokenFacts } from "../books/broken.tsx";
import type { Broken } from "../books/detail.ts";
import { AGAIN_MS, useInstitutions, useNames } from "../reads.ts";
import { institutionShape, institutionWord, movementWord, personOf, saysOf, severityShape, wordOf } from "../words.ts";
import { Decision } from "./decision.tsx";
import { subjectOf } from "./subject.ts";

type Whole = operator.CaseWithHistory;

/** A case: what is known, what can be done and by whom, what was done. */
export function OneCase({ id }: { id: string }) {
  const { operator } = useSession();
  const query = useQuery({
    queryKey: ["operator", "case", id],
    queryFn: () => operator.cases.get(id),
    refetchInterval: AGAIN_MS,
  });
  return (
    <article>
      <Read query={query} lines={10}>
        {(about) => <Whole about={about} />}
      </Read>
    </article>
  );
}

function Whole({ about }: { about: Whole }) {
  const { t } = useTranslation();
  const address = useAddress();
  const nameOf = useNames();
  const { kind, amount, severity, evidence, objectId, status } = about;
  const subject = subjectOf(kind, objectId, evidence.data);
  const moved = useMovement(about);
  return (
    <>
      <p className="phone-only gap-below">
        <Link href={address.withChange({ open: null })} className="act">
          ‹ {t("operator.cases.back")}
        </Link>
      </p>
      <p className="small quiet">
        <State shape={severityShape(severity)}>{t(`operator.severityOfOne.${severity}`)}</State> ·{" "}
        {t("operator.cases.number", { id: shortId(about.id) })} · {t("operator.cases.opened")}{" "}
        <Moment at={about.openedAt} />
        {status === "open" && about.proposal?.status === "awaiting_approval" && (
          <>
            {" "}
            · <State shape="needs">{t("operator.cases.awaits")}</State>
          </>
        )}
      </p>
      <h2 className="headline case-title">
        {moved?.title ?? (
          <>
            {wordOf("kind", kind)}
            {amount !== undefined && `, ${showBrl(amount)}`}
          </>
        )}
      </h2>
      <p className="second">{wordOf("kindText", kind)}</p>
      <Deadline about={about} />
      {status === "open" && <IllBanks ids={[about.institutionId, evidence.data?.toInstitutionId]} />}
      <Section
        title={t(moved === null ? "operator.cases.known" : "operator.cases.told")}
        end={moved === null ? wordOf("source", evidence.source) : moved.toldBy}
      >
        {moved === null && <p className="words pad-top">{saysOf(kind, evidence)}</p>}
        {kind === "books_broken" && about.accountId !== undefined && (
          <BrokenFacts accountId={about.accountId} {...(evidence.data as Broken)} />
        )}
        {evidence.raw !== undefined && <pre className="code">{evidence.raw}</pre>}
        <Facts
          facts={[
            [
              t("operator.cases.account"),
              about.accountId === undefined ? null : <AccountLink key="a" id={about.accountId} />,
            ],
            ...(moved?.facts ?? []),
            [
              t("operator.cases.institution"),
              about.institutionId === undefined || moved !== null ? null : nameOf(about.institutionId),
            ],
            [t("operator.cases.object"), subject && moved === null && <SubjectLink key="object" subject={subject} />],
            [t("operator.cases.closedBecause"), about.closedBecause && wordOf("closed", about.closedBecause)],
          ]}
        />
      </Section>
      {(status === "open" || about.proposal !== undefined) && <Decision about={about} />}
      <Assignment about={about} />
      <Notes about={about} />
    </>
  );
}

/** The operation's own money that a case is about: what is to move, from where to where. */
function useMovement({ kind, status, amount, institutionId, proposal, evidence: { data } }: Whole) {
  const { t } = useTranslation();
  const nameOf = useNames();
  if (kind !== "treasury_entry" || amount === undefined || typeof data?.kind !== "string") return null;
  const { toInstitutionId: to, occurredAt, reference } = data;
  const [from, movement] = [nameOf(institutionId), movementWord(data.kind)];
  const moves = typeof to === "string";
  const title = moves
    ? t(`operator.cases.${status === "open" ? "move" : "moved"}`, { amount: showBrl(amount), from, to: nameOf(to) })
    : t("operator.cases.book", { movement, amount: showBrl(amount), institution: from });
  // What moved, and where, is in the title and in the lines to be booked.
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t("operator.cases.at"), typeof occurredAt === "string" ? <Moment key="at" at={occurredAt} /> : null],
    [
      t("operator.cases.reference"),
      typeof reference === "string" ? (
        reference
      ) : (
        <span key="none" className="quiet">
          {t("operator.cases.noReference")}
        </span>
      ),
    ],
  ];
  // Whoever recorded it says so; the second person compares it with the bank.
  const toldBy = proposal && t("operator.cases.toldBy", { name: personOf(proposal.proposedBy) });
  return { title, facts, toldBy };
}

function Deadline({ about: { deadline, status } }: { about: Whole }) {
  const { t, i18n } = useTranslation();
  if (deadline === undefined || status === "closed") return null;
  const left = new Date(deadline).getTime() - Date.now();
  const words = showElapsed(left, i18n.language);
  return (
    <p className={`case-deadline strong ${left < 12 * 3_600_000 ? "failed-text" : "needs-text"}`}>
      {left > 0 ? t("operator.cases.left", { left: words }) : t("operator.cases.passed", { left: words })} ·{" "}
      <Moment at={deadline} />
    </p>
  );
}

/** Institutions of the case that do not answer well now: whoever compares with them has to know it. */
function IllBanks({ ids }: { ids: readonly unknown[] }) {
  const { t } = useTranslation();
  const ill = (useInstitutions().data ?? []).filter(({ id, health }) => ids.includes(id) && health !== "up");
  return ill.map((one) => (
    <p key={one.id} className="pad-top">
      <State shape={institutionShape(one)}>
        {t("operator.cases.bankState", { name: one.name, state: institutionWord(one).toLowerCase() })}
      </State>
    </p>
  ));
}

function AccountLink({ id }: { id: string }) {
  const nameOf = useNames();
  return (
    <Link href={`/operator/accounts/${id}`} className="link">
      {nameOf(id)}
    </Link>
  );
}

/** What the case is about, opened where a screen shows it. */
function SubjectLink({ subject: { key, id, href, day } }: { subject: NonNullable<ReturnType<typeof subjectOf>> }) {
  const { i18n } = useTranslation();
  const text = (
    <>
      {key !== "" && wordOf("subject", key)}
      {day !== undefined && `, ${showDay(startOfDay(day), i18n.language)}`}
    </>
  );
  return (
    <>
      {href === undefined ? (
        text
      ) : (
        <Link href={href} className="link">
          {text}
        </Link>
      )}
      {id !== "" && (
        <span className="mono block" title={id}>
          {isLongId(id) ? shortId(id) : id}
        </span>
      )}
    </>
  );
}

/** A UUID, which nobody reads: an id of the bank's is read out on the phone. */
const isLongId = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);

function Assignment({ about: { id, assignee, status } }: { about: Whole }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const me = `${session.person.name} <${session.person.email ?? session.person.id}>`;
  const assign = useChange((to: string | null) => operator.cases.assign(id, { assignee: to }));
  if (status === "closed" || session.installationRole === "auditor") return null;
  return (
    <Section title={t("operator.cases.assignee")}>
      <p className="pad-top">
        {assignee === undefined ? t("operator.cases.nobody") : personOf(assignee)}{" "}
        <button type="button" className="act" onClick={() => assign.mutate(assignee === me ? null : me)}>
          {t(assignee === me ? "operator.cases.giveBack" : "operator.cases.take")}
        </button>
      </p>
      {assign.error && <Failure error={assign.error} />}
    </Section>
  );
}

function Notes({ about }: { about: Whole }) {
  const { t } = useTranslation();
  const { operator, session } = useSession();
  const [text, setText] = useState("");
  const add = useChange(
    () => operator.cases.addNote(about.id, { text: text.trim() }),
    () => setText(""),
  );
  return (
    <Section title={t("operator.cases.history")}>
      <Timeline
        steps={about.history.map(({ kind, actor, body, createdAt }) => ({
          key: createdAt + kind,
          at: createdAt,
          shape: shapeOf(kind, about),
          fact: wordOf("entry", kind),
          detail: [actor === SYSTEM ? "" : personOf(actor), textOf(about.kind, body)]
            .filter((part) => part !== "")
            .join(": "),
        }))}
      />
      {session.installationRole !== "auditor" && (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate();
          }}
        >
          <Textarea
            label={t("operator.cases.note")}
            description={t("operator.cases.noteText")}
            autosize
            minRows={2}
            maxLength={2000}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          {add.error && <Failure error={add.error} />}
          <Button type="submit" variant="default" disabled={text.trim() === ""} loading={add.isPending}>
            {t("operator.cases.addNote")}
          </Button>
        </form>
      )}
    </Section>
  );
}

/** How the log names the gateway itself. */
const SYSTEM = "pixgate";

/** Of an entry: what was refused, what waits still, what is done. */
function shapeOf(entry: string, { status, proposal }: Whole): Shape {
  if (entry === "rejected" || entry === "refused") return "failed";
  const waits = entry === "opened" ? status === "open" : proposal?.status === "awaiting_approval";
  return waits && (entry === "opened" || entry === "proposed") ? "waiting" : "done";
}

type Body = Readonly<Record<string, unknown>>;

/** The words of an entry: a note, a reason, what was found or proposed. */
function textOf(kind: string, { text, reason, says, action, data }: Body): string {
  for (const words of [text, reason]) if (typeof words === "string") return words;
  if (typeof says === "string") return saysOf(kind, { says, data: (data ?? {}) as Body });
  return typeof action === "string" ? wordOf("action", action) : "";
}
