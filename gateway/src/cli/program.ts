import type { Command } from "commander";
import { allNouns } from "./actions/all.ts";
import { addApiCommands } from "./api-commands.ts";
import { addDeveloperCommands } from "./develop.ts";
import { addLoginCommands } from "./login.ts";
import { addMachineCommands, type LoadMachine } from "./machine.ts";
import { addMcpCommand } from "./mcp.ts";
import { createRoot } from "./root.ts";
import { addSimulatorCommand } from "./simulator.ts";

/** Every command, in the order in which help lists them. */
export function createProgram(load: LoadMachine): Command {
  const program = createRoot();
  program.commandsGroup("Develop against the sandbox:");
  addDeveloperCommands(program, load);
  addSimulatorCommand(program);
  const { merchant, operator } = allNouns();
  program.commandsGroup("As an account:");
  addApiCommands(program, merchant, load);
  program.commandsGroup("Operate:");
  addApiCommands(program, operator, load);
  program.commandsGroup("For agents:");
  addMcpCommand(program, program.version() ?? "");
  program.commandsGroup("Run the gateway:");
  addMachineCommands(program, load);
  program.commandsGroup("This command:");
  addLoginCommands(program);
  return program.helpCommand("help [command]", "Print the help of a command.");
}
