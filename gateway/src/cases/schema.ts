import { type Static, Type } from "typebox";
import { AnswerObject, AnswerPart, OPEN, ref } from "../http/contract.ts";
import { pageFields } from "../http/pages.ts";
import { CASE_KINDS, type CaseKind, SEVERITIES } from "./case.ts";
import { PROPOSAL_STATUSES } from "./proposal.ts";

export const KIND_NAMES = Object.keys(CASE_KINDS) as readonly CaseKind[];

export const CaseEvidence = AnswerObject("CaseEvidence", "What is known of a case.", {
  says: Type.String({ description: "What is known, in one sentence." }),
  source: Type.Enum(["institution", "books", "auditor", "gateway", "operator"], {
    ...OPEN,
    description: "Who said it.",
  }),
  raw: Type.Optional(Type.String({ description: "The institution's own words, cut to 2,000 characters." })),
  data: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "Figures and ids; amounts in centavos." }),
  ),
});

const CaseFacts = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });
const CaseBasis = AnswerObject(
  "CaseBasis",
  "What a proposal rests on, as it was when it was proposed; amounts in centavos. What has changed by the time it is executed is refused.",
  {
    case: CaseFacts("The case: its status, and what its evidence says."),
    object: CaseFacts("What the case is about, as the books have it."),
    outside: CaseFacts(
      "What is outside of these books: what the institution says of it, or the charge that a receipt is assigned to. Empty where the action assumes nothing of that.",
    ),
  },
);

export const CaseProposal = AnswerObject("CaseProposal", "What an operator wants done about a case.", {
  id: Type.String({ format: "uuid", description: "Id of the proposal." }),
  action: Type.String({ description: "What is to be done." }),
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: "With what." }),
  basis: ref(CaseBasis),
  status: Type.Enum([...PROPOSAL_STATUSES], {
    type: "string",
    description:
      "`approved`: it is being executed. `refused`: executing it was not possible any more (`result`; with `code` `CASE_CHANGED` its `changes` say which fact of `basis` `was` and `is` what). `rejected`: an operator did not approve it.",
  }),
  proposedBy: Type.String({ description: "Name of the operator who proposed it." }),
  proposedAt: Type.String({ format: "date-time", description: "When." }),
  decidedBy: Type.Optional(Type.String({ description: "Name of the operator who approved or rejected it." })),
  decidedAt: Type.Optional(Type.String({ format: "date-time", description: "When." })),
  result: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "What executing it came to." })),
});

export const CaseParameter = AnswerObject("CaseParameter", "What an action of a case needs or may have.", {
  name: Type.String({ description: "Its name in `parameters`." }),
  required: Type.Boolean({ description: "False: it may be left out." }),
  type: Type.Enum(["string", "number"], { description: "Of its value; a number is BRL." }),
  values: Type.Optional(Type.Array(Type.String(), { description: "Only these; left out: any." })),
});

const fields = {
  id: Type.String({ format: "uuid", description: "Id of the case." }),
  kind: Type.Enum([...KIND_NAMES], { ...OPEN, type: "string", description: "What it is about; kinds may be added." }),
  says: Type.String({ description: "What this kind of case means." }),
  status: Type.Enum(["open", "closed"], { description: "Open until the fact is gone, or a decision ended it." }),
  severity: Type.Enum([...SEVERITIES], { description: "`critical`: money may be wrong or lost. `warning`: it waits." }),
  accountId: Type.Optional(
    Type.String({ format: "uuid", description: "Whose money it is about; left out: the installation's." }),
  ),
  institutionId: Type.Optional(Type.String({ format: "uuid", description: "The institution that it is about." })),
  objectId: Type.String({ description: "Id of the withdrawal, return, receipt, block or institution." }),
  amount: Type.Optional(Type.Number({ description: "BRL." })),
  deadline: Type.Optional(Type.String({ format: "date-time", description: "Until when somebody must have acted." })),
  assignee: Type.Optional(Type.String({ description: "Name of the operator who works on it." })),
  evidence: ref(CaseEvidence),
  openedAt: Type.String({ format: "date-time", description: "When it was opened." }),
  updatedAt: Type.String({ format: "date-time", description: "When it changed last." }),
  closedAt: Type.Optional(Type.String({ format: "date-time", description: "When it was closed." })),
  closedBecause: Type.Optional(
    Type.Enum(["resolved", "decided"], { description: "The fact is gone, or an operator's decision ended it." }),
  ),
  proposal: Type.Optional(ref(CaseProposal)),
};

export const Case = AnswerObject("Case", "What a person must decide.", fields);
export type Case = Static<typeof Case>;

export const CaseEntry = AnswerObject("CaseEntry", "One entry of a case's history.", {
  kind: Type.String({
    description:
      "`opened`, `evidence`, `note`, `assigned`, `proposed`, `approved`, `rejected`, `executed`, `refused`, `closed`.",
  }),
  actor: Type.String({ description: "Name of the operator; `pixgate` for what the gateway found." }),
  body: Type.Record(Type.String(), Type.Unknown(), { description: "What was found, noted or decided." }),
  createdAt: Type.String({ format: "date-time", description: "When." }),
});

export const CaseWithHistory = AnswerObject(
  "CaseWithHistory",
  "A case with its history and what can be done about it.",
  {
    ...fields,
    actions: Type.Array(
      AnswerPart("An action that fits this case.", {
        action: Type.String({ description: "Name for `POST …/propose`." }),
        says: Type.String({ description: "What it will do." }),
        parameters: Type.Array(ref(CaseParameter), { description: "What `parameters` of the proposal may hold." }),
      }),
      { description: "What can be proposed." },
    ),
    history: Type.Array(ref(CaseEntry), { description: "Oldest first." }),
  },
);

export const CaseCount = AnswerObject("CaseCount", "How many cases of a kind are open.", {
  kind: Type.String({ description: "Kind of case." }),
  severity: Type.Enum([...SEVERITIES], { description: "Its severity." }),
  count: Type.Integer({ description: "Open cases." }),
});

export const CasePage = AnswerObject("CasePage", "A page of cases.", {
  ...pageFields(Case),
  counts: Type.Optional(Type.Array(ref(CaseCount), { description: "Only with `counts=true`." })),
});
