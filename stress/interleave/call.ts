import type { CommandKind } from "../../gateway/src/ledger/lane.ts";
import type { Command } from "./command.ts";

/** A money command with its kind, as a lane runs it. */
export type Item = {
  readonly kind: CommandKind<{ accountId: string }, unknown>;
  readonly command: { accountId: string };
};

/** A call of a process to its lane: the command for the model, and the call that follows its answer. */
export type Call = {
  readonly item: Item;
  readonly command: Command;
  readonly next?: (result: unknown) => Promise<Call | null>;
};

export const callTo = <C extends { accountId: string }, R>(
  command: Command,
  kind: CommandKind<C, R>,
  input: NoInfer<C>,
): Call => ({ command, item: { kind, command: input } as unknown as Item });
