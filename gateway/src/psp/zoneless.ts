import type { Capabilities } from "./capabilities.ts";

/** The zone in which a time without one is read, by the `zone` of its bank. */
export const ZONELESS = { written: "Z", brasilia: "-03:00" } as const satisfies Record<
  NonNullable<Capabilities["zone"]>,
  string
>;
