import type { operator } from "@pixgate/sdk";
import { useActivity } from "../reads.ts";

type Institution = Pick<operator.OperatorInstitution, "id" | "status" | "health" | "healthSince">;
type Activity = operator.InstitutionActivity | undefined;

/**
 * Since when an institution is as it is. Of an outage that is its beginning, as its history has it: between two tries
 * it may answer for a moment, which begins a state and no outage.
 */
export function illSince({ id, status, health, healthSince }: Institution, activity: Activity): Date {
  const isIll = status === "active" && health !== "up";
  const outage = isIll
    ? activity?.outages.find(({ institutionId, until }) => institutionId === id && until === null)
    : undefined;
  return new Date(outage !== undefined && outage.from < healthSince ? outage.from : healthSince);
}

export const useIllSince = (one: Institution): Date => illSince(one, useActivity().data);
