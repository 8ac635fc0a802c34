import { inWords, type Unanswered } from "../psp/reason.ts";

/** Why an institution's side of a day is not complete, as data: each language has its sentence. */
export type Stopped =
  | (Unanswered & {
      /** The first hour that was not listed. */
      readonly at: string;
      /** It refuses to list a time so long ago. */
      readonly isTooOld?: true;
    })
  | { readonly at: string; readonly state: "unreadable_items"; readonly count: number }
  | { readonly state: "unasked"; readonly count: number };

/** The sentence about unqueried entries, which follows their number. */
export const UNASKED =
  "of our entries that its lists do not have were not queried. The next comparison of the day goes on with them: reconcile it again.";
const REFUSED = "it refuses to list a time so long ago, and is not asked again: ";

/** The reason as an English sentence. */
export function describeStop(stopped: Stopped): string {
  if (!("at" in stopped)) return `${stopped.count} ${UNASKED}`;
  if ("count" in stopped) return `${stopped.at}: ${stopped.count} items of its lists could not be read`;
  const reason = (stopped.call === "token" ? "token_" : "") + stopped.code;
  return `${stopped.at}: ${stopped.isTooOld ? REFUSED : ""}${inWords(reason)}`;
}
