import { insert } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { ApiError } from "./errors.ts";
import { type Answer, inProgress, type KeyedCall, keptKeysTable, rowKeyOf } from "./idempotency.ts";

/** A money command of a call that may carry an Idempotency-Key. */
export type KeyedCommand<C, R> = {
  readonly accountId: string;
  readonly command: C;
  /** Id of what the command makes, made before the lane: distinguishes a repeated run of this very call from a second call. */
  readonly objectId: string;
  /** Null: the call has no key. */
  readonly keyed: KeyedCall | null;
  /** The answer's bytes. Pure: the same result gives the same bytes. */
  readonly toAnswer: (result: R) => Answer;
};

/** How a keyed command ended: with its answer, or refused, which leaves the key free. */
export type KeyedOutcome = { readonly answer: Answer; readonly replayed: boolean } | ApiError;

/**
 * Makes a money command one that honours Idempotency-Key: key, stored answer and effects are one decision and so one
 * transaction (contract, section 2). A second call waits for the first at the tenant's lock, and then sees its key.
 *
 * `kind` answers a refusal as an `ApiError`, with no effects.
 */
export function keyedCommand<C extends { readonly accountId: string }, R>(
  kind: CommandKind<C, R | ApiError>,
): CommandKind<KeyedCommand<C, R>, KeyedOutcome> {
  return {
    name: kind.name,
    wants({ command, keyed }, want) {
      if (keyed) want.row(keptKeysTable, rowKeyOf(keyed));
      kind.wants(command, want);
    },
    ...(kind.follows && { follows: ({ command }, books, want) => kind.follows?.(command, books, want) }),
    ...(kind.evidence && {
      evidence: ({ command }, books, decision) => kind.evidence!(command, books, decision),
    }),
    decide({ command, keyed, objectId, toAnswer }, books, deciding) {
      const known = keyed && books.find(keptKeysTable, rowKeyOf(keyed));
      if (known) {
        if (!known.call.requestHash.equals(keyed.requestHash)) {
          return { result: new ApiError("IDEMPOTENCY_KEY_REUSED") };
        }
        if (known.answer === null) return { result: inProgress() };
        // Our own key: the answer to COMMIT had got lost.
        return { result: { answer: known.answer, replayed: known.objectId !== objectId } };
      }
      const { result, transfers = [], writes = [] } = kind.decide(command, books, deciding);
      if (result instanceof ApiError) {
        if (transfers.length + writes.length > 0) throw new Error(`${kind.name} refused, and has effects`);
        return { result };
      }
      const answer = toAnswer(result);
      if (!keyed) return { result: { answer, replayed: false }, transfers, writes };
      const kept = insert(keptKeysTable, { call: keyed, objectId, answer, createdAt: deciding.now });
      return { result: { answer, replayed: false }, transfers, writes: [...writes, kept] };
    },
  };
}
