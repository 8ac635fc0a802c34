import { Type } from "typebox";
import { ApiError } from "./errors.ts";

/**
 * Who stands behind a caller, and behind what a caller makes. A person stands behind themself. A token or credential belongs to
 * whoever made it, through any number of tokens between. Tokens of commands on the machine belong to whoever has the machine;
 * what the sandbox's start made belongs to nobody else. Owners are kept with what they own, so that nobody gets out of it by
 * ending, renaming or replacing what lies between.
 */
export type Maker = {
  /** Id of the person or operator token; null: the installation itself. */
  readonly id: string | null;
  /** For the audit log and for lists. */
  readonly name: string;
  /** Ids of the people, or first tokens, behind it; none of the installation itself. */
  readonly owners: readonly string[];
};

/** Whoever can run commands on the machine counts as one person, whatever they make there. */
export const MACHINE: Maker = { id: null, name: "command line", owners: ["machine"] };

/** The owners of what a maker makes. */
export const ownersOf = ({ owners }: Pick<Maker, "owners">, madeId: string): readonly string[] =>
  owners.length > 0 ? owners : [madeId];

/** Who made something, on the wire. */
export const MadeBy = Type.Union([Type.String(), Type.Null()], {
  description: "Who made it, or took it over: it ends with them. Null: the installation itself.",
});
/** Who made something, as lists show it: the name without the e-mail address that the audit log has. */
export const makerName = (name: string | null): string | null => name?.replace(/ <[^<>]*>$/, "") ?? null;

/**
 * Why somebody may not approve what was asked for: two persons are two humans, whatever each of them calls by.
 *
 * @returns null where they may.
 */
export const refuseCreator = (creator: readonly string[], decider: readonly string[]): ApiError | null =>
  creator.some((owner) => decider.includes(owner)) ? new ApiError("APPROVAL_BY_CREATOR") : null;
