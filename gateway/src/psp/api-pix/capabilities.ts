import type { Capabilities } from "../capabilities.ts";
import { readsBalance } from "./banking.ts";
import type { ApiPixSettings } from "./config.ts";

/** What every bank with the Central Bank's API Pix can do. */
export const STANDARD: Capabilities = {
  charges: ["immediate"],
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
  balance: readsBalance({ profile, scope }),
});
