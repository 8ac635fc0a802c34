import { keepsContract } from "../../../test/psp/contract.ts";
import type { Bank } from "../bank.ts";
import { findBank } from "../catalogue.ts";

const bancoDoBrasil = findBank("banco-do-brasil")!;

/** Its payments are another host's; the simulator plays both. */
const bank: Bank = {
  ...bancoDoBrasil,
  create({ baseUrl, tokenUrl, ...given }, deps) {
    const batches = { batchesUrl: `${new URL(String(baseUrl)).origin}/pagamentos-lote/v1`, batchesTokenUrl: tokenUrl };
    return bancoDoBrasil.create({ ...given, baseUrl, tokenUrl, ...batches }, deps);
  },
};

keepsContract({ meetings: [{ bank, dialect: "bcb", tls: "pem" }] });
