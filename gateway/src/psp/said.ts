/** The part of an institution's answer from which a value was read, as the institution wrote it. */
export type Said = {
  /** Left out: the value itself is the whole answer. */
  readonly said?: unknown;
};
