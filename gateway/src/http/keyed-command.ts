import { insert } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { ApiError } from "./errors.ts";
import { type Answer, inProgress, type KeyedCall, keptKeysTable, rowKeyOf } from "./idempotency.ts";

/** A money command of a call that may carry an Idempotency-Key. */
export type KeyedCommand<C, R> = {
  readonly accountId: string;
  readonly command: C;
  /** Id of what the command makes, made before it runs. It tells a repeated run of this call from a second call. */
  readonly objectId: string;
  /** Null: the call has no key. */
  readonly keyed: KeyedCall | null;
  /** The answer's bytes. Pure: the same result gives the same bytes. */
  readonly toAnswer: (result: R) => Answer;
};

/** How a keyed command ended: with its answer, or with a refusal, which leaves the key free. */
export type KeyedOutcome = { readonly answer: Answer; readonly replayed: boolean } | ApiError;

/**
 * Adds Idempotency-Keys to a money command: key, stored answer and effects are one decision and so one transaction
 * (contract, section 2). A second call waits for the first at the tenant's lock, and then sees its key.
 *
 * `kind` returns a refusal as an `ApiError` without effects.
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
      const stored = keyed && books.find(keptKeysTable, rowKeyOf(keyed));
      if (stored) {
        if (!stored.call.requestHash.equals(keyed.requestHash)) {
          return { result: new ApiError("IDEMPOTENCY_KEY_REUSED") };
        }
        if (stored.answer === null) return { result: inProgress() };
        // The key is this call's own: its COMMIT succeeded and the answer was lost.
        return { result: { answer: stored.answer, replayed: stored.objectId !== objectId } };
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
