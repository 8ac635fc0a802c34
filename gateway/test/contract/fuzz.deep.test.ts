import { describeFuzz } from "./fuzz.ts";

describeFuzz({ runs: 5_000, each: 5, neverWell: 1 / 10 });
