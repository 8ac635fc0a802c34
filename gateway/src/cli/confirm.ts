/** Lets a person confirm what moves money or cannot be undone, before anything is sent. */
import { createInterface } from "node:readline/promises";
import { escapeUnseen } from "../../../sdk/src/visible.ts";
import { CliError, InterruptedError, UsageError } from "./error.ts";
import { show } from "./show.ts";

/** What a person types into and reads from. */
type Terminal = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
};

/** What will happen: read only if somebody is asked, since it takes calls. */
export type Effect = {
  /** The command, such as `withdrawals create`. */
  readonly command: string;
  /** In a sentence. */
  readonly says: string;
  /** What cannot be taken back, in a sentence. */
  readonly final: string;
  /** Amounts, accounts, receivers, by their names. */
  read(): Promise<Readonly<Record<string, unknown>>>;
};

/** Standard output may be a file, so the question goes to the terminal. */
const HERE: Terminal = { input: process.stdin, output: process.stderr };

/**
 * Asks on a terminal; anything but yes ends with exit code 1, Ctrl-C with 130. Without a terminal nobody can answer: exit
 * code 2.
 *
 * @param yes of `--yes`: nobody is asked.
 */
export async function confirm(effect: Effect, yes: boolean, { input, output }: Terminal = HERE): Promise<void> {
  if (yes) return;
  if (input.isTTY !== true || output.isTTY !== true)
    throw new UsageError(
      `${effect.command} needs --yes where nobody can be asked (no terminal). ${effect.final} Nothing was done.`,
    );
  const facts = escapeUnseen(show(await effect.read())).replace(/^/gm, "  ");
  output.write(`${effect.says}\n${facts}\n${effect.final}\n`);
  const answer = await ask(input, output);
  if (!/^(?:y|yes)$/i.test(answer.trim())) throw new CliError("not confirmed: nothing was done");
}

/** @returns what was typed; nothing where the input ended. */
async function ask(input: Terminal["input"], output: Terminal["output"]): Promise<string> {
  const lines = createInterface({ input, output });
  let isInterrupted = false;
  lines.once("SIGINT", () => {
    isInterrupted = true;
    lines.close();
  });
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  const answer = await Promise.race([lines.question("Go on? [y/N] "), ended]);
  lines.close();
  if (isInterrupted) throw new InterruptedError("stopped: nothing was done");
  return answer;
}
