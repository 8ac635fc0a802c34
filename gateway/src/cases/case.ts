import { bigint, instant, json, nullable, oneOf, table, text, textOf, uuid } from "../db/columns.ts";
import { present } from "../lib/present.ts";
/**
 * Cases: what a person must decide is a row, not a log line.
 *
 * A case is about one object (a withdrawal, a receipt, an institution) and says what is wrong with it. The transaction that
 * finds the fact opens the case, and the one that finds it gone closes it, so cases are never stale and never doubled:
 * there is one open case for each kind and object. What a person does about it is a proposal, which a second person
 * approves where two are required (cases/proposal.ts).
 */

/** How urgent it is. `critical`: money may be wrong or lost; `warning`: money waits; `notice`: it will soon. */
export const SEVERITIES = ["critical", "warning", "notice"] as const;
type Severity = (typeof SEVERITIES)[number];

/** Every kind of case, with its description and severity. */
export const CASE_KINDS = {
  payout_unresolved: {
    severity: "warning",
    says: "A payout was requested, and its institution has not said for long whether it was carried out.",
  },
  payout_contradiction: {
    severity: "critical",
    says: "An institution shows a payout in a way that contradicts the books.",
  },
  payout_awaiting_bank: {
    severity: "notice",
    says: "An institution holds a payout until a person approves it in the institution's own app.",
  },
  payout_unconfirmed: {
    severity: "warning",
    says: "The books were restored from a backup, and an open payout needs a decision before it is sent.",
  },
  return_unresolved: {
    severity: "warning",
    says: "A return was requested, and its institution has not said for long whether it was carried out.",
  },
  return_failed: { severity: "warning", says: "Money that must go back to its payer could not be returned." },
  block_without_return: {
    severity: "warning",
    says: "A balance block was approved, and its institution has not shown the return of the money.",
  },
  block_overdue: {
    severity: "warning",
    says: "An institution holds a payment past the time that it named, and has not said how its examination ended.",
  },
  block_contradicted: {
    severity: "critical",
    says: "A block's money was booked as gone, and its institution has closed the case without taking it.",
  },
  unmatched_receipt: { severity: "warning", says: "A received Pix belongs to no charge." },
  balance_drift: {
    severity: "critical",
    says: "The balance at an institution differs from what the books say it holds.",
  },
  reconciliation_difference: {
    severity: "critical",
    says: "The books of a day and its institution's list of that day disagree.",
  },
  books_broken: { severity: "critical", says: "The auditor found an invariant of the books broken." },
  installation_restored: {
    severity: "critical",
    says: "The database is a copy of the one that was running: nothing leaves until an operator has ended the restore.",
  },
  wallet_debt: { severity: "warning", says: "A wallet has been below zero for long." },
  treasury_entry: { severity: "notice", says: "A movement of the operator's own money waits for a second person." },
  second_person_needed: { severity: "notice", says: "What an operator asked for waits for a second person." },
  token_expiring: { severity: "notice", says: "An operator token that is in use will soon end." },
  certificate_expiring: { severity: "notice", says: "The certificate for an institution will expire soon." },
} as const satisfies Record<string, { readonly severity: Severity; readonly says: string }>;
export type CaseKind = keyof typeof CASE_KINDS;

/** Most characters of an institution's own text that a case stores. */
const RAW = 2_000;

/** What is known of the fact: a description, its source, and the institution's own text, if there is one. */
export type Evidence = {
  /** One sentence for a person. */
  readonly says: string;
  readonly source: "institution" | "books" | "auditor" | "gateway" | "operator";
  /** The persons behind the operator who reported it (http/owners.ts): they may not decide the case. */
  readonly owners?: readonly string[];
  /** The institution's text as it came, shortened; never personal data beyond what the object's own row contains. */
  readonly raw?: string;
  /** Figures and ids, for the screen. Amounts in centavos. */
  readonly data?: Readonly<
    Record<string, string | number | boolean | null | Readonly<Record<string, string | number>>>
  >;
};

/** Makes evidence; shortens an institution's text. */
export const evidence = ({
  raw,
  ...rest
}: Omit<Evidence, "raw"> & { readonly raw?: string | null | undefined }): Evidence =>
  present({
    ...rest,
    raw: raw?.slice(0, RAW),
  });

/** A fact that needs a person. */
export type CaseFact = {
  /** The account whose money it is about; the house account for matters of the installation. */
  readonly accountId: string;
  readonly kind: CaseKind;
  /** Id of the object in its own table. */
  readonly objectId: string;
  readonly institutionId: string | null;
  /** Centavos; null where it is not about an amount. */
  readonly amount: number | null;
  /** By when somebody must have acted; null: no law or institution sets a time. */
  readonly deadline: Date | null;
  readonly evidence: Evidence;
};

/** Why a case was closed. `resolved`: the fact is gone. `decided`: an operator's decision ended it. */
export type CloseReason = "resolved" | "decided";

export const cases = table({
  name: "cases",
  key: ["accountId", "caseId"],
  columns: {
    accountId: uuid,
    caseId: uuid,
    kind: textOf<CaseKind>(),
    objectId: text,
    status: oneOf(["open", "closed"]),
    severity: oneOf(["critical", "warning", "notice"] satisfies Severity[]),
    institutionId: nullable(uuid),
    amount: nullable(bigint),
    deadline: nullable(instant),
    assignee: nullable(text),
    evidence: json<Evidence>(),
    openedAt: instant,
    updatedAt: instant,
    closedAt: nullable(instant),
    closedBecause: nullable(oneOf(["resolved", "decided"])),
  },
  leftOut: ["number"],
});
