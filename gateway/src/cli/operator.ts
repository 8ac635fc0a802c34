import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createApi } from "./api.ts";
import { callOperator, everyPage } from "./operator-api.ts";
import { type Action, COMMANDS } from "./operator-commands.ts";
import { CliError, findMerchant } from "./sandbox.ts";
import { show } from "./show.ts";

export const isOperatorCommand = (word: string | undefined): boolean => Object.hasOwn(COMMANDS, word ?? "");

const OPTIONS = {
  json: { type: "boolean", default: false },
  csv: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
  data: { type: "string" },
  "idempotency-key": { type: "string" },
  "sub-account": { type: "string" },
  credential: { type: "string" },
} as const;

/** Runs one command of an operator: reads its words, calls the API, prints what came. */
export async function runOperator(args: readonly string[], print: (line: string) => void): Promise<void> {
  const [noun, ...rest] = args as [string, ...string[]];
  const actions = COMMANDS[noun]!;
  const only = actions[""];
  const verb = only ? "" : (rest[0] ?? "");
  const action = actions[verb];
  const asksHelp = rest.includes("--help") || rest.includes("-h");
  if (asksHelp || (!action && verb === "")) return print(helpOf(noun));
  if (!action) throw new CliError(`pixgate ${noun} has no "${verb}"\n\n${helpOf(noun)}`);

  const flags = Object.fromEntries(Object.keys(action.flags ?? {}).map((name) => [name, { type: "string" as const }]));
  const { values, positionals } = parseArgs({
    args: only ? rest : rest.slice(1),
    allowPositionals: true,
    options: { ...OPTIONS, ...flags },
  });
  const given = values as unknown as Readonly<Record<string, string | undefined>>;
  const needed = action.takes ?? [];
  const optional = needed.filter((name) => name.startsWith("[")).length;
  if (positionals.length > needed.length || positionals.length < needed.length - optional) {
    throw new CliError(`pixgate ${noun} ${verb}: takes ${needed.join(" ") || "nothing"}\n\n${helpOf(noun)}`);
  }
  const body = { ...action.body, ...bodyOf(action, given), ...readData(given.data) };
  const calls = action.calls(positionals.map(encodeURIComponent), given);
  const key = given["idempotency-key"];
  for (const { method, path } of calls) {
    const result =
      action.api === "merchant"
        ? await callMerchant(method, path, body, given, action.firstPage === true)
        : await callOperator(method, path, { body, key, csv: values.csv === true });
    const text =
      typeof result === "string" || values.json
        ? printed(result)
        : (action.shows?.(result) ?? show(result, action.columns));
    if (text !== "") print(text);
    if (action.fails?.(result)) process.exitCode = 1;
  }
}

/** As the account itself: its webhook endpoints are its own. */
async function callMerchant(
  method: string,
  path: string,
  body: unknown,
  { credential, "sub-account": wallet = null }: Readonly<Record<string, string | null | undefined>>,
  firstPage: boolean,
): Promise<unknown> {
  const api = createApi(findMerchant(process.env, process.cwd(), credential ?? undefined));
  const hasBody = method !== "GET" && method !== "DELETE";
  const send = (at: string) => api.call<unknown>(method, at, { ...(hasBody && { body }), wallet });
  return method === "GET" && !firstPage ? everyPage(path, send) : send(path);
}

const printed = (result: unknown): string =>
  result === undefined ? "" : typeof result === "string" ? result.trimEnd() : JSON.stringify(result, null, 2);

/** What the flags say, as the fields of the body that they stand for. */
function bodyOf(action: Action, given: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(action.flags ?? {})) {
    const text = given[name];
    if (text === undefined) {
      if (flag.needed && given.data === undefined) throw new CliError(`--${name} is missing: ${flag.says}`);
      continue;
    }
    if (flag.field === undefined) continue;
    const fields = flag.field.split(".");
    const last = fields.pop()!;
    let at = body;
    for (const field of fields) {
      at[field] ??= {};
      at = at[field] as Record<string, unknown>;
    }
    at[last] = readValue(name, flag.kind ?? "text", text);
  }
  return body;
}

function readValue(name: string, kind: NonNullable<Action["flags"]>[string]["kind"], text: string): unknown {
  if (kind === "list") return text.split(",").map((item) => item.trim());
  if (kind === "flag") {
    if (text === "true" || text === "false") return text === "true";
    throw new CliError(`--${name} takes true or false, not "${text}"`);
  }
  if (kind === "number") {
    if (text === "none") return null;
    if (text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
    throw new CliError(`--${name} takes a number, not "${text}"`);
  }
  return text;
}

/** `--data`: JSON, `@file`, or `-` for standard input. Secrets belong into the last two: a command line is not private. */
function readData(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  const source = text === "-" ? "standard input" : text.startsWith("@") ? text.slice(1) : "--data";
  let json = text;
  try {
    if (text === "-") json = readFileSync(0, "utf8");
    else if (text.startsWith("@")) json = readFileSync(text.slice(1), "utf8");
    const data = JSON.parse(json) as unknown;
    if (typeof data === "object" && data !== null && !Array.isArray(data)) return data as Record<string, unknown>;
  } catch (error) {
    // A parser's message quotes what it could not read, and that can be a secret.
    if ((error as { code?: string }).code) throw new CliError(`${source} cannot be read: ${(error as Error).message}`);
  }
  throw new CliError(`${source} does not hold a JSON object`);
}

function helpOf(noun: string): string {
  const lines = Object.entries(COMMANDS[noun]!).flatMap(([verb, action]) => [
    `  pixgate ${[noun, verb, ...(action.takes ?? [])].filter((word) => word !== "").join(" ")}`,
    `      ${action.says}`,
    ...Object.entries(action.flags ?? {}).map(([name, { says }]) => `      --${name}: ${says}`),
  ]);
  return [
    ...lines,
    "",
    "  --json prints what the API answered; --data JSON, @FILE or - (standard input) gives fields of the body.",
    ...(Object.values(COMMANDS[noun]!).some(({ api }) => api === "merchant")
      ? [
          "  --sub-account REF: of this wallet.",
          "  The account is that of PIXGATE_CLIENT_ID and PIXGATE_CLIENT_SECRET, or of --credential FILE (as credential create",
          "  --json prints it; - for standard input), at PIXGATE_API_URL; without them that of sandbox.json.",
        ]
      : ["  The gateway is that of PIXGATE_OPERATOR_URL with PIXGATE_OPERATOR_TOKEN, or that of sandbox.json."]),
  ].join("\n");
}
