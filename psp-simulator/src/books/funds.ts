import { blocks } from "../infractions/infraction.ts";
import type { State } from "./state.ts";

/** What is on the account, in centavos: what the behaviour gave it, and what has moved since. */
export function fundsCentavos(state: State): number {
  return state.behaviour.openingBalanceCentavos + state.balance;
}

/** What open MED cases hold, in centavos; of a Pix that is (partly) returned, no more than what is left of it. */
export function blockedCentavos(state: State): number {
  let sum = 0;
  for (const id of state.openInfractions) {
    const infraction = state.infractions.get(id)!;
    sum += blocks(infraction, state.pix.get(infraction.endToEndId)!);
  }
  return sum;
}

/** What may be sent or given back, in centavos. */
export function availableCentavos(state: State): number {
  return fundsCentavos(state) - blockedCentavos(state);
}
