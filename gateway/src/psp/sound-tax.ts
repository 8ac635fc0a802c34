import { createHash } from "node:crypto";
import type { Psp, PspPix } from "./psp.ts";

/**
 * The Pix of an adapter's answer if its withheld tax is possible: at least a centavo, and less than the amount. A tax of 0
 * is left out. Null: an impossible tax. The amount that was credited is unknown then, and booking one could book money that
 * we do not have.
 */
export function soundTax(pix: PspPix): PspPix | null {
  const { withheld, ...whole } = pix;
  if (withheld === undefined) return pix;
  if (withheld === 0) return whole;
  return Number.isSafeInteger(withheld) && withheld > 0 && withheld < pix.amount ? pix : null;
}

/** What names a Pix that cannot be read, as `ListPage` has it. */
function nameOf({ e2eId, paidAt }: PspPix): string {
  return `${paidAt.toISOString()}/${createHash("sha256").update(e2eId).digest("base64url").slice(0, 16)}`;
}

const allSound = (all: readonly PspPix[]): PspPix[] => all.flatMap((pix) => soundTax(pix) ?? []);

/**
 * The adapter without impossible taxes in its answers: a Pix with one counts as unreadable, which is a case where a list shows
 * it.
 */
export function withSoundTax(psp: Psp): Psp {
  return {
    ...psp,
    async findPix(e2eId) {
      const found = await psp.findPix(e2eId);
      if (found.kind !== "found") return found;
      const value = soundTax(found.value);
      return value === null ? { kind: "unknown", reason: "unexpected_answer" } : { kind: "found", value };
    },
    async listPix(window) {
      const found = await psp.listPix(window);
      if (found.kind !== "found") return found;
      const names = found.value.pix.filter((pix) => soundTax(pix) === null).map(nameOf);
      const unreadable = [...(found.value.unreadable ?? []), ...names];
      const pix = allSound(found.value.pix);
      return { kind: "found", value: { ...found.value, pix, ...(unreadable.length > 0 && { unreadable }) } };
    },
    async findCharge(txid, kind) {
      const found = await psp.findCharge(txid, kind);
      if (found.kind !== "found") return found;
      return { kind: "found", value: { ...found.value, pix: allSound(found.value.pix) } };
    },
  };
}
