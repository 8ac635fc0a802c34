import type { Clock } from "../lib/clock.ts";
import { STALLED } from "../psp/outbound.ts";
import type { ChargeOrder, Psp, PspCharge } from "../psp/psp.ts";

/**
 * How placing a charge at a PSP ended.
 * - `refused`: nothing exists there. `answered`: the PSP refused it; otherwise the call never left.
 * - `unknown`: query again later, with the same txid.
 */
export type Placed =
  | { readonly kind: "placed"; readonly charge: PspCharge & { readonly pixCopyPaste: string } }
  | { readonly kind: "refused"; readonly reason: string; readonly answered: boolean }
  | { readonly kind: "unknown"; readonly reason: string };

/** Most PUTs of one call. Each PUT after an unknown outcome is preceded by a query. */
const MAX_PUTS = 2;

/**
 * Places a charge under our txid. After an unknown outcome it queries the PSP and, if the charge is not there, repeats the
 * PUT with the same txid: that never makes a second charge (API Pix, PUT /cob/{txid}).
 *
 * @param options.queryFirst the txid may have been sent before (a retry, or a restart after a crash).
 */
export async function placeCharge(
  psp: Psp,
  order: ChargeOrder,
  options: { queryFirst: boolean; clock: Clock; deadline: number },
): Promise<Placed> {
  let sent = options.queryFirst;
  let reason = "not tried";
  for (let puts = 0; ; ) {
    if (sent) {
      const found = await psp.findCharge(order.txid, order.due === undefined ? "immediate" : "due");
      if (found.kind === "found") return ours(found.value, order);
      if (found.kind === "unknown") reason = found.reason;
    }
    if (puts === MAX_PUTS || options.clock.now() >= options.deadline) break;
    puts += 1;
    const outcome = await psp.createCharge(order);
    if (outcome.kind === "accepted") return ours(outcome.value, order);
    // A refusal is a proof only if no earlier PUT may still be on its way.
    if (outcome.kind === "rejected" && !sent)
      return { kind: "refused", reason: `${outcome.httpStatus} ${outcome.code}`, answered: true };
    if (outcome.kind === "unknown") sent = true;
    reason = outcome.kind === "rejected" ? `${outcome.httpStatus} ${outcome.code}` : outcome.reason;
    // What did not leave because this process stood still is tried once more.
    if (!sent && reason !== STALLED) break;
  }
  return sent ? { kind: "unknown", reason } : { kind: "refused", reason, answered: false };
}

function ours(charge: PspCharge, order: ChargeOrder): Placed {
  if (charge.amount !== order.amount) return { kind: "unknown", reason: "the PSP holds another amount under our txid" };
  if (charge.pixCopyPaste === undefined) return { kind: "unknown", reason: "the PSP gave no code to pay with" };
  return { kind: "placed", charge: { ...charge, pixCopyPaste: charge.pixCopyPaste } };
}
