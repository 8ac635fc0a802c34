import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { allNouns } from "./actions/all.ts";
import { addApiCommands } from "./api-commands.ts";
import { addDeveloperCommands } from "./develop.ts";
import { CliError, EXIT, toCliError, UsageError } from "./error.ts";
import { addLoginCommands } from "./login.ts";
import { addMachineCommands, type LoadMachine } from "./machine.ts";
import { addMcpCommand } from "./mcp.ts";
import { endWithReader, print } from "./print.ts";
import { plain } from "./show.ts";

const PACKAGE = new URL("../../package.json", import.meta.url);

const EXIT_CODES = `
Exit codes: 0 done; 1 refused or failed, or something was found that is wrong (verify, reconcile,
institution test, --wait for what then fails), or not confirmed; 2 the command line is wrong, or
lacks --yes where nobody can be asked; 130 Ctrl-C; 141 the reader of the output has gone.
Settings come from the environment; docs/operating.md lists them.`;

/** Every command, in the order in which help lists them. */
export function createProgram(load: LoadMachine): Command {
  const { version } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { version: string };
  const program = new Command("pixgate")
    .description("A self-hosted PIX payment gateway.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", EXIT_CODES)
    // `run` prints what is wrong, with our exit codes.
    .configureOutput({ writeErr: () => {} })
    .exitOverride();
  program.commandsGroup("Develop against the sandbox:");
  addDeveloperCommands(program);
  const { merchant, operator } = allNouns();
  program.commandsGroup("As an account:");
  addApiCommands(program, merchant, load);
  program.commandsGroup("Operate:");
  addApiCommands(program, operator, load);
  program.commandsGroup("For agents:");
  addMcpCommand(program, version);
  program.commandsGroup("Run the gateway:");
  addMachineCommands(program, load);
  program.commandsGroup("This command:");
  addLoginCommands(program);
  return program.helpCommand("help [command]", "Print the help of a command.");
}

/** Adds `completion`, which prints a shell's script, and `complete`, which the script calls. */
async function addCompletion(program: Command, isUsed: boolean): Promise<void> {
  const says =
    "Print the script that completes commands in a shell (bash, zsh, fish): source <(pixgate completion bash).";
  if (isUsed) {
    const { default: tab } = await import("@bomb.sh/tab/commander");
    tab(program, { completionCommandName: "completion" });
  } else program.command("completion").argument("<shell>").description(says);
}

/** The script of bash calls this function of the package bash-completion, which macOS and small images do not have. */
const WITHOUT_BASH_COMPLETION = `declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
}`;

/** Completion knows commands by their names alone, so aliases become names; the last word is still being typed. */
function withoutAliases(program: Command, [complete = "", dashes = "", ...typed]: readonly string[]): string[] {
  let parent: Command | undefined = program;
  const words = typed.map((word, i) => {
    if (i === typed.length - 1) return word;
    parent = parent?.commands.find((one) => one.name() === word || one.aliases().includes(word));
    return parent?.name() ?? word;
  });
  return [complete, dashes, ...words];
}

/** Runs one command line. What is wrong becomes a line on standard error, and an exit code. */
export async function run(args: readonly string[], load: LoadMachine): Promise<void> {
  const program = createProgram(load);
  // The gateway goes on serving when nobody reads its log.
  if (args[0] !== "serve") endWithReader();
  try {
    await addCompletion(program, args[0] === "completion" || args[0] === "complete");
    const words = args[0] === "complete" ? withoutAliases(program, args) : args;
    if (args[0] === "completion" && args[1] === "bash") print(WITHOUT_BASH_COMPLETION);
    await program.parseAsync(words.length === 0 ? ["--help"] : words, { from: "user" });
  } catch (error) {
    const wrong = error instanceof CommanderError ? fromCommander(error, program, args) : toCliError(error);
    if (wrong === null) return;
    const foreseen = wrong instanceof CliError;
    const text = foreseen ? wrong.message : ((wrong as Error).stack ?? String(wrong));
    process.stderr.write(`pixgate: ${plain(text)}\n`);
    process.exit(foreseen ? wrong.exitCode : EXIT.failed);
  }
}

/** Null for help and version, which are no errors. */
function fromCommander(error: CommanderError, program: Command, args: readonly string[]): UsageError | null {
  if (error.exitCode === 0) return null;
  if (error.code !== "commander.help") return new UsageError(error.message.replace(/^error: /, ""));
  // A noun without a verb.
  const noun = program.commands.find((one) => [one.name(), ...one.aliases()].includes(args[0] ?? "")) ?? program;
  return new UsageError(`${args[0]} needs a command: ${noun.commands.map((verb) => verb.name()).join(", ")}`);
}
