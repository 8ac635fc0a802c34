import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Command } from "commander";
import { PermissionError, Pixgate, PixgateOperator } from "../../../sdk/src/index.ts";
import { INSECURE, requireTls } from "./connect.ts";
import { CliError, InterruptedError, UsageError } from "./error.ts";
import { print } from "./print.ts";
import { type Profile, readProfiles, removeProfile, saveProfile, selectProfile } from "./profiles.ts";
import { withProgress } from "./progress.ts";
import { show } from "./show.ts";

type Login = {
  readonly url?: string;
  readonly clientId?: string;
  readonly operator?: true;
  readonly secretFile?: string;
  readonly insecure?: true;
  readonly profile: string;
};

const KEPT = `
Secrets are kept in pixgate/profiles.json of XDG_CONFIG_HOME, or of .config in the home; only its owner can read the file.`;

/** Adds the commands that store a gateway's address and secrets under a name. */
export function addLoginCommands(program: Command): void {
  program
    .command("login")
    .description("Keep the address of a gateway and the access to it, and use them from now on.")
    .option("--url <url>", "address of the gateway, such as https://pix.example.com")
    .option("--client-id <id>", "of an account's credential; its secret is asked for")
    .option("--operator", "as an operator; the token is asked for")
    .option("--secret-file <file>", "file with the secret or the token; - for standard input")
    .option("--profile <name>", "name to keep it under", "default")
    .option(...INSECURE)
    .addHelpText("after", KEPT)
    .action(login);
  const profiles = program.command("profiles").description("See, change and forget what pixgate login kept.");
  profiles
    .command("list")
    .description("List the profiles, without their secrets.")
    .option("--json", "print them as JSON")
    .action(({ json }: { readonly json?: true }) => {
      const { current, profiles: kept } = readProfiles(process.env);
      const items = Object.entries(kept).map(([name, { url, clientId = null, operatorToken }]) => ({
        ...{ name, isCurrent: name === current, url, clientId, isOperator: operatorToken !== undefined },
      }));
      print(json ? JSON.stringify({ items }, null, 2) : show({ items }));
    });
  profiles
    .command("use")
    .description("Use a profile from now on.")
    .argument("<NAME>")
    .action((name: string) => selectProfile(process.env, name));
  profiles
    .command("remove")
    .description("Forget a profile and its secrets; they stay valid at the gateway.")
    .argument("<NAME>")
    .action((name: string) => removeProfile(process.env, name));
}

async function login({ url: at, clientId, operator, secretFile, insecure, profile: name }: Login): Promise<void> {
  if ((clientId === undefined) === (operator === undefined))
    throw new UsageError("login takes --client-id ID for an account, or --operator");
  const url = addressOf(at);
  requireTls(url, insecure);
  const what = operator ? "Operator token" : "Client secret";
  const secret = secretFile === undefined ? await ask(`${what}: `) : readSecret(secretFile);
  if (secret === "") throw new UsageError("the secret is empty");
  const profile: Profile =
    clientId === undefined ? { url, operatorToken: secret } : { url, clientId, clientSecret: secret };
  await withProgress("logging in", () => tryOut(profile));
  saveProfile(process.env, name, profile);
  print(`Logged in to ${url}; the profile is ${name}.`);
}

/** A call that every credential may make, or is refused for its permissions: both prove that the credential is valid. */
async function tryOut({ url: baseUrl, clientId, clientSecret, operatorToken }: Profile): Promise<void> {
  try {
    if (operatorToken !== undefined)
      await new PixgateOperator({ baseUrl, token: operatorToken }).accounts.list({ limit: 1 }).page();
    else await new Pixgate({ baseUrl, clientId: clientId!, clientSecret: clientSecret! }).account.get();
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error;
  }
}

function addressOf(text: string | undefined): string {
  const url = URL.parse(text ?? "");
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError("login takes --url, the address of the gateway, such as https://pix.example.com");
  return url.href.replace(/(?<!\/)\/+$/, "").replace(/\/(v2|operator\/v1)$/, "");
}

function readSecret(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8").trim();
  } catch (error) {
    throw new CliError(`${file === "-" ? "standard input" : file} cannot be read: ${(error as Error).message}`);
  }
}

/** A line typed at the terminal, which does not show it. */
async function ask(prompt: string): Promise<string> {
  if (process.stdin.isTTY !== true)
    throw new UsageError("there is no terminal to ask for the secret: --secret-file gives it");
  process.stderr.write(prompt);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: hidden, terminal: true });
  try {
    return (await terminal.question("")).trim();
  } catch (error) {
    // Ctrl-C.
    if ((error as Error).name === "AbortError") throw new InterruptedError("nothing was kept");
    throw error;
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
