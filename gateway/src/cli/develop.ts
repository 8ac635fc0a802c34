import type { Command } from "commander";
import { EVENT_KINDS, type EventKind } from "../webhooks/events/catalogue.ts";
import { createApi } from "./api.ts";
import { print } from "./print.ts";
import { findMerchant, findSandbox } from "./sandbox.ts";

const SANDBOX = `
The account is that of sandbox.json, which npm start writes: in PIXGATE_DATA_DIR, or .pixgate here or in a folder above.`;

type Listen = { readonly forwardTo?: string; readonly events?: string; readonly subAccount?: string };

/** Adds the commands of whoever develops against the gateway. Each loads what it needs when it runs. */
export function addDeveloperCommands(program: Command): void {
  program
    .command("listen")
    .description("Forward every event of the sandbox account to a receiver on this machine, signed.")
    .option("--forward-to <url>", "the receiver, such as http://localhost:3000/webhooks")
    .option("--events <a,b>", "only these")
    .option("--sub-account <reference>", "only of this wallet")
    .addHelpText("after", SANDBOX)
    .action(async ({ forwardTo: to, events, subAccount: wallet }: Listen) => {
      const sandbox = findSandbox(process.env, process.cwd());
      const { listen } = await import("./listen.ts");
      await listen(sandbox, createApi(sandbox), { to, events, wallet }, print);
    });
  program
    .command("trigger")
    .description("Make the simulator cause a real event.")
    .addArgument(program.createArgument("<event>", "which").choices(EVENT_KINDS))
    .option("--sub-account <reference>", "in this wallet")
    .addHelpText("after", SANDBOX)
    .action(async (kind: EventKind, { subAccount }: { readonly subAccount?: string }) => {
      const { trigger } = await import("./trigger.ts");
      const { event, eventId } = await trigger(
        createApi(findSandbox(process.env, process.cwd())),
        kind,
        subAccount ?? null,
      );
      print(`${event}  ${eventId}`);
    });
  addReplay(program.command("events").description("Send events again."));
}

type Replay = {
  readonly since?: string;
  readonly endpoint?: string;
  readonly forwardTo?: string;
  readonly subAccount?: string;
  readonly credential?: string;
  readonly onlyFailed?: boolean;
  readonly dryRun?: boolean;
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
    .option("--credential <file>", "the account, as credential create --json prints it; - for standard input")
    .addHelpText(
      "after",
      `
The account is that of --credential, or of PIXGATE_CLIENT_ID and PIXGATE_CLIENT_SECRET, at PIXGATE_API_URL; without them that of
sandbox.json.`,
    )
    .action(async (given: Replay) => {
      const sandbox = () => findSandbox(process.env, process.cwd());
      const api = createApi(findMerchant(process.env, process.cwd(), given.credential));
      const { since, endpoint, forwardTo: to, subAccount: wallet, onlyFailed = false, dryRun = false } = given;
      const { replay } = await import("./replay.ts");
      await replay(sandbox, api, { since, endpoint, to, wallet, onlyFailed, dryRun }, print);
    });
}
