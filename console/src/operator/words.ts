import type { operator } from "@pixgate/sdk";
import i18next from "i18next";
import type { Shape } from "../parts/state.tsx";

/** A code of the API in words; the code itself where a newer gateway has one that the texts lack. */
export function wordOf(group: string, code: string): string {
  const key = `operator.${group}.${code}`;
  return i18next.exists(key) ? i18next.t(key) : code;
}

/** `Rosana <r@example.com>` → `Rosana`: the audit log's name of a person, without the address. */
export const personOf = (actor: string): string => actor.replace(/ <[^>]*>$/, "");

export const severityShape = (severity: operator.Case["severity"]): Shape =>
  severity === "critical" ? "failed" : severity === "warning" ? "needs" : "waiting";

/** How an institution is: what it is set to comes before what was measured. */
export function institutionShape({ status, health }: Pick<operator.OperatorInstitution, "status" | "health">): Shape {
  if (status !== "active") return "ended";
  return health === "up" ? "done" : health === "down" ? "failed" : "needs";
}

export function institutionWord({ status, health }: Pick<operator.OperatorInstitution, "status" | "health">): string {
  return status === "active" ? wordOf("health", health) : wordOf("institutionStatus", status);
}
