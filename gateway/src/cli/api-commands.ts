import { type Command, Option } from "commander";
import { type Action, type Flag, type Given, hasBody, methodOf, type Noun } from "./actions/action.ts";
import { INSECURE } from "./connect.ts";
import type { LoadMachine } from "./machine.ts";
import { choice, number } from "./options.ts";
import { runAction } from "./run-action.ts";

const OPERATOR = `
The gateway is that of --profile, of PIXGATE_OPERATOR_URL with PIXGATE_OPERATOR_TOKEN, of the profile that pixgate login made, or
that of sandbox.json.`;
const MERCHANT = `
The account is that of --credential, of --profile, of PIXGATE_CLIENT_ID and PIXGATE_CLIENT_SECRET at PIXGATE_API_URL, of the profile
that pixgate login made, or that of sandbox.json.`;

/** Adds commands that call an API: a noun with its verbs each, as the table of actions has them. */
export function addApiCommands(program: Command, nouns: Readonly<Record<string, Noun>>, load: LoadMachine): void {
  for (const [name, noun] of Object.entries(nouns)) {
    // `events` has verbs of its own already.
    const command = program.commands.find((existing) => existing.name() === name) ?? program.command(name);
    if (!("verbs" in noun)) {
      addAction(command, noun, load);
      continue;
    }
    command.description(noun.description);
    const alias = noun.alias ?? singular(name);
    if (alias !== null) command.alias(alias);
    for (const [verb, action] of Object.entries(noun.verbs))
      addAction(command.command(verb, { isDefault: verb === noun.alone }), action, load);
  }
}

/** `charge` for `charges`, as people type it for a single one; null: the noun has no plural. */
function singular(noun: string): string | null {
  if (noun.endsWith("ies")) return `${noun.slice(0, -3)}y`;
  return noun.endsWith("s") ? noun.slice(0, -1) : null;
}

function addAction(command: Command, action: Action, load: LoadMachine): void {
  command.description(action.description);
  if (action.alias !== undefined) command.alias(action.alias);
  const words = action.operator?.takes ?? action.takes ?? [];
  for (const [i, word] of words.entries())
    command.argument(i < (action.takes?.length ?? 0) ? `<${word}>` : `[${word}]`);
  const flags = { ...action.operator?.flags, ...action.flags };
  for (const [name, flag] of Object.entries(flags)) command.addOption(optionOf(name, flag));
  if (hasBody(action)) {
    command.option(
      "--data <json>",
      "fields of the body: JSON, @FILE, or - for standard input; give secrets by one of the last two",
    );
  }
  if (action.api === "merchant") {
    command.option("--sub-account <reference>", "of this wallet");
    command.option("--credential <file>", "the account, as credentials create --json prints it; - for standard input");
  }
  if (action.operator !== undefined)
    command.addOption(
      choice("--as <whom>", "as an operator, over all accounts, or as an account", ["operator", "merchant"]),
    );
  if (methodOf(action) === "POST")
    command.option("--idempotency-key <key>", "a repeat with the same key does nothing again");
  if (action.asks !== undefined || action.operator?.asks !== undefined)
    command.option("-y, --yes", "do it without asking; required where there is no terminal");
  command.option("--profile <name>", "the gateway and the access that pixgate login kept under this name");
  command.option(...INSECURE);
  if (action.waits !== undefined)
    command.option(
      "--wait",
      `wait until it has ended, and print what it is then; exit code 1 unless it is ${action.waits.success}`,
    );
  if (action.csv || action.operator?.csv) command.option("--csv", "print a table for a spreadsheet");
  command.option("--json", "print what the API answered");
  command.addHelpText("after", action.api === "merchant" ? MERCHANT : OPERATOR);
  command.action(async (...all: unknown[]) => {
    // commander passes the words, then the options, then the command.
    const name = [command.parent?.parent ? command.parent.name() : "", command.name()].join(" ").trim();
    await runAction({ name, action, words: all.slice(0, words.length) as string[], given: givenOf(command) }, load);
  });
}

/** The options by their names on the command line; commander has them in camel case. */
function givenOf(command: Command): Given {
  const values = command.opts<Readonly<Record<string, string | boolean | undefined>>>();
  return Object.fromEntries(command.options.map((option) => [option.name(), values[option.attributeName()]]));
}

function optionOf(name: string, { description: says, field, query, kind, choices, needed }: Flag): Option {
  const text = needed ? `${says}; required` : says;
  if (choices) return choice(`--${name} <${name}>`, text, choices);
  switch (kind) {
    case "switch":
      return new Option(`--${name}`, text);
    case "boolean":
      return choice(`--${name} <boolean>`, text, ["true", "false"]);
    case "number":
      return number(`--${name} <number>`, text);
    case "list":
      return new Option(`--${name} <a,b>`, text);
    default:
      return new Option(`--${name} <${/Id$/.test(field ?? query ?? "") ? "id" : "text"}>`, text);
  }
}
