import type { CommandKind } from "./lane.ts";

/**
 * What a money command would answer now, without its effects: for a command that needs something outside of its tenant's
 * books first, which stays for good and so must not be there for one that is refused.
 */
export const rehearsalOf = <C extends { readonly accountId: string }, R>(
  kind: CommandKind<C, R>,
): CommandKind<C, R> => ({
  ...kind,
  name: `rehearse ${kind.name}`,
  decide: (...args) => ({ result: kind.decide(...args).result }),
});
