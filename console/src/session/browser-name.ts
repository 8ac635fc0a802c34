/** `Firefox, Linux` of a browser's long name; null where it is none of the known. */
export function browserName(browser: string | null): string | null {
  const program = /(Edg|Firefox|Chrome|Safari)\w*\//.exec(browser ?? "")?.[1];
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(browser ?? "")?.[0];
  if (program === undefined) return null;
  return [program === "Edg" ? "Edge" : program, system].filter((one) => one !== undefined).join(", ");
}
