import type { OpenApiDocument, Schema } from "./document.ts";

type Documents = Readonly<Record<"merchant" | "operator", OpenApiDocument>>;
type List = readonly [name: string, about: string, api: keyof Documents, schema: string, field: string];

/** Lists of values that programs may want to offer, each with the schema and field that define them. */
const LISTS: readonly List[] = [
  [
    "EVENT_KINDS",
    "Every kind of event that a webhook may report, in the order of the reference.",
    ...(["merchant", "WebhookTestRequest", "event"] as const),
  ],
  ["PERMISSIONS", "Every permission that a credential may have.", "operator", "CredentialRequest", "permissions"],
  ["TRANSACTION_STATUSES", "The statuses of a transaction, and of a charge.", "merchant", "Transaction", "status"],
  ["TRANSACTION_TYPES", "The kinds of transactions.", "merchant", "Transaction", "type"],
  ["WITHDRAWAL_STATUSES", "The statuses of a withdrawal.", "merchant", "Withdrawal", "status"],
  ["PENDING_REASONS", "What a withdrawal may wait for.", "merchant", "Withdrawal", "pendingReason"],
  ["PIX_KEY_TYPES", "The types of PIX keys.", "merchant", "Withdrawal", "snapshotPixKeyType"],
  ["REFUND_STATUSES", "The statuses of a refund.", "merchant", "Refund", "status"],
  ["BLOCK_STATUSES", "The statuses of a balance block.", "merchant", "BalanceBlock", "status"],
  ["BLOCK_TYPES", "The kinds of balance blocks.", "merchant", "BalanceBlock", "blockType"],
  ["CASE_KINDS", "The kinds of cases that operators decide.", "operator", "Case", "kind"],
  ["CASE_SEVERITIES", "How urgent a case is, the most urgent first.", "operator", "Case", "severity"],
  ["OPERATOR_ROLES", "The roles of operators.", "operator", "OperatorTokenRequest", "role"],
  ["OPERATOR_TOKEN_KINDS", "Who uses an operator's token.", "operator", "OperatorTokenRequest", "kind"],
  ["TREASURY_KINDS", "The movements of their own money that operators record.", "operator", "TreasuryRequest", "kind"],
  ["BRAKE_SCOPES", "What a brake stops.", "operator", "BrakeRequest", "scope"],
];

/** The lists as constants. */
export const valuesOf = (documents: Documents): string =>
  ["", ...LISTS.flatMap((list) => [`/** ${list[1]} */`, constantOf(documents, list)])].join("\n");

function constantOf(documents: Documents, [name, , api, schema, field]: List): string {
  const found: Schema | undefined = documents[api].components.schemas[schema]?.properties?.[field];
  const values = [found, found?.items].map((part) => part?.enum ?? part?.["x-extensible-enum"]).find(Boolean);
  if (values === undefined) throw new Error(`the documents have no values for ${name}`);
  return `export const ${name} = [\n${values.map((value) => `  "${value}",`).join("\n")}\n] as const;\n`;
}
