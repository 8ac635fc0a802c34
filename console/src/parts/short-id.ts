/** How a thing without a name is called: the end of its id, since ids of the same minute begin alike. */
export const shortId = (id: string): string => `…${id.slice(-8)}`;
