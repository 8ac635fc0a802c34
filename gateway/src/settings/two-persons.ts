/** What one person may move alone in 24 hours where two persons decide cases, centavos. */
const ABOVE = 100_000;

/**
 * The amounts and roles for which two persons are needed, from the environment. Neither can be off in production. Throws
 * with one clear line.
 */
export function readTwoPersons(
  env: Readonly<Record<string, string | undefined>>,
  environment: "sandbox" | "production",
): { readonly twoPersons: boolean; readonly twoPersonsAbove: number | null } {
  const isProduction = environment === "production";
  const [cases, above] = [env.PIXGATE_TWO_PERSONS, env.PIXGATE_TWO_PERSONS_ABOVE];
  if (cases && cases !== "on" && cases !== "off") throw new Error(`PIXGATE_TWO_PERSONS is on or off, not "${cases}"`);
  if (cases === "off" && isProduction) throw new Error("PIXGATE_TWO_PERSONS cannot be off in production");
  const twoPersons = cases ? cases === "on" : isProduction;
  if (!above) return { twoPersons, twoPersonsAbove: twoPersons ? ABOVE : null };
  if (above === "off" && isProduction) throw new Error("PIXGATE_TWO_PERSONS_ABOVE cannot be off in production");
  if (above === "off") return { twoPersons, twoPersonsAbove: null };
  if (!/^\d{1,10}(\.\d{2})?$/.test(above)) {
    throw new Error(`PIXGATE_TWO_PERSONS_ABOVE is an amount in BRL, such as 500 or 500.00, or off, not "${above}"`);
  }
  return { twoPersons, twoPersonsAbove: Number(above.replace(".", "")) * (above.includes(".") ? 1 : 100) };
}

/** Hours for which somebody must have had a role before they may be the second person, at most a week. */
export function readApproverHours(
  env: Readonly<Record<string, string | undefined>>,
  environment: "sandbox" | "production",
): number {
  const hours = env.PIXGATE_APPROVER_HOURS;
  if (!hours) return environment === "production" ? 24 : 0;
  if (/^\d{1,3}$/.test(hours) && Number(hours) <= 168) return Number(hours);
  throw new Error(`PIXGATE_APPROVER_HOURS must be a number from 0 to 168, not "${hours}"`);
}
