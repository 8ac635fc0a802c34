import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { AnswerObject, RequestObject } from "../http/contract.ts";
import { LIMITS } from "../lib/limits.ts";
import { toDecimalString } from "../lib/money.ts";
import type { Capabilities } from "../psp/capabilities.ts";
import { able, showAbilities } from "./abilities.ts";
import { checkClientCertificate } from "./client-certificate.ts";
import type { InstitutionConfig } from "./config.ts";
import { notificationPath } from "./notification-path.ts";
import type { Institution } from "./registry.ts";
import { SeenAtBank, seenAtBank } from "./seen-at-bank.ts";
import { access, CHECKS, type Check, endedAt, ISSUE_CHARGES, notOffered, ofQuery, whyNot } from "./test-connection.ts";

/** The checks, in this order. */
const READS = ["certificate", "token", "scopes", "charges", "received", "notifications", "balance", "payouts"] as const;
/** Checks that change something at the bank, and are made only on request. */
const TRIALS = ["charge", "clock"] as const;

type Name = (typeof READS)[number] | (typeof TRIALS)[number];
type Step = {
  readonly name: Name;
  readonly result: "works" | "failed" | "not_offered" | "not_asked";
  readonly says: string;
};

export const BankCheckRequest = RequestObject("BankCheckRequest", "What the check may do at the bank.", {
  charge: Type.Optional(
    Type.Boolean({
      description: "Whether a charge is issued, shown to nobody, and removed. Left out: nothing is issued.",
    }),
  ),
});

export const BankCheck = AnswerObject(
  "BankCheck",
  "What a bank did, held against what its adapter assumes. It has no secret, key, address, name or document, so it can be sent to others.",
  {
    ok: Type.Boolean({ description: "True when nothing failed." }),
    checkedAt: Type.String({ format: "date-time", description: "When it began." }),
    bank: Type.String({ description: "The bank, by the name of its adapter." }),
    profile: Type.Optional(Type.String({ description: "The profile of its settings." })),
    environment: Type.Enum(["sandbox", "production"], { description: "Of the institution." }),
    checks: Type.Array(
      Type.Object({
        name: Type.Enum([...READS, ...TRIALS], { type: "string", description: "What was looked at." }),
        result: Type.Enum(["works", "failed", "not_offered", "not_asked"], { description: "How it went." }),
        says: Type.String({ description: "The same in words." }),
      }),
      { description: "In the order in which they were made." },
    ),
    seen: Type.Array(SeenAtBank, {
      description:
        "What the bank has done by itself within a day: pay a charge of one centavo, return it, send one to a key of your own, and check again.",
    }),
    capabilities: able.capabilities,
    unverified: Type.Array(Type.String(), {
      description: "What nobody has confirmed of this bank: compare it with what you see.",
    }),
  },
);

/** How far back lists are queried, milliseconds. */
const WINDOW = 60_000;
/** Seconds that the trial charge can be paid. */
const TRIAL_LIFE = 300;
const DAY = 86_400_000;

/**
 * Checks a bank as on the first day with it. Changes nothing there, unless a trial charge was requested: that is issued, shown
 * to nobody, and removed. Every call is bounded, and all together by `LIMITS.bankCheck`.
 */
export async function checkBank(
  ctx: Context,
  institution: Institution,
  config: InstitutionConfig,
  { charge = false, houseId }: Static<typeof BankCheckRequest> & { readonly houseId: string },
): Promise<Static<typeof BankCheck>> {
  const { bank, psp, environment, can } = institution;
  const began = ctx.clock.now();
  const to = ctx.clock.date();
  const window = { from: new Date(began - WINDOW), to, page: 0 };
  const nothing = `probe${ctx.ids.uuid().replaceAll("-", "").slice(0, 27)}`;
  const { payouts, balance } = psp;
  const receives = can.charges.length > 0;
  const reads: Record<(typeof READS)[number], () => Promise<readonly Step[]>> = {
    certificate: async () => [ownCertificate(config, institution, to)],
    token: async () => seen(await access(psp, endedAt(institution, to))),
    scopes: async () => [],
    charges: async () =>
      seen([
        receives
          ? ofQuery("charges", "reading charges", await psp.findCharge(nothing, "immediate"))
          : notOffered("charges", ISSUE_CHARGES),
      ]),
    received: async () =>
      seen([
        receives
          ? ofQuery("received", "listing received Pix", await psp.listPix(window))
          : notOffered("received", ISSUE_CHARGES),
      ]),
    notifications: async () => [await registered(ctx, institution)],
    balance: async () =>
      seen([
        balance
          ? ofQuery("balance", "reading the balance", await balance())
          : notOffered("balance", "report its balance"),
      ]),
    payouts: async () =>
      seen([
        payouts
          ? ofQuery("payouts", "finding payouts", await payouts.findPayout(nothing, ctx.ids.uuid()))
          : notOffered("payouts", "send Pix"),
      ]),
  };
  const checks: Step[] = [];
  for (const name of READS) {
    const isLate = ctx.clock.now() - began > LIMITS.bankCheck;
    checks.push(...(isLate ? [{ name, result: "failed" as const, says: TOO_LATE }] : await reads[name]()));
  }
  if (charge && !receives) checks.push(...TRIALS.map((name) => ({ ...notOffered("charges", ISSUE_CHARGES), name })));
  else if (charge)
    checks.push(...(await trialCharge(ctx, institution, environment === "production" ? 1 : bank.trialAmount)));
  else checks.push(...TRIALS.map((name) => ({ name, result: "not_asked" as const, says: NOT_ASKED })));
  return {
    ok: checks.every(({ result }) => result !== "failed"),
    checkedAt: to.toISOString(),
    bank: bank.name,
    ...(typeof config.profile === "string" && { profile: config.profile }),
    ...{ environment, checks, seen: await seenAtBank(ctx, houseId, institution), ...showAbilities(can) },
  };
}

/** A call: from before it left until after its answer. */
type Span = { readonly before: number; readonly after: number };

const TOO_LATE = "It was not tried: the calls before it took too long.";
const NOT_ASKED = "No trial charge was asked for.";

const isRead = (name: Check["name"]): name is Check["name"] & (typeof READS)[number] =>
  (READS as readonly string[]).includes(name) && (CHECKS as readonly string[]).includes(name);
const seen = (checks: readonly Check[]): Step[] =>
  checks.flatMap(({ name, ...rest }) => (isRead(name) ? [{ name, ...rest }] : []));

/** Our client certificate: its key, its chain, its purpose and its end. */
function ownCertificate(config: InstitutionConfig, { certificateExpiresAt: end }: Institution, now: Date): Step {
  const name = "certificate";
  try {
    checkClientCertificate(config, now);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { name, result: "failed", says: error.message };
  }
  if (end === null) return { name, result: "not_offered", says: "No client certificate is set." };
  const days = Math.floor((end.getTime() - now.getTime()) / DAY);
  return { name, result: "works", says: `Its key and chain fit; it ends in ${days} days.` };
}

/** Reads back where the bank sends notifications; the address itself is a secret. */
async function registered(ctx: Context, { institutionId, notificationGeneration, psp }: Institution): Promise<Step> {
  const name = "notifications";
  const { publicUrl } = ctx.config;
  if (publicUrl === null)
    return { name, result: "not_offered", says: "Our address is not known (PIXGATE_PUBLIC_URL)." };
  if (!psp.findNotifications)
    return {
      name,
      result: "not_offered",
      says: "Its adapter cannot read our address: a person enters it at the bank.",
    };
  const found = await psp.findNotifications();
  if (found.kind === "unknown") return { ...ofQuery(name, "reading our address for notifications", found), name };
  if (found.kind === "absent")
    return { name, result: "failed", says: "No address for notifications is registered: `institution test` does it." };
  const isOurs = found.value.startsWith(publicUrl + notificationPath(ctx.keys, institutionId, notificationGeneration));
  return isOurs
    ? { name, result: "works", says: "Our address for notifications is registered." }
    : { name, result: "failed", says: "Another address is registered: `institution test` registers ours." };
}

/** Issues a charge and removes it. Its time of creation shows how far the bank's clock is from ours. */
async function trialCharge(ctx: Context, { psp, can }: Institution, amount: number): Promise<Step[]> {
  const txid = `probe${ctx.ids.uuid().replaceAll("-", "").slice(0, 27)}`;
  const brl = `R$ ${toDecimalString(amount)}`;
  const before = ctx.clock.now();
  const issued = await psp.createCharge({ txid, amount, expiresIn: TRIAL_LIFE, description: "" });
  const after = ctx.clock.now();
  // Also after an unknown outcome: the bank may have it.
  const pspPaymentId = issued.kind === "accepted" ? issued.value.pspPaymentId : undefined;
  const removed =
    issued.kind === "unsent" || issued.kind === "rejected"
      ? null
      : await psp.cancelCharge(txid, "immediate", pspPaymentId);
  if (issued.kind !== "accepted") {
    const says = `No charge of ${brl} could be issued on the key: ${whyNot(issued)}.`;
    return [
      { name: "charge", result: "failed", says },
      { name: "clock", result: "not_offered", says: "Without a charge its clock is not seen." },
    ];
  }
  const charge: Step =
    removed?.kind === "accepted"
      ? { name: "charge", result: "works", says: `A charge of ${brl} was issued on the key, and removed.` }
      : {
          name: "charge",
          result: "failed",
          says: `A charge of ${brl} was issued, but not removed: ${removed === null ? "unknown" : whyNot(removed)}.`,
        };
  return [charge, clockOf(issued.value.createdAt, { before, after }, can.zone)];
}

/** Brasília's is three hours behind UTC. */
const ZONE_OFFSET = 3 * 3_600_000;
const ZONES = { written: "to name their zone", brasilia: "to be those of Brasília" } as const;

function clockOf(createdAt: Date | undefined, { before, after }: Span, zone: Capabilities["zone"]): Step {
  const name = "clock";
  if (createdAt === undefined)
    return { name, result: "not_offered", says: "The bank does not say when it made the charge." };
  const at = createdAt.getTime();
  const skew = at < before ? at - before : Math.max(0, at - after);
  const seconds = Math.round(skew / 1000);
  // A difference of three hours is another time zone, not a wrong clock.
  if (Math.abs(Math.abs(skew) - ZONE_OFFSET) <= LIMITS.bankClockSkew) {
    const assumed = zone === undefined ? "" : ` Pixgate takes its times ${ZONES[zone]}.`;
    return { name, result: "failed", says: `Its times are ${seconds} seconds from ours: another time zone.${assumed}` };
  }
  return Math.abs(skew) > LIMITS.bankClockSkew
    ? { name, result: "failed", says: `Its clock is ${seconds} seconds from ours.` }
    : { name, result: "works", says: `Its clock is at most ${Math.abs(seconds) + 1} seconds from ours.` };
}
