import type { Queries } from "../db/pool.ts";
import { ApiError } from "../http/errors.ts";
import { type Leaving, whatStops } from "../outgoing/brakes/gate.ts";

/**
 * Throws where a brake or a suspension keeps money of a wallet from leaving: the simulator does not get it, so waiting for that
 * would only end in an answer that names no reason.
 *
 * @throws ApiError 409 `SENDING_PAUSED`.
 */
export async function refuseStopped(db: Queries, leaving: Leaving): Promise<void> {
  const stoppedBy = await whatStops(db, leaving);
  const first = stoppedBy[0];
  if (first === undefined) return;
  throw new ApiError("SENDING_PAUSED", messageOf(first), { stoppedBy });
}

/** What stops the money, and who lifts it, as a sentence. */
function messageOf(stop: string): string {
  if (stop === "suspension")
    return "The account or the wallet is suspended, so nothing leaves until whoever suspended it approves it again.";
  const lift =
    stop === "restore"
      ? "it ends with the restore: `pixgate restore finish`"
      : `an operator lifts it in the console under Payout control, or by \`pixgate brakes set --scope ${stop}${stop === "all" ? "" : " --id …"} --paused false --reason …\``;
  return `A brake (scope \`${stop}\`) keeps it from leaving; ${lift}.`;
}
