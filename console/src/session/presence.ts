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

const CSRF = "x-pixgate-csrf";
/** The token of a session that was confirmed, by the token that it had before. */
const renewed = new Map<string, string>();

/** What was asked for before the session was confirmed may be sent after it: with the token that the session has by then. */
export function renewToken(before: string, after: string): void {
  if (before !== after) renewed.set(before, after);
}

/** `fetch` that says when nobody is there: the gateway does not count such a call as a use of the session. */
export const sendNoted: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  if (Date.now() - touchedAt > AWAY_AFTER_MS) headers.set("x-pixgate-background", "1");
  for (let token = headers.get(CSRF); token !== null; token = renewed.get(token) ?? null) headers.set(CSRF, token);
  return fetch(input, { ...init, headers });
};
