/** The source of time. Nothing else reads a clock, so that tests can move it. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  date(): Date;
};
