import { bridgeWoovi } from "../../../test/psp/bridges/woovi.ts";
import { keepsContract } from "../../../test/psp/contract.ts";
import { findBank } from "../catalogue.ts";

keepsContract({
  meetings: [
    {
      ...{ bank: findBank("woovi")!, dialect: "bcb", tls: "none", bridge: bridgeWoovi },
      habits: {
        natures: false,
        ownNatures: true,
        notifiedReturnIds: false,
        caseDetails: false,
        keys: false,
        returnReasons: false,
      },
    },
  ],
});
