import type { CommandKind } from "./lane.ts";

/**
 * What a money command would answer now, without its effects. Some calls must first write something outside of the tenant's
 * books that nothing undoes: they write it only if the command would succeed.
 */
export const rehearsalOf = <C extends { readonly accountId: string }, R>(
  kind: CommandKind<C, R>,
): CommandKind<C, R> => ({
  ...kind,
  name: `rehearse ${kind.name}`,
  decide: (...args) => ({ result: kind.decide(...args).result }),
});
