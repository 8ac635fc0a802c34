import { Type } from "typebox";
import { OrNull } from "./contract.ts";
import { ApiError } from "./errors.ts";

/**
 * The persons behind a caller, and behind what a caller makes. A person is behind themself. Behind a token or credential is
 * whoever made it, through any number of tokens in between. Tokens that commands on the machine make belong to whoever
 * controls the machine; what the sandbox's start makes belongs to nobody else. Owners are stored with what they own, so
 * that nobody escapes by ending, renaming or replacing what lies in between.
 */
export type Maker = {
  /** Id of the person or operator token; null: the installation itself. */
  readonly id: string | null;
  /** For the audit log and for lists. */
  readonly name: string;
  /** Ids of the persons, or first tokens, behind it; empty for the installation itself. */
  readonly owners: readonly string[];
};

/** Everybody who can run commands on the machine counts as one person. */
export const MACHINE: Maker = { id: null, name: "command line", owners: ["machine"] };

/** The owners of what a maker makes. */
export const ownersOf = ({ owners }: Pick<Maker, "owners">, madeId: string): readonly string[] =>
  owners.length > 0 ? owners : [madeId];

/** The maker of an object, in answers. */
export const MadeBy = OrNull(
  Type.String(),
  "Who made it, or took it over: it ends with them. Null: the installation itself.",
);
/** The maker's name as lists show it: without the e-mail address that the audit log has. */
export const makerName = (name: string | null): string | null => name?.replace(/ <[^<>]*>$/, "") ?? null;

/**
 * The refusal of an approval by a person who also made the request: two persons must be two humans, whatever they sign in
 * with.
 *
 * @returns null where they may approve.
 */
export const refuseCreator = (creator: readonly string[], decider: readonly string[]): ApiError | null =>
  creator.some((owner) => decider.includes(owner)) ? new ApiError("APPROVAL_BY_CREATOR") : null;
