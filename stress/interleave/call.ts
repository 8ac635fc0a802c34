import type { CommandKind } from "../../gateway/src/ledger/lane.ts";
import type { Command } from "./command.ts";

/** What a lane runs. */
export type Item = {
  readonly kind: CommandKind<{ accountId: string }, unknown>;
  readonly command: { accountId: string };
};

/** What a process asks of its lane: how the model sees it, and what comes after its answer. */
export type Call = {
  readonly item: Item;
  readonly command: Command;
  readonly next?: (result: unknown) => Promise<Call | null>;
};

export const callTo = <C extends { accountId: string }, R>(
  command: Command,
  kind: CommandKind<C, R>,
  of: NoInfer<C>,
): Call => ({ command, item: { kind, command: of } as unknown as Item });
