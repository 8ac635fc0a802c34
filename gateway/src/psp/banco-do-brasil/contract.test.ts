import { keepsContract } from "../../../test/psp/contract.ts";
import type { Bank } from "../bank.ts";
import { findBank } from "../catalogue.ts";

const bancoDoBrasil = findBank("banco-do-brasil")!;

/** Its payments are another host's; the simulator plays both. */
const bank: Bank = {
  ...bancoDoBrasil,
  create(
    {
      baseUrl,
      tokenUrl,
      scope = "cob.read cob.write cobv.read cobv.write pix.read pix.write webhook.read webhook.write",
      ...given
    },
    deps,
  ) {
    const payments = {
      batchesUrl: `${new URL(String(baseUrl)).origin}/pagamentos-lote/v1`,
      batchesTokenUrl: tokenUrl,
    };
    return bancoDoBrasil.create({ ...given, scope, baseUrl, tokenUrl, ...payments }, deps);
  },
};

keepsContract({ meetings: [{ bank, dialect: "bcb", tls: "pem" }] });
