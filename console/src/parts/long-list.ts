/** Pages up to which a list is read again when something changed: each of them is one more call, one after the other. */
const LIVE_PAGES = 4;

/** Whether a query is a list of which so much is shown that it does not change by itself. */
export function isLong({ state }: { readonly state: { readonly data?: unknown } }): boolean {
  const pages = (state.data as { readonly pages?: unknown } | undefined)?.pages;
  return Array.isArray(pages) && pages.length > LIVE_PAGES;
}
