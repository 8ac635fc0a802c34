import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { foreignEnvironment } from "../lib/child-environment.ts";

/** Time of a key's command, milliseconds, and the most bytes of its output. */
const COMMAND_MS = 10_000;
const COMMAND_BYTES = 4_096;

/**
 * Reads a master key, 32 bytes in base64, from one of three settings: `NAME` itself, the file that `NAME_FILE` names, or
 * the output of the program in `NAME_COMMAND`, such as the client of a vault. The command is split at spaces and started
 * without a shell; it has ten seconds.
 *
 * @returns null: none of them is set.
 * @throws Error that names the setting and never the key.
 */
export function readKey(env: NodeJS.ProcessEnv, name: string): Buffer | null {
  const settings = [name, `${name}_FILE`, `${name}_COMMAND`].filter((setting) => env[setting]);
  const setting = settings[0];
  if (setting === undefined) return null;
  if (settings.length > 1) throw new Error(`${settings.join(" and ")} are set: one of them is enough`);
  const value = env[setting]!;
  const text =
    setting === name ? value : setting.endsWith("_FILE") ? ofFile(setting, value) : ofCommand(setting, value);
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== 32) throw new Error(`${setting} must ${setting === name ? "be" : "give"} 32 bytes in base64`);
  return key;
}

/** Reads a secret that another program sends with each request: 32 visible ASCII characters or more; null: not set. */
export function readSharedSecret(env: NodeJS.ProcessEnv, name: string): string | null {
  const value = env[name];
  if (!value) return null;
  if (!/^[\x21-\x7e]{32,}$/.test(value)) throw new Error(`${name} must be 32 visible characters or more`);
  return value;
}

function ofFile(setting: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`${setting} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function ofCommand(setting: string, command: string): string {
  const [program = "", ...args] = command.trim().split(/\s+/);
  try {
    return execFileSync(program, args, {
      env: foreignEnvironment(),
      encoding: "utf8",
      timeout: COMMAND_MS,
      killSignal: "SIGKILL",
      maxBuffer: COMMAND_BYTES,
      // Its error output is for the operator; its output is the key.
      stdio: ["ignore", "pipe", "inherit"],
    });
  } catch (error) {
    const { code, status } = error as { code?: string; status?: number | null };
    throw new Error(`${setting} failed (${code ?? `exit status ${status}`})`);
  }
}
