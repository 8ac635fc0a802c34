import { describeFuzz } from "./fuzz.ts";

// So few make too little to be asked of every route: that is fuzz.deep.test.ts's.
describeFuzz({ runs: 500, each: 1, neverWell: 1 });
