/** A bank of its own for a test: the simulator, which no gateway knows yet. */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../psp-simulator/src/main.ts", import.meta.url));

type Credentials = { readonly clientId: string; readonly clientSecret: string; readonly pixKey: string };

export type Bank = Credentials & {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  close(): Promise<void>;
};

/** Starts it, and waits until it is ready. */
export async function openBank(): Promise<Bank> {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-bank-"));
  const child = spawn(process.execPath, [PROGRAM, "--port", "0", "--data-dir", folder, "--exit-with-stdin"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const close = async (): Promise<void> => {
    child.stdin.end();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the bank ended with ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const said = JSON.parse(line) as { ready?: boolean; url: string };
      if (said.ready === true) resolve(said.url);
    });
  });
  const credentials = JSON.parse(readFileSync(join(folder, "credentials.json"), "utf8")) as Credentials;
  return {
    ...credentials,
    baseUrl: `${url}/v2`,
    tokenUrl: `${url}/oauth/token`,
    close,
  };
}
