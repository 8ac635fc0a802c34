/** A bank of its own for a test: the simulator, which no gateway knows yet. */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A loaded machine takes tens of seconds to start a program, milliseconds. */
const START_TIMEOUT = 120_000;
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
  let timer: ReturnType<typeof setTimeout>;
  const url = await new Promise<string>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the bank is not ready within ${START_TIMEOUT} ms`)), START_TIMEOUT);
    child.once("exit", (code) => reject(new Error(`the bank ended with ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const said = JSON.parse(line) as { ready?: boolean; url: string };
      if (said.ready === true) resolve(said.url);
    });
  })
    .catch(async (error: unknown) => {
      await close();
      throw error;
    })
    .finally(() => clearTimeout(timer));
  const credentials = JSON.parse(readFileSync(join(folder, "credentials.json"), "utf8")) as Credentials;
  return {
    ...credentials,
    baseUrl: `${url}/v2`,
    tokenUrl: `${url}/oauth/token`,
    close,
  };
}
