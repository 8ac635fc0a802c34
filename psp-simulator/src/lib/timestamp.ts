const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i;

/** Reads an RFC 3339 time with an explicit zone as milliseconds since 1970; undefined when it is not one. */
export function parseTimestamp(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const parts = RFC3339.exec(text);
  if (!parts) return undefined;
  // Date.parse takes 30 February as 2 March; a real day survives the round trip.
  const day = `${parts[1]}-${parts[2]}-${parts[3]}`;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  const at = Date.parse(text.toUpperCase());
  return Number.isNaN(at) ? undefined : at;
}

/** Milliseconds since 1970 as RFC 3339 in UTC with milliseconds. */
export function formatTimestamp(at: number): string {
  return new Date(at).toISOString();
}
