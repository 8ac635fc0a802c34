import { dayOf, daysBefore, startOfDay } from "../parts/instant.ts";

/** A day is closed so long after its end, ms. */
const CLOSED_AFTER_MS = 4 * 3_600_000;
/** The close itself takes a while, ms. */
const DUE_WITHIN_MS = 600_000;

/** When a day is closed. */
export const closeOf = (day: string): Date => new Date(startOfDay(daysBefore(day, -1)).getTime() + CLOSED_AFTER_MS);

/** Whether a day's close is later than it should be, or never comes: the gateway did not run on that day. */
export const isCloseDue = (day: string): boolean => Date.now() > closeOf(day).getTime() + DUE_WITHIN_MS;

/** The last day that may be closed already: until four in the morning the one before yesterday. */
export const lastClosableDay = (): string => daysBefore(dayOf(new Date(Date.now() - CLOSED_AFTER_MS)), 1);
