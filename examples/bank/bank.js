/** The bank as Pixgate sees it: what it is, what it can do, what an operator says of it, and how its adapter is made. */
import { createAdapter } from "./adapter.js";
import { createWire } from "./wire.js";

const SETTINGS = {
  templateAddress: {
    type: "string",
    maxLength: 2048,
    description: "Address of the bank, such as `https://pix.example.com`.",
  },
  // `true`: the setting of this name that Pixgate's own banks have, with its description and its secrecy.
  clientId: true,
  clientSecret: true,
  pixKey: true,
  certificate: true,
  privateKey: true,
  ca: true,
  timeoutMs: true,
  pageSize: true,
};

export const bank = {
  interface: 1,
  id: "template",
  name: "Template",
  summary: "a bank to copy: charges, received Pix and returns",
  settings: SETTINGS,
  // Who sets these decides who receives the secrets: a change of one must send them again.
  destinations: ["templateAddress", "ca"],
  simulated: false,
  trialAmount: 1_100,
  capabilities: () => ({
    charges: ["immediate"],
    chargesShown: "always",
    dueEdits: false,
    receivedList: "all",
    staticCodes: false,
    tills: false,
    automatic: false,
    payers: "varies",
    returns: "parts",
    tariffs: false,
    balance: false,
    infractions: false,
    payouts: null,
    maxAmount: null,
    sandboxPayment: "none",
    unverified: ["all of it: this is a template, and no bank has answered it"],
  }),
  create(settings, deps) {
    for (const name of ["templateAddress", "clientId", "clientSecret", "pixKey"]) {
      if (!settings[name]) throw new TypeError(`${name}: missing`);
    }
    if (!URL.canParse(settings.templateAddress)) throw new TypeError("templateAddress: is no address");
    return createAdapter(settings, createWire(settings, deps));
  },
};

/** For `npm run test:bank`: the settings with which it meets the simulator, of what an operator would write. */
export const meet = ({ url, ...given }) => ({ templateAddress: url, ...given });
