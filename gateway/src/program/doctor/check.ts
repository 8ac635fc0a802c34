/** A requirement of a machine or a configuration, with the result of its check. */
export type Check = {
  /** What was checked: `database`, `master key`. */
  readonly name: string;
  /** `warning`: it works, but may fail when it matters. `wrong`: the gateway does not start, or not correctly. */
  readonly state: "ok" | "warning" | "wrong";
  /** What was found and, unless it is ok, what to do. */
  readonly found: string;
};

export const ok = (name: string, found: string): Check => ({ name, state: "ok", found });
export const warning = (name: string, found: string): Check => ({ name, state: "warning", found });
export const wrong = (name: string, found: string): Check => ({ name, state: "wrong", found });
