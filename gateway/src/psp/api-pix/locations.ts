/** Locations (`/loc`): the address that a printed code points at, on which one charge after the other stands. */
import type { Psp } from "../psp.ts";
import { outcome } from "./interpret.ts";
import { record, text } from "./read-values.ts";
import type { Caller } from "./request.ts";

/** Makes a location and builds the code that points there, which is not for one payment alone. */
export const makeLocations = (
  caller: Caller,
  buildCode: (location: string) => string | null,
): Required<Pick<Psp, "createLocation">> => ({
  async createLocation() {
    const reply = await caller.call({ route: "postLoc", method: "POST", body: { tipoCob: "cob" } });
    return outcome(reply, (body) => {
      const loc = record(body);
      const id = typeof loc?.id === "number" ? String(loc.id) : text(loc?.id);
      const location = text(loc?.location);
      const pixCopyPaste = location === undefined ? null : buildCode(location);
      return id === undefined || pixCopyPaste === null ? null : { id, pixCopyPaste };
    });
  },
});

/**
 * Takes the charge that stands on a location away from it, unless it is this one: a bank refuses a second charge there, also
 * after the first one has ended. The charge keeps its status.
 *
 * @returns why the location is not free; null: it is.
 */
export async function freeLocation(caller: Caller, id: string, txid: string): Promise<string | null> {
  const found = await caller.call({ route: "getLoc", method: "GET", first: id });
  if (found.kind !== "ok") return "location_unknown";
  const stands = text(record(found.body)?.txid);
  if (stands === undefined || stands === txid) return null;
  const freed = await caller.call({ route: "freeLoc", method: "DELETE", first: id });
  return freed.kind === "ok" ? null : "location_busy";
}

/** The code's location in a charge's order. The standard's id is a number. */
export const locOf = (location: string | undefined): { readonly id: number } | undefined =>
  location === undefined ? undefined : { id: Number(location) };
