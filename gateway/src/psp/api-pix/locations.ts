/** Locations (`/loc`): the address that a printed code points at, on which one charge after the other stands. */
import type { ChargeOrder, Psp } from "../psp.ts";
import { outcome } from "./interpret.ts";
import { record, text } from "./read-values.ts";
import type { Caller } from "./request.ts";

/** Makes a location and builds the code that points there, which is not for one payment alone. */
export const makeLocations = (
  caller: Caller,
  buildCode: (location: string) => string | null,
): Required<Pick<Psp, "createLocation">> => ({
  async createLocation() {
    return outcome(await makeLocation(caller, "cob"), (body) => {
      const id = readLocationId(body);
      const location = text(record(body)?.location);
      const pixCopyPaste = location === undefined ? null : buildCode(location);
      return id === undefined || pixCopyPaste === null ? null : { id, pixCopyPaste };
    });
  },
});

const makeLocation = (caller: Caller, tipoCob: "cob" | "cobv") =>
  caller.call({ route: "postLoc", method: "POST", body: { tipoCob } });

function readLocationId(body: unknown): string | undefined {
  const id = record(body)?.id;
  return typeof id === "number" ? String(id) : text(id);
}

/**
 * Removes another charge from a location: a bank refuses a second charge there, even after the first one has ended. The
 * removed charge keeps its status.
 *
 * @returns why the location is not free; null: it is.
 */
async function freeLocation(caller: Caller, id: string, txid: string): Promise<string | null> {
  const found = await caller.call({ route: "getLoc", method: "GET", first: id });
  if (found.kind !== "ok") return "location_unknown";
  const stands = text(record(found.body)?.txid);
  if (stands === undefined || stands === txid) return null;
  const freed = await caller.call({ route: "freeLoc", method: "DELETE", first: id });
  return freed.kind === "ok" ? null : "location_busy";
}

/** Where a charge is put: `loc` of its order, left out where the bank chooses; or why it cannot be put anywhere. */
type Placed = { readonly loc?: { readonly id: number } } | { readonly reason: string };

/**
 * Finds the location of a charge before its order leaves: that of a printed code, freed of the charge before; one that is
 * made now where the bank wants that (`locationFirst`); otherwise none. A location whose charge never comes costs nothing.
 */
export async function placeCharge(
  caller: Caller,
  { txid, location, due }: Pick<ChargeOrder, "txid" | "location" | "due">,
  locationFirst: boolean,
): Promise<Placed> {
  if (location !== undefined) {
    const reason = await freeLocation(caller, location, txid);
    // The standard's id is a number.
    return reason === null ? { loc: { id: Number(location) } } : { reason };
  }
  if (!locationFirst) return {};
  const made = await makeLocation(caller, due === undefined ? "cob" : "cobv");
  const id = made.kind === "ok" ? Number(readLocationId(made.body)) : Number.NaN;
  return Number.isSafeInteger(id) ? { loc: { id } } : { reason: "location_unmade" };
}
