/** Addresses and networks as a person lists them: by commas, spaces or lines. Undefined where there are none. */
export function readAddresses(text: string): string[] | undefined {
  const found = text.split(/[\s,;]+/).filter((one) => one !== "");
  return found.length === 0 ? undefined : found;
}
