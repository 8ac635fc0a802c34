/** The tools: one for each operation of an API. */
import { type OpenApi, type Operation, readDocument, type Schema, type Side } from "./document.ts";
import { inputSchemaOf, outputSchemaOf, parametersOf } from "./schema.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Tool = {
  /** The operation's id with `_` for its dot: clients of language models refuse dots. */
  readonly name: string;
  /** Such as `charges.create`. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly method: Method;
  /** Below the API's version, with the names of its parameters in braces. */
  readonly path: string;
  /** Names of the parameters of the query. */
  readonly query: readonly string[];
  /** The permission or role that the gateway asks for; null: none. The description names it too. */
  readonly needs: string | null;
  readonly writes: boolean;
  /** Whether a person confirms the exact effect before it acts. */
  readonly confirms: boolean;
  /** Whether its answer holds a secret. */
  readonly showsSecret: boolean;
  /** What cannot be taken back, in a sentence; null: nothing. */
  readonly final: string | null;
  readonly inputSchema: Schema & { type: "object" };
  /** Of its structured answer; null: that is none, or a list. */
  readonly outputSchema: (Schema & { type: "object" }) | null;
};

/** The path's beginning, which the SDK adds. */
const PREFIX: Readonly<Record<Side, string>> = { merchant: "/v2", operator: "/operator/v1" };

/** The SDK logs in by itself, and an agent has no use for a token. */
const LEFT_OUT = ["auth.createToken"];

/** POSTs that change nothing. */
const READING_POSTS = ["charges.quote", "charges.previewDue"];

/**
 * Writes that act at once. Each moves no money of anybody, shows no secret, and can be undone or done again; those of the
 * sandbox move the simulator's money. Every other write is confirmed first, those of later versions too.
 */
export const UNCONFIRMED: readonly string[] = [
  ...[
    "charges.create",
    "charges.update",
    "charges.cancel",
    "transactions.update",
    "qrCodes.create",
    "qrCodes.update",
    "subAccounts.create",
    "projects.create",
  ],
  ...["webhookEndpoints.test", "webhookEndpoints.finishRotation", "webhookDeliveries.redeliver"],
  ...["sandbox.pay", "sandbox.payQrCode", "sandbox.expire", "sandbox.settleRefund", "sandbox.settleWithdrawal"],
  ...["sandbox.contest", "sandbox.changeContest", "sandbox.resolveContest"],
  ...["cases.assign", "cases.addNote", "institutions.test", "withdrawals.query", "ledger.audit"],
];

/** Every tool of an API, in the order of its document. */
export function catalogueOf(side: Side): Tool[] {
  const document = readDocument(side);
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(
        ([, operation]) => !LEFT_OUT.includes(operation.operationId) && takesJson(operation) && answersJson(operation),
      )
      .map(([method, operation]) =>
        toolOf(document, method.toUpperCase() as Method, path.slice(PREFIX[side].length), operation),
      ),
  );
}

/** Whether it takes a body in JSON, or none: a model has no file to send. */
const takesJson = ({ requestBody }: Operation): boolean =>
  requestBody === undefined || "application/json" in requestBody.content;

/** Whether it has an answer in JSON, or none at all; an export of millions of lines is nothing for a model. */
function answersJson({ responses }: Operation): boolean {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  return success?.content === undefined || "application/json" in success.content;
}

function toolOf(document: OpenApi, method: Method, path: string, operation: Operation): Tool {
  const { operationId, summary, description = "" } = operation;
  const writes = method !== "GET" && !READING_POSTS.includes(operationId);
  const showsSecret = operation["x-shows-secret"] === true;
  const confirms = showsSecret || (writes && !UNCONFIRMED.includes(operationId));
  return {
    name: operationId.replace(".", "_"),
    operationId,
    summary,
    description: [
      `${summary}.`,
      description,
      ...(confirms ? ["A person is asked with the exact effect before this acts."] : []),
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
    method,
    path,
    query: parametersOf(document, operation)
      .filter((parameter) => parameter.in === "query")
      .map(({ name }) => name),
    needs: operation["x-permission"] ?? operation["x-role"] ?? null,
    writes,
    confirms,
    showsSecret,
    final: operation["x-final"] ?? null,
    inputSchema: inputSchemaOf(document, operation, confirms),
    outputSchema: outputSchemaOf(document, operation, confirms),
  };
}
