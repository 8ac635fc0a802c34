/** How the keys begin under which the browser stores views of lists. */
export const VIEWS = "pixgate.views ";

/** Removes every kept view, of all people and accounts: whoever signs out leaves nothing of theirs to the next person. */
export function forgetViews(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(VIEWS)) localStorage.removeItem(key);
}
