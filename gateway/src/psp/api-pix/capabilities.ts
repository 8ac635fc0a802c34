import type { Capabilities } from "../capabilities.ts";
import { readsBalance } from "./banking.ts";
import type { ApiPixSettings } from "./config.ts";
import { profiles } from "./profiles.ts";

/** What every bank with the Central Bank's API Pix can do. */
export const STANDARD: Capabilities = {
  charges: ["immediate", "due"],
  receivedList: "all",
  staticCodes: true,
  payers: "varies",
  returns: "parts",
  tariffs: false,
  balance: false,
  infractions: false,
  payouts: null,
  maxAmount: null,
  sandboxPayment: "none",
  unverified: [],
};

/** Scopes of `/cobv`. */
const DUE_SCOPES = ["cobv.read", "cobv.write"];

const SECOND_HAND = "all of it: known from integrators' code, not from the bank";

/** Where a bank differs, by its profile; its sandbox is the same. */
const DIFFERENT: Readonly<Record<string, Partial<Capabilities>>> = {
  "banco-do-brasil": { unverified: ["which of its hosts an application is given"] },
  bradesco: { unverified: [SECOND_HAND] },
  inter: {
    receivedList: "charges_only",
    staticCodes: false,
    payers: "never",
    unverified: [
      "whether the query for one Pix shows a plain transfer",
      "whether its free balance contains the overdraft limit",
    ],
  },
  itau: { unverified: [SECOND_HAND, "which of its hosts are current"] },
  santander: { unverified: [SECOND_HAND] },
  sicoob: { unverified: [SECOND_HAND] },
  sicredi: { unverified: [SECOND_HAND, "how many token calls block an address"] },
};

/** What a bank of this profile can do with these scopes; left out: a bank of which nothing more is known. */
export const capabilitiesOf = ({ profile, scope }: Pick<ApiPixSettings, "profile" | "scope">): Capabilities => ({
  ...STANDARD,
  ...DIFFERENT[(profile ?? "").replace(/-sandbox$/, "")],
  charges: issuesDue({ profile, scope }) ? STANDARD.charges : ["immediate"],
  balance: readsBalance({ profile, scope }),
});

/** Where a bank wants the scopes named, those for charges with a due date are among them only if the operator adds them. */
function issuesDue({ profile, scope }: Pick<ApiPixSettings, "profile" | "scope">): boolean {
  const known: Partial<ApiPixSettings> = profiles[profile as keyof typeof profiles] ?? {};
  const named = scope ?? known.scope;
  return named === undefined || DUE_SCOPES.every((needed) => named.split(" ").includes(needed));
}
