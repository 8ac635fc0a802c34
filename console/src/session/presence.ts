/** Whether somebody is at this page: an open screen reads again by itself, and must not keep its session from ending. */

/** Whoever has touched nothing for so long may have left. */
const AWAY_AFTER_MS = 60_000;
const INPUTS = ["keydown", "pointerdown", "pointermove", "wheel"];

/** Opening the page is a use too. */
let touchedAt = Date.now();

/** Notes every key and every move of the pointer. */
export function watchInput(page: EventTarget): void {
  const touched = () => {
    touchedAt = Date.now();
  };
  for (const name of INPUTS) page.addEventListener(name, touched, { capture: true, passive: true });
}

/** `fetch` that says when nobody is there: the gateway does not count such a call as a use of the session. */
export const sendNoted: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  if (Date.now() - touchedAt > AWAY_AFTER_MS) headers.set("x-pixgate-background", "1");
  return fetch(input, { ...init, headers });
};
