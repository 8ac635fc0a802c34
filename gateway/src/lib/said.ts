/** The part of an answer, as its institution wrote it, that a value was read from. */
export type Said = {
  /** Left out: the value is all that there is. */
  readonly said?: unknown;
};
