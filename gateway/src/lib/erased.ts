/** Replaces a person's erased data where a value is required or must not come back. */
export const ERASED = "[erased]";
