import { bridgeStark } from "../../../test/psp/bridges/stark.ts";
import { keepsContract } from "../../../test/psp/contract.ts";
import { findBank } from "../catalogue.ts";

keepsContract({
  meetings: [
    {
      ...{ bank: findBank("stark")!, dialect: "bcb", tls: "none", bridge: bridgeStark },
      habits: { payoutIds: false, givenBack: false },
    },
  ],
});
