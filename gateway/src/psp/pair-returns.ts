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
 * Finds the booked return that each shown return is; null: it is new. `shown` is everything that the institution shows
 * of the Pix. Where two returns of the same amount have no kind of id in common, they count as the same return, each
 * booked return for one shown return. If that was wrong, because a late answer left the booked return out, the next
 * list shows both, and the new one is found then.
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

/** Whether a return counts as new although its ids belong to a booked return: the two cannot be told apart. */
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
