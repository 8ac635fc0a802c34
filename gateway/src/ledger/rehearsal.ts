import type { CommandKind } from "./lane.ts";

/**
 * What a money command would answer now, without its effects. For a command that first writes something outside of its
 * tenant's books which is never undone: it is written only if the command would succeed.
 */
export const rehearsalOf = <C extends { readonly accountId: string }, R>(
  kind: CommandKind<C, R>,
): CommandKind<C, R> => ({
  ...kind,
  name: `rehearse ${kind.name}`,
  decide: (...args) => ({ result: kind.decide(...args).result }),
});
