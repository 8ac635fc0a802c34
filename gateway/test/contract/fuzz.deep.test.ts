import { describeFuzz } from "./fuzz.ts";

// Three routes decide about a withdrawal that waits for an approval, which no request here makes.
describeFuzz({ runs: 5_000, each: 5, neverWell: 1 / 7 });
