import { startAsaas } from "../../../test/psp/bridges/asaas.ts";
import { keepsContract } from "../../../test/psp/contract.ts";
import { findBank } from "../catalogue.ts";

keepsContract({
  meetings: [
    {
      ...{ bank: findBank("asaas")!, dialect: "bcb", tls: "none", bridge: startAsaas },
      habits: { keys: false, returnReasons: false },
    },
  ],
});
