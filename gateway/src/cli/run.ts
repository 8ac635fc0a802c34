import { existsSync } from "node:fs";
import { type Command, CommanderError } from "commander";
import { escapeUnseen } from "../../../sdk/src/visible.ts";
import { CliError, EXIT, UsageError } from "./error.ts";
import { addMachineCommands, type LoadMachine } from "./machine.ts";
import { endWithReader } from "./print.ts";
import { profilesFile } from "./profiles.ts";
import { createRoot } from "./root.ts";

/** Runs one command line. An error becomes a line on standard error, and an exit code. */
export async function run(given: readonly string[], load: LoadMachine): Promise<void> {
  const args = given.length === 0 && isTrial(process.env) ? ["serve"] : given;
  // A gateway keeps everything that it loads as long as it runs: all other commands, with the SDK, are 3 MB of its memory.
  // It also continues when nobody reads its log.
  if (args[0] === "serve") {
    const program = createRoot();
    addMachineCommands(program, load);
    return runOf(
      program,
      args,
      async () => args,
      (error) => error,
    );
  }
  endWithReader();
  const [{ createProgram }, { withCompletion }, { toCliError }] = await Promise.all([
    import("./program.ts"),
    import("./completion.ts"),
    import("./to-cli-error.ts"),
  ]);
  const program = createProgram(load);
  await runOf(program, args, () => withCompletion(program, args), toCliError);
}

/** Settings that a person who only tries Pixgate may have. */
const OF_A_TRIAL = new Set([
  "PIXGATE_DATA_DIR",
  "PIXGATE_HOST",
  "PIXGATE_LOG_LEVEL",
  "PIXGATE_PORT",
  "PIXGATE_SANDBOX_ADDRESS",
  "PIXGATE_SIMULATOR_PORT",
]);

/**
 * Whether `pixgate` alone starts a sandbox (`npx pixgate`). Not where an installation is set up, nor for somebody who has
 * logged in to another gateway, who gets help instead.
 */
const isTrial = (env: NodeJS.ProcessEnv): boolean =>
  !env.DATABASE_URL &&
  !existsSync(profilesFile(env)) &&
  Object.keys(env).every((name) => !name.startsWith("PIXGATE_") || OF_A_TRIAL.has(name));

/**
 * @param read gives the words in the form that the program reads.
 * @param explain turns an error that a person can act on into a `CliError`.
 */
async function runOf(
  program: Command,
  args: readonly string[],
  read: () => Promise<readonly string[]>,
  explain: (error: unknown) => unknown,
): Promise<void> {
  try {
    const words = await read();
    await program.parseAsync(words.length === 0 ? ["--help"] : [...words], { from: "user" });
  } catch (error) {
    const wrong = error instanceof CommanderError ? fromCommander(error, program, args) : explain(error);
    if (wrong === null) return;
    const foreseen = wrong instanceof CliError;
    const text = foreseen ? wrong.message : ((wrong as Error).stack ?? String(wrong));
    process.stderr.write(`pixgate: ${escapeUnseen(text)}\n`);
    process.exit(foreseen ? wrong.exitCode : EXIT.failed);
  }
}

/** Null for help and version, which are no errors. */
function fromCommander(error: CommanderError, program: Command, args: readonly string[]): UsageError | null {
  if (error.exitCode === 0) return null;
  if (error.code !== "commander.help") return new UsageError(error.message.replace(/^error: /, ""));
  // A noun without a verb.
  const noun =
    program.commands.find((command) => [command.name(), ...command.aliases()].includes(args[0] ?? "")) ?? program;
  return new UsageError(`${args[0]} needs a command: ${noun.commands.map((verb) => verb.name()).join(", ")}`);
}
