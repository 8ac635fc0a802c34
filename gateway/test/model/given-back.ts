/** What the models of claims and of interleavings know of a block that stands on a Pix. */
type Standing = { readonly due: number; readonly status: string };

/**
 * Which blocks a return that a PSP made by itself is for: first one that wants just this much, then approved ones, then MED
 * cases; in the order given among equals. What is left is taken from the wallet. Centavos.
 */
export function givenBack<Block extends Standing>(
  standing: readonly Block[],
  isMed: (block: Block) => boolean,
  amount: number,
): { readonly parts: readonly (readonly [Block, number])[]; readonly left: number } {
  const rank = (block: Block) =>
    (block.due === amount ? 0 : 4) + (block.status === "approved" ? 0 : 2) + (isMed(block) ? 0 : 1);
  const parts: (readonly [Block, number])[] = [];
  let left = amount;
  for (const block of standing.toSorted((a, b) => rank(a) - rank(b))) {
    const part = Math.min(left, block.due);
    if (part === 0) continue;
    parts.push([block, part]);
    left -= part;
  }
  return { parts, left };
}
