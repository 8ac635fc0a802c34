import type { Capabilities } from "../capabilities.ts";
import { bankingOf } from "./banking.ts";
import type { ApiPixConfig, ApiPixSettings } from "./config.ts";
import { LOCATION_SCOPE, profiles } from "./profiles.ts";
import { playsPayer } from "./sandbox-payment.ts";

/** How Inter pays out, where its payouts are set up. */
const INTER_PAYOUTS: Capabilities["payouts"] = {
  to: ["key"],
  holderChecked: false,
  foundBy: "bank_id",
  repeat: "our_id",
  remembered: "unknown",
  authorised: false,
  listed: false,
  approvedAtBank: true,
};

/** What every bank with the Central Bank's API Pix can do. */
export const STANDARD: Capabilities = {
  charges: ["immediate", "due"],
  chargesShown: "always",
  dueEdits: true,
  receivedList: "all",
  staticCodes: true,
  tills: true,
  automatic: false,
  payers: "varies",
  returns: "parts",
  tariffs: false,
  balance: false,
  infractions: false,
  payouts: null,
  maxAmount: null,
  sandboxPayment: "none",
  pageItems: 1_000,
  zone: "written",
  unverified: [],
};

/** Scopes of `/cobv`. */
const DUE_SCOPES = ["cobv.read", "cobv.write"];

/** What the gateway reads of the charge after a `PATCH /cobv` decides; other terms than those asked for get a case. */
const PATCHED = "whether a change of a due date drops the fine, interest, discount or abatement that it leaves out";

const SECOND_HAND = "all of it: known from integrators' code, not from the bank";

/** Where a bank differs, by its profile; its sandbox is the same. */
const DIFFERENT: Readonly<Record<string, Partial<Capabilities>>> = {
  ailos: { unverified: [SECOND_HAND, "whether its token call accepts `grant_type`, which its clients leave out"] },
  "banco-do-brasil": {
    unverified: [
      "which of its hosts an application is given",
      "what its sandbox answers to the call that pays a charge",
    ],
  },
  banrisul: { unverified: [SECOND_HAND, "where below its host the calls are"] },
  bradesco: { unverified: [SECOND_HAND] },
  btg: {
    pageItems: profiles.btg.pageSize,
    unverified: [`${SECOND_HAND} and of 2022`, "which version its paths name (`v2.x`)"],
  },
  c6: { unverified: [SECOND_HAND, "whether it takes the id and secret in the body, or as Basic only (`tokenAuth`)"] },
  inter: {
    receivedList: "charges_only",
    staticCodes: false,
    payers: "never",
    // Of production; its sandbox allows ten of each.
    perMinute: { tokens: 5, charges: 120, payouts: 60, payout_queries: 20, balance: 10 },
    perSecond: { payouts: 1 },
    unverified: [
      "whether the query for one Pix shows a plain transfer",
      "whether its free balance contains the overdraft limit",
      "for how long it remembers the key of a payout, and what a repeat after a refusal does",
      "how it shows money of a payout that the receiver gave back",
      "the zone of the times of its payouts",
    ],
  },
  itau: { unverified: [SECOND_HAND, "which of its hosts are current"] },
  pagbank: { unverified: [SECOND_HAND, "where below its host the token call is"] },
  santander: { unverified: [SECOND_HAND] },
  // 50 Pix calls a second.
  sicoob: { perSecond: { charges: 50 }, unverified: [SECOND_HAND] },
  sicredi: { unverified: [SECOND_HAND, "how many token calls block an address"] },
};

/** Whether a token may make locations: it has every scope where none are asked for. */
function makesLocations({ profile, scope }: Pick<ApiPixSettings, "profile" | "scope">): boolean {
  const known: Readonly<Record<string, Partial<ApiPixConfig>>> = profiles;
  const asked = scope ?? known[profile ?? ""]?.scope;
  return asked === undefined || asked.split(" ").includes(LOCATION_SCOPE);
}

/** What a bank of this profile can do with these scopes; left out: a bank of which nothing more is known. */
export function capabilitiesOf(settings: Pick<ApiPixSettings, "profile" | "scope">): Capabilities {
  const { balance, payouts } = bankingOf(settings);
  const [known, dueEdits] = [DIFFERENT[(settings.profile ?? "").replace(/-sandbox$/, "")], issuesDue(settings)];
  return {
    ...STANDARD,
    ...known,
    tills: makesLocations(settings),
    sandboxPayment: playsPayer(settings.profile) ? "by_command" : STANDARD.sandboxPayment,
    charges: dueEdits ? STANDARD.charges : ["immediate"],
    dueEdits,
    unverified: [...(known?.unverified ?? []), ...(dueEdits ? [PATCHED] : [])],
    balance,
    payouts: payouts ? INTER_PAYOUTS : null,
  };
}

/** Where a bank wants the scopes named, those for charges with a due date are among them only if the operator adds them. */
function issuesDue({ profile, scope }: Pick<ApiPixSettings, "profile" | "scope">): boolean {
  const known: Partial<ApiPixSettings> = profiles[profile as keyof typeof profiles] ?? {};
  const named = scope ?? known.scope;
  return named === undefined || DUE_SCOPES.every((needed) => named.split(" ").includes(needed));
}
