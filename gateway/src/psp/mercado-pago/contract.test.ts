import { startMercadoPago } from "../../../test/psp/bridges/mercado-pago.ts";
import { keepsContract } from "../../../test/psp/contract.ts";
import { findBank } from "../catalogue.ts";

keepsContract({
  meetings: [
    {
      ...{ bank: findBank("mercado-pago")!, dialect: "bcb", tls: "none", bridge: startMercadoPago },
      habits: {
        ...{ payers: false, notifiedPayers: false, natures: false, keys: false, returnReasons: false },
        ...{ notifiedTxids: false, namedReturns: false, shortestLife: 1_800 },
      },
    },
  ],
});
