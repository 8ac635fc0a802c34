import { parseArgs } from "node:util";
import { createApi } from "./api.ts";
import { listen } from "./listen.ts";
import { isOperatorCommand, runOperator } from "./operator.ts";
import { replay } from "./replay.ts";
import { CliError, findMerchant, findSandbox } from "./sandbox.ts";
import { trigger } from "./trigger.ts";

const HELP = `pixgate <command>

  listen --forward-to URL         send every event of the sandbox account to a receiver on this machine, signed
                                  (--events a,b: only these; --sub-account REF: only this wallet)
  trigger EVENT                   make the simulator cause a real event, such as payment_completed
                                  (--sub-account REF: in this wallet)
  events replay --since 1h        send the events of a time again, to every enabled endpoint
                                  (--endpoint ID: to this one; --forward-to URL: to a receiver on this machine;
                                  --only-failed; --dry-run: only say what would be sent; --sub-account REF)

  account, credential, institution, endpoint, unmatched, person, token, verify, reconcile
                                  the operator's work: pixgate account --help, and so on
  serve, migrate, openapi, master-key
                                  run and look after the gateway: pixgate serve --help

The account is that of sandbox.json, which npm start writes: in PIXGATE_DATA_DIR, or .pixgate here or in a folder above.
endpoint and events replay work for any account: PIXGATE_API_URL with PIXGATE_CLIENT_ID and PIXGATE_CLIENT_SECRET,
or --credential FILE, as credential create --json prints it.`;

/** Commands of the program itself. */
const PROGRAM = ["serve", "migrate", "openapi", "master-key"];
/** A database that is named is looked at itself; without one the gateway of sandbox.json, or of the environment, is asked. */
const isOfProgram = (args: readonly string[]): boolean =>
  PROGRAM.includes(args[0] ?? "") ||
  (args[0] === "token" && args.includes("--on-this-machine")) ||
  (args[0] === "verify" && Boolean(process.env.DATABASE_URL));

async function main(args: readonly string[]): Promise<void> {
  if (isOfProgram(args)) {
    await import("../main.ts");
    return;
  }
  if (isOperatorCommand(args[0])) return runOperator(args, print);
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      "forward-to": { type: "string" },
      events: { type: "string" },
      "sub-account": { type: "string" },
      since: { type: "string" },
      endpoint: { type: "string" },
      "only-failed": { type: "boolean", default: false },
      "dry-run": { type: "boolean", default: false },
      credential: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  const [command, argument] = positionals;
  if (values.help || command === undefined || command === "help") return print(HELP);
  const wallet = values["sub-account"];
  const to = values["forward-to"];
  const connect = () => {
    const sandbox = findSandbox(process.env, process.cwd());
    return { sandbox, api: createApi(sandbox) };
  };
  if (command === "listen") {
    const { sandbox, api } = connect();
    return listen(sandbox, api, { to, events: values.events, wallet }, print);
  }
  if (command === "trigger") {
    const { event, eventId } = await trigger(connect().api, argument, wallet ?? null);
    return print(`${event}  ${eventId}`);
  }
  if (command === "events" && argument === "replay") {
    const sandbox = () => findSandbox(process.env, process.cwd());
    const api = createApi(findMerchant(process.env, process.cwd(), values.credential));
    const { "only-failed": onlyFailed, "dry-run": dryRun, since, endpoint } = values;
    return replay(sandbox, api, { since, endpoint, to, wallet, onlyFailed, dryRun }, print);
  }
  throw new CliError(`unknown command "${positionals.join(" ")}"\n\n${HELP}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const foreseen = error instanceof CliError || /^ERR_PARSE_ARGS/.test(String((error as { code?: unknown }).code));
  process.stderr.write(`pixgate: ${foreseen ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`);
  process.exit(1);
});
