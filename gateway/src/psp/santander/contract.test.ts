import { keepsContract } from "../../../test/psp/contract.ts";
import type { Bank } from "../bank.ts";
import { findBank } from "../catalogue.ts";

const santander = findBank("santander")!;

/** Its payments are another host's; the simulator plays both. */
const bank: Bank = {
  ...santander,
  create({ baseUrl, tokenUrl, ...given }, deps) {
    const payments = { paymentsUrl: new URL(String(baseUrl)).origin, paymentsTokenUrl: tokenUrl };
    return santander.create({ ...given, baseUrl, tokenUrl, ...payments }, deps);
  },
};

keepsContract({ meetings: [{ bank, dialect: "bcb", tls: "pem" }] });
