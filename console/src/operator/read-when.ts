import { dayOf, instantOf } from "../parts/instant.ts";

/** `30/11/2026` and `14:05` of São Paulo's clock as an instant; null: there is no such day or time, or it has not come. */
export function readWhen(day: string, time: string): Date | null {
  const [, date = "", month = "", year = ""] = /^(\d\d?)\/(\d\d?)\/(\d{4})$/.exec(day.trim()) ?? [];
  const [, hour = "", minute = ""] = /^(\d\d?):(\d\d)$/.exec(time.trim()) ?? [];
  const asked = `${year}-${month.padStart(2, "0")}-${date.padStart(2, "0")}`;
  const at = instantOf(`${asked}T${hour.padStart(2, "0")}:${minute}`);
  if (Number.isNaN(at.getTime()) || dayOf(at) !== asked || Number(hour) > 23) return null;
  return at.getTime() > Date.now() ? null : at;
}
