import type { Command } from "commander";
import { Pixgate } from "../../../sdk/src/index.ts";
import { EVENT_KINDS, type EventKind } from "../webhooks/events/catalogue.ts";
import { connectMerchant, INSECURE } from "./connect.ts";
import { inWallet } from "./forward.ts";
import type { LoadMachine } from "./machine.ts";
import { print } from "./print.ts";
import { withProgress } from "./progress.ts";
import { findSandbox } from "./sandbox.ts";

const SANDBOX = `
The account is that of sandbox.json, which npm start writes: in PIXGATE_DATA_DIR, or .pixgate here or in a folder above.`;

type Listen = { readonly forwardTo?: string; readonly events?: string; readonly subAccount?: string };

type Trigger = { readonly subAccount?: string; readonly json?: true };

/** Adds the commands for developing against the gateway. Each loads what it needs when it runs. */
export function addDeveloperCommands(program: Command, load: LoadMachine): void {
  program
    .command("listen")
    .description("Forward every event of the sandbox account to a receiver on this machine, signed, until Ctrl-C.")
    .option("--forward-to <url>", "the receiver, such as http://localhost:3000/webhooks")
    .option("--events <a,b>", "only these")
    .option("--sub-account <reference>", "only of this wallet")
    .addHelpText("after", SANDBOX)
    .action(async ({ forwardTo: to, events, subAccount: wallet }: Listen) => {
      const sandbox = findSandbox(process.env, process.cwd());
      const { listen } = await import("./listen.ts");
      const stop = new AbortController();
      process.once("SIGINT", () => stop.abort());
      await listen(sandbox, new Pixgate(sandbox), { to, events, wallet }, print, stop.signal);
    });
  program
    .command("trigger")
    .description("Make the simulator cause a real event.")
    .addArgument(program.createArgument("<event>", "which").choices(EVENT_KINDS))
    .option("--sub-account <reference>", "in this wallet")
    .option("--json", "print the event as the API has it")
    .addHelpText("after", SANDBOX)
    .action(async (kind: EventKind, { subAccount, json }: Trigger) => {
      const { trigger } = await import("./trigger.ts");
      const sandbox = findSandbox(process.env, process.cwd());
      const pixgate = inWallet(new Pixgate(sandbox), subAccount ?? null);
      const event = await withProgress(`waiting for ${kind}`, async () =>
        trigger(pixgate, await (await load()).causeOf(kind), sandbox),
      );
      print(json ? JSON.stringify(event, null, 2) : `${event.event}  ${event.eventId}`);
    });
  addReplay(program.command("events").description("Send events again."));
}

type Replay = {
  readonly since?: string;
  readonly endpoint?: string;
  readonly forwardTo?: string;
  readonly subAccount?: string;
  readonly credential?: string;
  readonly profile?: string;
  readonly onlyFailed?: boolean;
  readonly dryRun?: boolean;
  readonly insecure?: true;
};

function addReplay(events: Command): void {
  events
    .command("replay")
    .description("Send the events of a time again, to every enabled endpoint.")
    .option("--since <time>", "how long ago (90s, 15m, 1h, 2d), or a time such as 2026-01-31T12:00:00Z")
    .option("--endpoint <id>", "to this one")
    .option("--forward-to <url>", "to a receiver on this machine")
    .option("--sub-account <reference>", "of this wallet")
    .option("--only-failed", "only what was not delivered")
    .option("--dry-run", "only say what would be sent")
    .option("--credential <file>", "the account, as credentials create --json prints it; - for standard input")
    .option("--profile <name>", "the access that pixgate login kept under this name")
    .option(...INSECURE)
    .addHelpText(
      "after",
      `
The account is that of --credential, of --profile, of PIXGATE_CLIENT_ID and PIXGATE_CLIENT_SECRET at PIXGATE_API_URL, of the profile
that pixgate login made, or that of sandbox.json.`,
    )
    .action(async (given: Replay) => {
      const sandbox = () => findSandbox(process.env, process.cwd());
      const { credential, profile, insecure = false } = given;
      const pixgate = connectMerchant(process.env, process.cwd(), { credential, profile, insecure });
      const { since, endpoint, forwardTo: to, subAccount: wallet, onlyFailed = false, dryRun = false } = given;
      const { replay } = await import("./replay.ts");
      await replay(sandbox, pixgate, { since, endpoint, to, wallet, onlyFailed, dryRun }, print);
    });
}
