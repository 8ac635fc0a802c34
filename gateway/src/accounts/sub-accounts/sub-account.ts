import { type Static, Type } from "typebox";
import { AnswerObject, AnswerPart, FreeObject, OrNull, RequestObject, ref, Words } from "../../http/contract.ts";
import { Metadata } from "../../http/metadata.ts";
import { NextCursor } from "../../http/whole-list.ts";
import { toBrl } from "../../lib/money.ts";
import { present } from "../../lib/present.ts";
import type { SubAccountRow } from "../wallet.ts";

export const SubAccountRequest = RequestObject("SubAccountRequest", "A sub-account to open.", {
  reference: Type.String({
    pattern: "^[a-z0-9][a-z0-9_-]{1,31}$",
    description: "Your name for it: unique in the account, never changed. `principal` is the main account's.",
    "x-error-codes": { "*": "SUB_ACCOUNT_INVALID_REFERENCE" },
  }),
  name: Type.Optional(Words({ maxLength: 255, description: "Display name; left out: the reference." })),
});

export const SubAccountUpdate = RequestObject(
  "SubAccountUpdate",
  "What to change of a sub-account; what is left out stays.",
  {
    name: Type.Optional(Words({ maxLength: 255, description: "Display name." })),
    status: Type.Optional(
      Type.Enum(["approved", "suspended"], {
        description:
          "Suspended: every call for it is refused and nothing of it is sent; its earlier charges are still credited.",
      }),
    ),
    document: Type.Optional(
      OrNull(
        Type.String({ maxLength: 18 }),
        "CPF or CNPJ of whose wallet it is, with right check digits; null removes it.",
      ),
    ),
    metadata: Type.Optional(
      OrNull(
        Metadata("Your notes, replaced as a whole; null removes them."),
        "Your notes, replaced as a whole; null removes them.",
      ),
    ),
  },
);
export type SubAccountUpdate = Static<typeof SubAccountUpdate>;

const shownLimit = (description: string) => OrNull(Type.Number(), `${description}, BRL; null: no limit.`);

export const SubAccount = AnswerObject("SubAccount", "A wallet of the account with a balance of its own.", {
  id: Type.String({ format: "uuid", description: "Id of the sub-account." }),
  reference: Type.String({ description: "What `X-Sub-Account` and the `subAccount` of events say." }),
  name: Type.String({ description: "Display name." }),
  status: Type.Enum(["approved", "suspended"], { description: "Suspended: every call for it is refused." }),
  suspendedBy: Type.Optional(
    Type.Enum(["merchant", "operator"], {
      description: "Extension. Who suspended it: what the operator suspended only the operator lifts.",
    }),
  ),
  document: Type.Optional(Type.String({ description: "Extension. CPF or CNPJ of whose wallet it is." })),
  metadata: Type.Optional(FreeObject({ description: "Extension. Your notes." })),
  limits: Type.Optional(
    AnswerPart(
      "Extension. Limits of its withdrawals, beside the account's; only where the operator has set one. `GET /account` with its `X-Sub-Account` shows what is left of them.",
      {
        perWithdrawal: shownLimit("Most of one withdrawal"),
        perDay: shownLimit("Most of all withdrawals of a day, São Paulo time"),
        perNight: shownLimit("Most of all withdrawals of a night, 20:00 to 06:00, São Paulo time"),
      },
    ),
  ),
  createdAt: Type.String({ format: "date-time", description: "When it was created." }),
});
export type SubAccount = Static<typeof SubAccount>;

export const SubAccountList = AnswerObject("SubAccountList", "The sub-accounts of an account.", {
  data: Type.Array(ref(SubAccount), { description: "The sub-accounts of the account, newest first." }),
  nextCursor: NextCursor,
});

export const toSubAccount = (row: SubAccountRow): SubAccount =>
  present({
    id: row.walletId,
    reference: row.reference,
    name: row.name,
    status: row.status,
    suspendedBy: row.suspendedBy,
    document: row.document,
    metadata: row.metadata,
    ...(LIMIT_COLUMNS.every((column) => row[column] === null)
      ? {}
      : {
          limits: {
            perWithdrawal: brl(row.limitPerWithdrawal),
            perDay: brl(row.limitPerDay),
            perNight: brl(row.limitPerNight),
          },
        }),
    createdAt: row.createdAt.toISOString(),
  });

const LIMIT_COLUMNS = ["limitPerWithdrawal", "limitPerDay", "limitPerNight"] as const;
const brl = (centavos: number | null): number | null => (centavos === null ? null : toBrl(centavos));
