import { MutationCache, type MutationObserver, type Query } from "@tanstack/react-query";

/** What the gateway refused until the person confirms the sign-in: the button that asked for it, and what asks for it again. */
export type Refused = { readonly act: string | null; repeat(): void };

/** A press asks for what is sent this soon after it, milliseconds. */
const SOON_MS = 1_000;
let pressed = { text: "", at: Number.NEGATIVE_INFINITY };

/** Enter in a form presses its button, too. */
document.addEventListener(
  "click",
  ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    if (button === null) return;
    pressed = { text: button.getAttribute("aria-label") ?? button.textContent ?? "", at: performance.now() };
  },
  true,
);

type Failed = Parameters<NonNullable<MutationCache["config"]["onError"]>>[3];

/** The changes that a page makes, of which each that fails comes with what makes it again. */
export function createChanges(onError: (error: Error, refused: Refused) => void): MutationCache {
  const acts = new WeakMap<Failed, string>();
  const observers = new WeakMap<Failed, MutationObserver<unknown, unknown, unknown, unknown>>();
  const changes = new MutationCache({
    onMutate: (_, change) => {
      // Made again it is asked for by the same button.
      if (!acts.has(change) && performance.now() - pressed.at < SOON_MS) acts.set(change, pressed.text);
    },
    onError: (error, variables, _, change) =>
      onError(error, {
        act: acts.get(change) ?? null,
        repeat() {
          // A confirmed session has another token, which the screen has sent along since it was shown anew.
          const observer = observers.get(change);
          if (observer === undefined) return;
          change.setOptions(observer.options);
          change.execute(variables).catch(() => {});
        },
      }),
  });
  changes.subscribe((event) => {
    if (event.type === "observerAdded") observers.set(event.mutation, event.observer);
    if (event.type === "observerRemoved") observers.delete(event.mutation);
  });
  return changes;
}

/** A read that was refused. */
export const refusedRead = (query: Query<unknown, unknown>): Refused => ({
  act: null,
  repeat: () => void query.fetch().catch(() => {}),
});
