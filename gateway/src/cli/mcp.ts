import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import type { ServerOptions } from "../../../mcp/src/main.ts";
import { connectMerchant, connectOperator, INSECURE, sideOf } from "./connect.ts";
import { CliError, UsageError } from "./error.ts";
import { choice } from "./options.ts";

type Given = {
  readonly allowWrite?: string;
  readonly as?: "operator" | "merchant";
  readonly subAccount?: string;
  readonly credential?: string;
  readonly profile?: string;
  readonly insecure?: true;
  readonly http?: boolean;
  readonly host: string;
  readonly port: string;
  readonly allowHost?: string;
};

const EXPLANATION = `
Without --http it speaks over standard input and output, with the client that started it. Tools that change something are
offered only where --allow-write names them. Those that move money, delete or show a secret ask a person for the exact effect first.
With --http every request carries the bearer token of PIXGATE_MCP_TOKEN; without one a new token is made and printed. docs/mcp.md
has the lines for clients.`;
const MIN_TOKEN_LENGTH = 32;
const LOOPBACK = ["127.0.0.1", "::1", "localhost"];

/** Adds `pixgate mcp`. */
export function addMcpCommand(program: Command, version: string): void {
  program
    .command("mcp")
    .description("Serve the API to agents as tools of the Model Context Protocol.")
    .option("--allow-write <a,b>", "operations that may change something, such as charges.create; left out: none")
    .addOption(choice("--as <whom>", "the tools of an account, or of an operator", ["merchant", "operator"]))
    .option("--sub-account <reference>", "the wallet of calls that name none")
    .option("--credential <file>", "the account, as credentials create --json prints it")
    .option("--profile <name>", "the gateway and the access that pixgate login kept under this name")
    .option(...INSECURE)
    .option("--http", "serve streamable HTTP")
    .option("--host <address>", "address to listen at", "127.0.0.1")
    .option("--port <number>", "port to listen at; 0: any that is free", "8090")
    .option("--allow-host <a,b>", "further names that clients may use for this server, behind a proxy")
    .addHelpText("after", EXPLANATION)
    .action((given: Given) => run(given, version));
}

async function run(given: Given, version: string): Promise<void> {
  const { runHttp, runStdio, unknownWrites, writingOperations } = await load();
  const [env, cwd] = [process.env, process.cwd()];
  const { profile, credential, subAccount: wallet, insecure = false } = given;
  if (credential === "-" && given.http !== true) throw new UsageError("standard input is the client's: name a file");
  const whom = { profile, credential, wallet, insecure };
  // An agent gets the operator's tools only on explicit request.
  const side = given.as ?? sideOf(env, whom, "merchant");
  const allowWrite = listOf(given.allowWrite);
  const unknown = unknownWrites(side, allowWrite);
  if (unknown.length > 0)
    throw new UsageError(
      `--allow-write knows no ${unknown.join(", ")} of the ${side}'s API. It takes: ${writingOperations(side).join(", ")}`,
    );
  const options: ServerOptions = { side, allowWrite, version, client: clientOf() };
  if (given.http !== true) return runStdio(options);
  const token = env.PIXGATE_MCP_TOKEN || null;
  if (token !== null && token.length < MIN_TOKEN_LENGTH)
    throw new CliError(`PIXGATE_MCP_TOKEN is shorter than ${MIN_TOKEN_LENGTH} characters`);
  if (token === null && !LOOPBACK.includes(given.host))
    throw new CliError(
      "an address that other machines reach needs PIXGATE_MCP_TOKEN, and TLS by a proxy in front of it",
    );
  const used = token ?? randomBytes(32).toString("base64url");
  const { url, close } = await runHttp(options, {
    host: given.host,
    port: portOf(given.port),
    token: used,
    allowedHosts: listOf(given.allowHost),
  });
  process.stderr.write(`Serving ${url}${token === null ? `\nBearer token: ${used}` : ""}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void close());

  function clientOf(): ServerOptions["client"] {
    if (side === "operator") return { api: connectOperator(env, cwd, whom), wallet: null, defaultWallet: undefined };
    const api = connectMerchant(env, cwd, whom);
    return { api, wallet: (reference) => api.subAccount(reference), defaultWallet: wallet };
  }
}

/** The package is loaded only for this command; an installation of the gateway does not have it. */
async function load(): Promise<typeof import("../../../mcp/src/main.ts")> {
  try {
    return await import("../../../mcp/src/main.ts");
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new CliError(
      "pixgate mcp needs the package @pixgate/mcp, which the image does not hold: run it in the repository, after npm ci",
    );
  }
}

const listOf = (text: string | undefined): string[] =>
  (text ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UsageError(`--port is not a port: ${text}`);
  return port;
}
