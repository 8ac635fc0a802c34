/** One thing that a machine or a configuration must have, and what was found. */
export type Check = {
  /** What was looked at: `database`, `master key`. */
  readonly name: string;
  /** `warning`: it works, and may not when it matters. `wrong`: the gateway does not start, or not as it should. */
  readonly state: "ok" | "warning" | "wrong";
  /** What was found; where it is not ok, what to do too. */
  readonly found: string;
};

export const ok = (name: string, found: string): Check => ({ name, state: "ok", found });
export const warning = (name: string, found: string): Check => ({ name, state: "warning", found });
export const wrong = (name: string, found: string): Check => ({ name, state: "wrong", found });
