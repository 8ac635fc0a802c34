/** Every operation of the committed documents as a call, filled with the documents' own examples. */
import { readFileSync } from "node:fs";
import { type Call, callOf } from "../../src/http/docs/call.js";

type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: { readonly required?: boolean };
};
type Document = { readonly paths: Record<string, Record<string, Operation>> };
type Sampled = { readonly call: Call; readonly operation: Operation };

/** @param given as the page's form would have it, for one of the operations. */
export function sampledOperations(
  given: { operationId?: string; values?: Record<string, string>; body?: string } = {},
): Sampled[] {
  return ["merchant", "operator"].flatMap((name) => {
    const url = new URL(`../../../openapi/${name}.json`, import.meta.url);
    const api = JSON.parse(readFileSync(url, "utf8")) as Document;
    return Object.entries(api.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        operation,
        call: callOf(api, { path, method, operation }, given.operationId === operation.operationId ? given : {}),
      })),
    );
  });
}

/** The sample of one operation, the merchants' where both documents have it. */
export function sampled(operationId: string, given: { values?: Record<string, string>; body?: string } = {}): Call {
  const found = sampledOperations({ operationId, ...given }).find(({ call }) => call.operationId === operationId);
  if (found === undefined) throw new Error(`no operation ${operationId}`);
  return found.call;
}
