import { ApiError } from "../../gateway/src/http/errors.ts";
import type { Command } from "./command.ts";
import type { Outcome } from "./model.ts";
import { numberOf } from "./world.ts";

/** The outcome of a money command as the model has it. */
export function outcomeOf(command: Command, result: unknown): Outcome {
  if (result instanceof ApiError) return result.code;
  if (result === null) return "none";
  if (typeof result === "string") return result;
  const { outcome, already, kind, status, changed, more, answer, replayed, id, about, toAccountId, receivedAs } =
    result as Answer;
  if (receivedAs !== undefined) return `${kind} ${status}`;
  if (toAccountId !== undefined) return `assignment ${status}`;
  if (outcome !== undefined) return `${outcome}${already ? " already" : ""}`;
  if (kind === "known") return `${status}${changed ? " changed" : ""}${more ? " more" : ""}`;
  if (kind !== undefined) return `${kind} ${about ?? ""}`;
  if (answer) {
    const made = JSON.parse(answer.body) as { id?: string; refundTransactionId?: string };
    return `${command.do} ${numberOf(made.id ?? made.refundTransactionId ?? "")}${replayed ? " again" : ""}`;
  }
  if (command.do === "end case" || command.do === "defend case") return `case ${status}`;
  if (id !== undefined) return `block ${numberOf(id)}`;
  return `${status}${already ? " already" : ""}`;
}

/** The fields of any command's result. */
type Answer = {
  readonly outcome?: string;
  readonly already?: boolean;
  readonly kind?: string;
  readonly status?: string;
  readonly changed?: boolean;
  readonly more?: boolean;
  readonly answer?: { readonly body: string };
  readonly replayed?: boolean;
  readonly id?: string;
  readonly about?: string;
  readonly toAccountId?: string;
  readonly receivedAs?: string;
};
