import type { Screen } from "../parts/screen.ts";

/** The operator's screens, in the order of the navigation; shown to people with a role in the installation. */
export const OPERATOR_SCREENS: readonly Screen[] = [];
