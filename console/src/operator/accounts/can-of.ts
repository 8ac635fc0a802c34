import type { operator } from "@pixgate/sdk";

type Account = Pick<operator.OperatorAccount, "id" | "status" | "withdrawalsFrozen" | "limits" | "payouts">;
type Institution = Pick<operator.OperatorInstitution, "id" | "health" | "capabilities">;

export type Can = {
  readonly word:
    | "suspended"
    | "none"
    | "down"
    | "chargesDown"
    | "frozen"
    | "braked"
    | "chargesOnly"
    | "payoutsOnly"
    | "payoutsDown"
    | "oneUnlimited"
    | "one"
    | "unlimited"
    | "all";
  readonly shape: "done" | "needs" | "failed" | "ended";
};

/** What the account can do now: what stops most of it comes first. `used`: the institutions it uses that are in use at all. */
export function canOf(
  { id, status, withdrawalsFrozen, limits, payouts }: Account,
  used: readonly Institution[],
  brakes: readonly operator.Brake[],
): Can {
  const isBraked = (targetId: string) => brakes.some((one) => one.targetId === targetId);
  const charging = used.filter(({ capabilities }) => capabilities?.charges.length !== 0);
  const pays = used.filter(({ capabilities }) => capabilities?.payouts !== null);
  if (status === "suspended") return { word: "suspended", shape: "ended" };
  if (used.length === 0) return { word: "none", shape: "failed" };
  if (areDown(used)) return { word: "down", shape: "failed" };
  if (charging.length === 0) return { word: "payoutsOnly", shape: "needs" };
  if (areDown(charging)) return { word: "chargesDown", shape: "failed" };
  if (withdrawalsFrozen !== undefined) return { word: "frozen", shape: "failed" };
  if (pays.length === 0) return { word: "chargesOnly", shape: "needs" };
  if (areDown(pays)) return { word: "payoutsDown", shape: "failed" };
  const isStopped =
    brakes.some(({ scope }) => scope === "all") ||
    isBraked(id) ||
    pays.every((one) => one.health === "down" || isBraked(one.id));
  if (isStopped) return { word: "braked", shape: "needs" };
  const isUnlimited = [limits.perWithdrawal, limits.perDay, limits.perNight, payouts.approvalAbove].every(
    (brl) => (brl ?? null) === null,
  );
  if (used.length === 1) return { word: isUnlimited ? "oneUnlimited" : "one", shape: "needs" };
  return isUnlimited ? { word: "unlimited", shape: "needs" } : { word: "all", shape: "done" };
}

const areDown = (some: readonly Institution[]): boolean => some.every(({ health }) => health === "down");
