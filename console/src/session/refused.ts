import { type Mutation, MutationCache, type Query } from "@tanstack/react-query";

/**
 * What the gateway refused until the person confirms the sign-in. `act`: of a change, the button that asked for it, where one is known;
 * null: a read.
 */
export type Refused = { readonly act: { readonly button: string | null } | null; repeat(): void };

type Change = Mutation<unknown, unknown, unknown>;
/** What was asked for, as it was asked: by which button, and what the screen did then, which may have changed by now. */
type Asked = { readonly button: string | null; readonly options: Change["options"] };

/**
 * The changes that a page makes, of which each that fails comes with what makes it again.
 *
 * @param pressed the text of the button that asks for what is sent now; null: none was pressed.
 */
export function createChanges(
  pressed: () => string | null,
  onError: (error: Error, refused: Refused) => void,
): MutationCache {
  const asked = new WeakMap<Change, Asked>();
  return new MutationCache({
    onMutate(_, change) {
      // Made again it is what it was.
      if (!asked.has(change)) asked.set(change, { button: pressed(), options: change.options });
    },
    onError(error, variables, _, change) {
      const { button, options } = asked.get(change)!;
      onError(error, {
        act: { button },
        repeat() {
          change.setOptions(options);
          change.execute(variables).catch(() => {});
        },
      });
    },
  });
}

/** A read that was refused. */
export const refusedRead = (query: Query<unknown, unknown>): Refused => ({
  act: null,
  repeat: () => void query.fetch().catch(() => {}),
});

/** What is confirmed where two were refused: a change before reads, which are all made again after a change. */
export function joinRefusals(now: Refused | null, next: Refused): Refused {
  if (now === null) return next;
  if (now.act !== null && next.act === null) return now;
  if (now.act === null && next.act === null) {
    return {
      act: null,
      repeat() {
        now.repeat();
        next.repeat();
      },
    };
  }
  return next;
}
