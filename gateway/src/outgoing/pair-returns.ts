/**
 * Which returns are the same. An institution names a return by its own id (ours, where we asked for it) and by the network's
 * (`rtrId`). It may show either one first and the other later, or one here and the other there: both name the one return.
 */

/** The names of a return as one side knows them. An `id` that equals the `rtrId` is no name of its own. */
type Names = { readonly id?: string | null | undefined; readonly rtrId?: string | null | undefined };
type Named = Names & { readonly amount: number };

/**
 * `unclear`: they have no kind of name in common. The network's ids tell two returns apart to which an institution has given one id
 * of its own.
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
 * Finds for each return that an institution shows the one that is booked already; null: it is new. The list is all that the
 * institution shows of the Pix. A return that shares no kind of name with a booked one of its amount counts as that one,
 * each for one: should a late answer have left the booked one out, the next list shows both, and the new one is found.
 *
 * @param mayBe whether a booked return can be one that is shown, where their names do not say.
 */
export function pairReturns<B extends Named, S extends Named>(
  booked: readonly B[],
  shown: readonly S[],
  mayBe: (booked: B, shown: S) => boolean = () => true,
): (B | null)[] {
  const left = new Set(booked);
  const pairs = shown.map((one) => removeFirst(left, (other) => compareNames(other, one) === "same"));
  return pairs.map((pair, i) => {
    const one = shown[i]!;
    const fits = (other: B): boolean =>
      other.amount === one.amount && compareNames(other, one) === "unclear" && mayBe(other, one);
    return pair ?? removeFirst(left, fits);
  });
}

/** True of a return that is not booked under names which a booked one has: nothing tells it from that one. */
export const isIndistinct = (booked: readonly Names[], shown: Names): boolean =>
  booked.some((one) => compareNames(one, shown) === "same");

function removeFirst<B>(left: Set<B>, fits: (one: B) => boolean): B | null {
  for (const one of left) {
    if (!fits(one)) continue;
    left.delete(one);
    return one;
  }
  return null;
}
