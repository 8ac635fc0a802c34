/**
 * Tells which returns are the same. An institution identifies a return by its own id (ours, where we requested it) and by
 * the network's (`rtrId`). It may show one of them first and the other later, or one in a list and the other in a
 * notification. Both identify the same return.
 */

/** The ids of a return as one side knows them. An `id` that equals the `rtrId` does not count as an id of its own. */
type Names = { readonly id?: string | null | undefined; readonly rtrId?: string | null | undefined };
type NamedReturn = Names & { readonly amount: number };

/**
 * `unclear`: the two have no kind of id in common. The network's ids tell apart two returns to which an institution has
 * given the same id of its own.
 */
export function compareNames(a: Names, b: Names): "same" | "other" | "unclear" {
  const [ownA, ownB, netA, netB] = [ownOf(a), ownOf(b), a.rtrId ?? null, b.rtrId ?? null];
  const equal = (x: string | null, y: string | null): boolean => x !== null && x === y;
  if (netA !== null && netB !== null && netA !== netB) return "other";
  if (equal(ownA, ownB) || equal(netA, netB) || equal(ownA, netB) || equal(netA, ownB)) return "same";
  return ownA !== null && ownB !== null ? "other" : "unclear";
}

const ownOf = ({ id, rtrId }: Names): string | null => (id === undefined || id === rtrId ? null : id);

/**
 * Finds for each shown return the booked one that it is; null: it is new. `shown` is everything that the institution shows
 * of the Pix. A return that shares no kind of id with a booked one of the same amount counts as that one, each for one. If
 * a late answer had left the booked one out, the next list shows both, and the new one is found then.
 *
 * @param mayBe whether a booked return can be the shown one, where their ids do not tell.
 */
export function pairReturns<B extends NamedReturn, S extends NamedReturn>(
  booked: readonly B[],
  shown: readonly S[],
  mayBe: (booked: B, shown: S) => boolean = () => true,
): (B | null)[] {
  const left = new Set(booked);
  const pairs = shown.map((pspReturn) =>
    removeFirst(left, (bookedReturn) => compareNames(bookedReturn, pspReturn) === "same"),
  );
  return pairs.map((pair, i) => {
    const pspReturn = shown[i]!;
    const fits = (bookedReturn: B): boolean =>
      bookedReturn.amount === pspReturn.amount &&
      compareNames(bookedReturn, pspReturn) === "unclear" &&
      mayBe(bookedReturn, pspReturn);
    return pair ?? removeFirst(left, fits);
  });
}

/** True of a return that is not booked but whose ids belong to a booked one: it cannot be told from that one. */
export const isIndistinct = (booked: readonly Names[], shown: Names): boolean =>
  booked.some((names) => compareNames(names, shown) === "same");

function removeFirst<B>(left: Set<B>, fits: (item: B) => boolean): B | null {
  for (const item of left) {
    if (!fits(item)) continue;
    left.delete(item);
    return item;
  }
  return null;
}
