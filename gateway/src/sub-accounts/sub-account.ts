import { type Static, Type } from "typebox";
import { component, ref, Words } from "../http/contract.ts";

export const SubAccountRequest = component(
  "SubAccountRequest",
  Type.Object(
    {
      reference: Type.String({
        pattern: "^[a-z0-9][a-z0-9_-]{1,31}$",
        description: "Your name for it: unique in the account, never changed. `principal` is the main account's.",
        "x-error-codes": { "*": "SUB_ACCOUNT_INVALID_REFERENCE" },
      }),
      name: Type.Optional(Words({ maxLength: 255, description: "Display name; left out: the reference." })),
    },
    { additionalProperties: false, description: "A sub-account to open." },
  ),
);

export const SubAccount = component(
  "SubAccount",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "Id of the sub-account." }),
      reference: Type.String({ description: "What `X-Sub-Account` and the `subAccount` of events say." }),
      name: Type.String({ description: "Display name." }),
      status: Type.Enum(["approved", "suspended"], { description: "Suspended: every call for it is refused." }),
      createdAt: Type.String({ format: "date-time", description: "When it was created." }),
    },
    { description: "A wallet of the account with a balance of its own." },
  ),
);
export type SubAccount = Static<typeof SubAccount>;

export const SubAccountList = component(
  "SubAccountList",
  Type.Object(
    { data: Type.Array(ref(SubAccount), { description: "Every sub-account of the account, newest first." }) },
    { description: "The sub-accounts of an account." },
  ),
);

/** A sub-account's row of `wallets`. */
export type SubAccountRow = {
  wallet_id: string;
  reference: string;
  name: string;
  status: SubAccount["status"];
  created_at: Date;
};

export const toSubAccount = (row: SubAccountRow): SubAccount => ({
  id: row.wallet_id,
  reference: row.reference,
  name: row.name,
  status: row.status,
  createdAt: row.created_at.toISOString(),
});
