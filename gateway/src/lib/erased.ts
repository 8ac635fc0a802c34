/** What stands where a person's data was that may not be missing, or must not come back. */
export const ERASED = "[erased]";
