import { type Static, Type } from "typebox";
import { AnswerObject, OPEN, ref } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { FOUND_BY, FOUND_KINDS, type FoundRow, MOST } from "./find.ts";
import { type Question, readQuestion } from "./question.ts";

const text = (description: string) => Type.Optional(Type.String({ description }));

const SearchHit = AnswerObject("SearchHit", "Something that a search found.", {
  kind: Type.Enum([...FOUND_KINDS], { ...OPEN, type: "string", description: "What it is." }),
  by: Type.Enum([...FOUND_BY], { ...OPEN, type: "string", description: "By what it was found." }),
  id: Type.String({
    format: "uuid",
    description: "Its id; of a `receipt` that of the charge it belongs to, where there is one.",
  }),
  accountId: Type.String({ format: "uuid", description: "Whose it is." }),
  subAccount: text("Reference of its wallet; left out: the main account."),
  status: text("Its status; for a receipt its outcome, for a movement its type."),
  amount: Type.Optional(Type.Number({ description: "BRL." })),
  e2eId: text("End-to-end id of the Pix."),
  reference: text("The merchant's reference, the txid, the client id or the address that it has."),
  name: text("Name of the payer, receiver, account or credential. A role that may not read payers gets initials."),
  document: text("CPF or CNPJ of the payer, receiver or account; masked for a role that may not read payers."),
  at: Type.String({ format: "date-time", description: "When it was made, or paid." }),
});

export const SearchResult = AnswerObject("SearchResult", "What a search found.", {
  items: Type.Array(ref(SearchHit), { description: "Newest first." }),
  readAs: Type.Array(Type.Enum([...FOUND_BY], { ...OPEN, type: "string" }), {
    description:
      "What the text can be by its form: `id`, `e2eId`, `txid`, `document`, `email`, `amountOnDay`, `amount`. It was also compared with references and keys.",
  }),
  more: Type.Boolean({
    description: `True when there may be more: a search answers with at most ${MOST} of each kind.`,
  }),
});

export const SearchQuery = Type.Object({
  q: Type.String({
    minLength: 3,
    maxLength: 255,
    description:
      "An id, end-to-end id, txid, CPF or CNPJ, e-mail address, reference or idempotency key, whole; or an amount and a day, such as `150,00 2026-11-20` or `150,00 hoje`. Within a wallet also a part of a name, or an amount alone.",
    examples: ["order-1042"],
  }),
});

/** The question. 400 where it contains nothing to search for. */
export function questionOf(q: string, now: Date): Question {
  const question = readQuestion(q, now);
  if (question.text.length < 3) throw invalid("q", "must have 3 characters at least");
  return question;
}

/** @param masked whether names and documents of people are masked. */
export function toResult(
  question: Question,
  { rows, areAll }: { readonly rows: readonly FoundRow[]; readonly areAll: boolean },
  masked: boolean,
): Static<typeof SearchResult> {
  const counts = Map.groupBy(rows, ({ kind, by }) => `${kind} ${by}`);
  return {
    items: rows.map(({ amount, at, name, document, ...row }) =>
      present<Static<typeof SearchResult>["items"][number]>({
        kind: row.kind,
        by: row.by,
        id: row.id,
        accountId: row.accountId,
        ...shown({ subAccount: row.subAccount, status: row.status, e2eId: row.e2eId }),
        // Addresses of endpoints often hold a secret.
        ...shown({ reference: masked && row.kind === "endpoint" ? null : row.reference }),
        ...shown(
          masked && !OURS.includes(row.kind)
            ? { name: name && initials(name), document: document && maskDocument(document) }
            : { name, document },
        ),
        amount: toBrl(amount),
        at: at.toISOString(),
      }),
    ),
    readAs: formsOf(question),
    more: !areAll || [...counts.values()].some((of) => of.length >= MOST),
  };
}

const formsOf = ({ id, e2eId, txid, document, email, amountOnDay, amount }: Question): FoundRow["by"][] =>
  Object.entries({ id, e2eId, txid, document, email, amountOnDay, amount }).flatMap(([form, value]) =>
    value === null ? [] : [form as FoundRow["by"]],
  );

/** Objects that name no payer and no receiver. */
const OURS: readonly FoundRow["kind"][] = [
  "account",
  "subAccount",
  "credential",
  "endpoint",
  "paymentLink",
  "qrCode",
  "project",
];

const shown = (fields: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null));

/** The masked form `***456789**` of a CPF, which receipts of a Pix show; of a CNPJ also its middle part. */
const maskDocument = (document: string): string => `***${document.slice(3, -2)}**`;
const initials = (name: string): string =>
  name
    .split(/\s+/)
    .map((word) => `${word.slice(0, 1)}.`)
    .join(" ");
