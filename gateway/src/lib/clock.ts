/** Time comes from here and nowhere else, so that tests can move it. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  date(): Date;
};
