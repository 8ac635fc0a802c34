import type { Command } from "commander";
import { print } from "./print.ts";

/** Adds `completion`, which prints a shell's script, and `complete`, which the script calls. */
async function addCompletion(program: Command, isUsed: boolean): Promise<void> {
  const description =
    "Print the script that completes commands in a shell (bash, zsh, fish): source <(pixgate completion bash).";
  if (isUsed) {
    const { default: tab } = await import("@bomb.sh/tab/commander");
    tab(program, { completionCommandName: "completion" });
  } else program.command("completion").argument("<shell>").description(description);
}

/** The script of bash calls this function of the package bash-completion, which macOS and small images do not have. */
const WITHOUT_BASH_COMPLETION = `declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
}`;

/** Completion knows commands only by their names, so aliases become names; the last word is still being typed. */
function withoutAliases(program: Command, [complete = "", dashes = "", ...typed]: readonly string[]): string[] {
  let parent: Command | undefined = program;
  const words = typed.map((word, i) => {
    if (i === typed.length - 1) return word;
    parent = parent?.commands.find((command) => command.name() === word || command.aliases().includes(word));
    return parent?.name() ?? word;
  });
  return [complete, dashes, ...words];
}

/** Adds completion to the program. Returns the words of a command line in the form that the program reads. */
export async function withCompletion(program: Command, args: readonly string[]): Promise<readonly string[]> {
  const [command, shell] = args;
  await addCompletion(program, command === "completion" || command === "complete");
  if (command === "completion" && shell === "bash") print(WITHOUT_BASH_COMPLETION);
  return command === "complete" ? withoutAliases(program, args) : args;
}
