import { keepsContract } from "../../../test/psp/contract.ts";
import type { Bank } from "../bank.ts";
import { findBank } from "../catalogue.ts";

const santander = findBank("santander")!;

/** Its payments are another host's; the simulator plays both. */
const bank: Bank = {
  ...santander,
  create({ baseUrl, tokenUrl, ...given }, deps) {
    const payments = { paymentsUrl: new URL(String(baseUrl)).origin, paymentsTokenUrl: tokenUrl };
    // The bank changes charges by another version of its API than it issues them.
    const pathOverrides = { patchCob: "/v2/cob/{1}", patchCobv: "/v2/cobv/{1}" };
    return santander.create({ ...given, baseUrl, tokenUrl, pathOverrides, ...payments }, deps);
  },
};

keepsContract({ meetings: [{ bank, dialect: "bcb", tls: "pem" }] });
