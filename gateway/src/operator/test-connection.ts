import type { Context } from "../context.ts";
import { type Institution, notificationPath } from "../institutions/registry.ts";
import type { Found, Outcome } from "../psp/psp.ts";

type Check = {
  readonly name: "charges" | "received" | "notifications" | "payouts" | "infractions";
  readonly result: "works" | "failed" | "not_offered";
  readonly says: string;
};

const WINDOW = 60_000;

/**
 * Tries what an institution can be asked without moving money, and says in words what works. Also registers our
 * address for notifications, where the gateway knows it (PIXGATE_PUBLIC_URL).
 */
export async function testConnection(
  ctx: Context,
  { institutionId, psp }: Institution,
): Promise<{ ok: boolean; checks: Check[] }> {
  const to = ctx.clock.date();
  const window = { from: new Date(to.getTime() - WINDOW), to, page: 0 };
  // No charge and no payout has it: an institution that lets us in says that there is none.
  const nothing = `probe${ctx.ids.uuid().replaceAll("-", "").slice(0, 27)}`;
  const checks = [
    ofQuestion("charges", "the access token and reading charges", await psp.findCharge(nothing)),
    ofQuestion("received", "listing received Pix", await psp.listPix(window)),
    await notifications(ctx, institutionId, psp.registerNotifications),
    psp.payouts
      ? ofQuestion("payouts", "asking about payouts", await psp.payouts.findPayout(nothing))
      : notOffered("payouts", "send Pix"),
    psp.infractions
      ? ofQuestion("infractions", "listing MED cases", await psp.infractions.listInfractions(window))
      : notOffered("infractions", "tell of MED cases"),
  ];
  return { ok: checks.every((check) => check.result !== "failed"), checks };
}

function ofQuestion(name: Check["name"], what: string, found: Found<unknown>): Check {
  return found.kind === "unknown"
    ? { name, result: "failed", says: `It did not work: ${what} (${found.reason}).` }
    : { name, result: "works", says: `It works: ${what}.` };
}

async function notifications(
  ctx: Context,
  institutionId: string,
  register: (url: string) => Promise<Outcome<null>>,
): Promise<Check> {
  const name = "notifications";
  if (ctx.config.publicUrl === null) {
    const says =
      "Our address is not known (PIXGATE_PUBLIC_URL), so it was not registered; payments are found by asking.";
    return { name, result: "not_offered", says };
  }
  const told = await register(ctx.config.publicUrl + notificationPath(ctx.keys, institutionId));
  if (told.kind === "accepted") {
    return {
      name,
      result: "works",
      says: "The key is the account's, and our address for notifications is registered.",
    };
  }
  const why = told.kind === "rejected" ? `${told.httpStatus} ${told.code}` : told.reason;
  return { name, result: "failed", says: `Our address for notifications was not taken (${why}).` };
}

const notOffered = (name: Check["name"], what: string): Check => ({
  name,
  result: "not_offered",
  says: `This institution's adapter cannot ${what}.`,
});
