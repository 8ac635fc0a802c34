import type { Capabilities } from "../capabilities.ts";

/** What every bank with the Central Bank's API Pix can do. */
export const STANDARD: Capabilities = {
  charges: ["immediate"],
  receivedList: "all",
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
    payers: "never",
    unverified: ["whether the query for one Pix shows a plain transfer"],
  },
  itau: { unverified: [SECOND_HAND, "which of its hosts are current"] },
  santander: { unverified: [SECOND_HAND] },
  sicoob: { unverified: [SECOND_HAND] },
  sicredi: { unverified: [SECOND_HAND, "how many token calls block an address"] },
};

/** What a bank of this profile can do; left out: a bank of which nothing more is known. */
export const capabilitiesOf = (profile: string | undefined): Capabilities => ({
  ...STANDARD,
  ...DIFFERENT[(profile ?? "").replace(/-sandbox$/, "")],
});
