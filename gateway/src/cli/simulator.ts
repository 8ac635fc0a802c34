import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { neededEnvironment } from "../lib/child-environment.ts";
import { CliError } from "./error.ts";

const PROGRAM = fileURLToPath(new URL("../../../psp-simulator/src/main.ts", import.meta.url));

/** The settings that it reads where an option is left out. */
const SETTINGS = ["PIXGATE_SIMULATOR_PORT", "PIXGATE_DATA_DIR"] as const;

const EXPLANATION = `
It prints one line once it can be called. What a client of a bank needs (clientId, clientSecret, pixKey) is in credentials.json of
its folder, with the token of its control API, by which charges are paid and faults are produced. psp-simulator/README.md has both.`;

/** Adds `pixgate simulator`: the sandbox's bank without a gateway, for tests of any program that speaks API Pix. */
export function addSimulatorCommand(program: Command): void {
  program
    .command("simulator")
    .description("Start the PSP simulator alone: a bank with the Central Bank's API Pix, for tests of any program.")
    .option("--port <number>", "port to listen at; 0: any that is free; left out: PIXGATE_SIMULATOR_PORT, or 8081")
    .option("--host <address>", "address to listen at", "127.0.0.1")
    .option("--data-dir <folder>", "its own folder; left out: simulator in PIXGATE_DATA_DIR")
    .option("--dialect <name>", "whose habits it has", "bcb")
    .option("--clock-offset <seconds>", "seconds that its clock is ahead of the machine's", "0")
    .option("--payer-address <host:port>", "where phones in the network open and pay one charge; left out: nowhere")
    .option("--tls-cert <file>", "its certificate, PEM; left out: no TLS")
    .option("--tls-key <file>", "the key of its certificate, PEM")
    .option("--tls-client-ca <file>", "authorities of its callers' certificates, PEM; left out: none is asked for")
    .option("--callback-ca <file>", "authorities of the receivers of its callbacks, PEM; left out: the system's")
    .addHelpText("after", EXPLANATION)
    .action(run);
}

async function run(given: Readonly<Record<string, string>>): Promise<void> {
  if (!existsSync(PROGRAM)) throw new CliError("the simulator is not part of this image: npx pixgate simulator has it");
  const args = Object.entries(given).map(
    ([name, value]) => `--${name.replace(/[A-Z]/g, "-$&").toLowerCase()}=${value}`,
  );
  const settings = Object.fromEntries(
    SETTINGS.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: "inherit",
    env: { ...neededEnvironment(), ...settings },
  });
  // Passes signals on to the simulator's process. Ctrl-C reaches both by itself, and the simulator ignores the second signal.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
