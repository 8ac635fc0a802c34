import { invalid } from "../http/errors.ts";
import { dayWindow } from "../lib/days.ts";

/**
 * A day of São Paulo, or a date-time with a zone, from a query. A day that ends a period counts whole, so any parameter but
 * `from` means its end. Null where it is left out.
 *
 * @throws ApiError that names the parameter, for any other text.
 */
export function readTime(name: "from" | "to" | "at", value: string | undefined): Date | null {
  if (value === undefined) return null;
  const day = dayWindow(value);
  if (day) return name === "from" ? day.from : day.to;
  const at = /^\d{4}-\d{2}-\d{2}[Tt ]/.test(value) && /([Zz]|[+-]\d{2}:?\d{2})$/.test(value) ? new Date(value) : null;
  if (at === null || !(at.getTime() >= 0)) {
    throw invalid(name, "must be a day, such as 2026-11-20, or a date-time with a zone, such as 2026-11-20T12:00:00Z");
  }
  return at;
}
