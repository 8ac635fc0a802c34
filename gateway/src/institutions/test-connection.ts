import { Type } from "typebox";
import type { Context } from "../context.ts";
import { AnswerObject } from "../http/contract.ts";
import { toDecimalString } from "../lib/money.ts";
import { isLoopbackHost } from "../lib/public-addresses.ts";
import type { Found, Outcome } from "../psp/outcome.ts";
import type { Psp } from "../psp/psp.ts";
import { inWords, wordsOf } from "../psp/reason.ts";
import { notificationPath, notificationPathOf } from "./notification-path.ts";
import type { Institution } from "./registry.ts";

/** The checks, in this order. */
export const CHECKS = [
  "token",
  "scopes",
  "key",
  "charges",
  "received",
  "notifications",
  "settings",
  "balance",
  "payouts",
  "infractions",
] as const;

export const ConnectionTest = AnswerObject("ConnectionTest", "What works between the gateway and an institution.", {
  ok: Type.Boolean({ description: "True when nothing failed." }),
  checks: Type.Array(
    Type.Object({
      name: Type.Enum([...CHECKS], {
        type: "string",
        description: "What was tried.",
      }),
      result: Type.Enum(["works", "failed", "not_offered"], { description: "How it went." }),
      says: Type.String({ description: "The same in words." }),
    }),
    { description: "In the order in which they were made." },
  ),
});

export type Check = {
  readonly name: (typeof CHECKS)[number];
  readonly result: "works" | "failed" | "not_offered";
  readonly says: string;
};

/** What an institution that only pays out cannot do. */
export const ISSUE_CHARGES = "issue charges";

const WINDOW = 60_000;
/** Seconds. */
const TRIAL_LIFE = 300;

/**
 * Tests what is possible without moving money: a charge is issued, shown to nobody and removed. Also registers our address
 * for notifications, if the gateway knows it (PIXGATE_PUBLIC_URL, else where the institution sends them already), and sets
 * what they contain.
 */
export async function testConnection(
  ctx: Context,
  institution: Institution,
): Promise<{ ok: boolean; checks: Check[] }> {
  const { bank, psp, can } = institution;
  const receives = can.charges.length > 0;
  const to = ctx.clock.date();
  const window = { from: new Date(to.getTime() - WINDOW), to, page: 0 };
  const newId = () => `probe${ctx.ids.uuid().replaceAll("-", "").slice(0, 27)}`;
  // An id of no charge and no payout: an institution that grants us access answers that there is none.
  const nothing = newId();
  const { payouts, infractions, balance } = psp;
  const checks = [
    ...(await access(psp, endedAt(institution, to))),
    receives ? await ownKey(psp, newId(), bank.trialAmount) : notOffered("key", ISSUE_CHARGES),
    receives
      ? ofQuery("charges", "reading charges", await psp.findCharge(nothing, "immediate"))
      : notOffered("charges", ISSUE_CHARGES),
    receives
      ? ofQuery("received", "listing received Pix", await psp.listPix(window))
      : notOffered("received", ISSUE_CHARGES),
    await notifications(ctx, institution),
    await settings(psp),
    balance ? ofQuery("balance", "reading the balance", await balance()) : notOffered("balance", "report its balance"),
    payouts
      ? ofQuery("payouts", "finding payouts", await payouts.findPayout(nothing, ctx.ids.uuid()))
      : notOffered("payouts", "send Pix"),
    infractions
      ? ofQuery("infractions", "listing MED cases", await infractions.listInfractions(window))
      : notOffered("infractions", "list MED cases"),
  ];
  return { ok: checks.every((check) => check.result !== "failed"), checks };
}

/** When our client certificate ended; null while it is valid, and without one. */
export const endedAt = ({ certificateExpiresAt: at }: Institution, now: Date): Date | null =>
  at !== null && at <= now ? at : null;

export async function access(psp: Psp, ended: Date | null): Promise<Check[]> {
  const found = await psp.access();
  if (found.kind !== "found") {
    const why = found.kind === "unknown" ? found.reason : "absent";
    const says = `No access token was given (${why}): ${hintOf(why, ended)}.`;
    return [
      { name: "token", result: "failed", says },
      { name: "scopes", result: "failed", says: "Without a token there are no scopes." },
    ];
  }
  const token: Check = { name: "token", result: "works", says: "It works: the access token." };
  const { missing } = found.value;
  if (missing === null) {
    const says = "The institution does not name the scopes of its token; the checks below show what it allows.";
    return [token, { name: "scopes", result: "not_offered", says }];
  }
  if (missing.length === 0) return [token, { name: "scopes", result: "works", says: "Every scope needed is granted." }];
  const says = `The institution has not granted: ${missing.join(", ")}.`;
  return [token, { name: "scopes", result: "failed", says }];
}

/** What to do when no token was given. */
function hintOf(reason: string, ended: Date | null): string {
  if (ended !== null) return `our client certificate ended at ${ended.toISOString()}`;
  const words = wordsOf(reason);
  const check = "check the address, the client id and secret, and the certificate";
  return words === undefined ? check : words.startsWith("it answered") ? `${words}; ${check}` : words;
}

/** Only a charge proves that the key belongs to the account and that we may issue charges on it. */
async function ownKey(psp: Psp, txid: string, amount: number): Promise<Check> {
  const name = "key";
  const brl = `R$ ${toDecimalString(amount)}`;
  const issued = await psp.createCharge({ txid, amount, expiresIn: TRIAL_LIFE, description: "" });
  if (issued.kind !== "accepted") {
    return { name, result: "failed", says: `No charge of ${brl} could be issued on the key: ${whyNot(issued)}.` };
  }
  const removed = await psp.cancelCharge(txid, "immediate", issued.value.pspPaymentId);
  return removed.kind === "accepted"
    ? { name, result: "works", says: `The key is the account's: a charge of ${brl} was issued on it, and removed.` }
    : { name, result: "failed", says: `A charge of ${brl} was issued, but not removed: ${whyNot(removed)}.` };
}

export function ofQuery(name: Check["name"], what: string, found: Found<unknown>): Check {
  return found.kind === "unknown"
    ? { name, result: "failed", says: `It did not work: ${what}; ${inWords(found.reason)}.` }
    : { name, result: "works", says: `It works: ${what}.` };
}

const BY_HAND =
  "This institution's adapter cannot register our address: enter by hand the one that `institution notification-address` shows.";

async function notifications(
  ctx: Context,
  { institutionId, notificationGeneration, psp }: Institution,
): Promise<Check> {
  const name = "notifications";
  // The address is a secret, which only `notification-address` shows, after a fresh sign-in.
  if (!psp.registerNotifications) return { name, result: "not_offered", says: BY_HAND };
  const origin = ctx.config.publicUrl ?? (await registeredOrigin(psp, institutionId));
  if (origin === null) {
    const says =
      "Our address is not known (PIXGATE_PUBLIC_URL), so it was not registered; payments are found by polling.";
    return { name, result: "not_offered", says };
  }
  const path = notificationPath(ctx.keys, institutionId, notificationGeneration);
  const registered = await psp.registerNotifications(origin + path);
  return registered.kind === "accepted"
    ? { name, result: "works", says: "Our address for notifications is registered for the key." }
    : { name, result: "failed", says: `Our address for notifications was not accepted: ${whyNot(registered)}.` };
}

/**
 * The address on this machine to which a sandbox's simulator sends our notifications now. A sandbox registers the address at
 * which it listens and has no other: without this, its simulator would continue with a path that was replaced, and payments
 * would wait for the next poll. Null for every other address: whoever may register addresses there could have chosen it, and
 * would get the new path.
 */
async function registeredOrigin(psp: Psp, institutionId: string): Promise<string | null> {
  const registered = await psp.findNotifications?.();
  if (registered?.kind !== "found") return null;
  const url = URL.parse(registered.value);
  const path = notificationPathOf(institutionId);
  // The path and its secret, as it was registered before, and nothing beside them.
  const isOurs = url !== null && url.pathname.startsWith(path) && /^[\w-]+$/.test(url.pathname.slice(path.length));
  return isOurs && isLoopbackHost(url) && url.href === url.origin + url.pathname ? url.origin : null;
}

async function settings(psp: Psp): Promise<Check> {
  const name = "settings";
  const configured = await psp.configureNotifications?.();
  if (configured === undefined) return notOffered(name, "set what notifications contain");
  return configured.kind === "accepted"
    ? { name, result: "works", says: "Notifications name the payer, and come for Pix without a txid too." }
    : { name, result: "failed", says: `What notifications contain could not be set: ${whyNot(configured)}.` };
}

export const whyNot = (outcome: Exclude<Outcome<unknown>, { kind: "accepted" }>): string =>
  outcome.kind === "rejected" ? `${outcome.httpStatus} ${outcome.code}` : inWords(outcome.reason);

export const notOffered = (name: Check["name"], what: string): Check => ({
  name,
  result: "not_offered",
  says: `This institution's adapter cannot ${what}.`,
});
