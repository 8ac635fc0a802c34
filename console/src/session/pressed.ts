/** A press asks for what is sent this soon after it, milliseconds. */
const SOON_MS = 1_000;
let last = { text: "", at: Number.NEGATIVE_INFINITY };

/** Enter in a form presses its button, too. */
document.addEventListener(
  "click",
  ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    if (button === null) return;
    last = { text: button.getAttribute("aria-label") ?? button.textContent ?? "", at: performance.now() };
  },
  true,
);

/** The text of the button that was pressed a moment ago; null: none was. */
export const pressed = (): string | null => (performance.now() - last.at < SOON_MS ? last.text : null);
