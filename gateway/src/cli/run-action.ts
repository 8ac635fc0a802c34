import { readFileSync } from "node:fs";
import { type Action, type Flag, type Given, hasBody, methodOf, pathOf, withWords } from "./actions/action.ts";
import { createApi } from "./api.ts";
import { CliError, UsageError } from "./error.ts";
import type { LoadMachine } from "./machine.ts";
import { callOperator, everyPage } from "./operator-api.ts";
import { print } from "./print.ts";
import { findMerchant } from "./sandbox.ts";
import { show } from "./show.ts";

/** Runs one action of an operator: calls the API and prints its answer. */
export async function runAction(
  action: Action,
  words: readonly string[],
  given: Given,
  load: LoadMachine,
): Promise<void> {
  const here = action.onMachine?.(given, process.env) ?? null;
  if (here !== null) return here(await load());
  const body = { ...action.body, ...bodyOf(action, given), ...readData(textOf(given, "data")) };
  const path = pathOf(action, words.map(encodeURIComponent), given);
  const answer =
    action.api === "merchant"
      ? await callMerchant(action, path, body, given)
      : await callOperator(methodOf(action), path, {
          body,
          key: textOf(given, "idempotency-key"),
          csv: given.csv === true,
          firstPage: action.firstPage === true,
        });
  for (const warning of warningsOf(answer)) process.stderr.write(`warning: ${warning}\n`);
  const result =
    action.also === undefined ? answer : await withMore(answer, action.also, words.map(encodeURIComponent));
  const text =
    typeof result === "string" || given.json === true
      ? printed(result)
      : (action.shows?.(result) ?? show(result, action.columns));
  if (text !== "") print(text);
  if (action.fails?.(result)) process.exitCode = 1;
}

/** What the gateway did and thinks unwise. */
function warningsOf(answer: unknown): readonly string[] {
  const { warnings } = (answer ?? {}) as { warnings?: readonly string[] };
  return Array.isArray(warnings) ? warnings : [];
}

/** An answer with further ones as fields; what the role may not read is null. */
async function withMore(
  answer: unknown,
  also: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<unknown> {
  const more = await Promise.all(
    Object.entries(also).map(async ([name, path]) => {
      try {
        const found = await callOperator("GET", withWords(path, words), {
          body: undefined,
          key: undefined,
          csv: false,
        });
        return [name, (found as { items?: unknown }).items ?? found] as const;
      } catch (error) {
        if (error instanceof CliError && error.message.includes("PERMISSION_DENIED")) return [name, null] as const;
        throw error;
      }
    }),
  );
  return { ...(answer as object), ...Object.fromEntries(more) };
}

const textOf = (given: Given, name: string): string | undefined => {
  const value = given[name];
  return typeof value === "string" ? value : undefined;
};

/** As the account itself: its webhook endpoints are its own. */
async function callMerchant(action: Action, path: string, body: unknown, given: Given): Promise<unknown> {
  const api = createApi(findMerchant(process.env, process.cwd(), textOf(given, "credential")));
  const wallet = textOf(given, "sub-account") ?? null;
  const method = methodOf(action);
  const send = (at: string) => api.call<unknown>(method, at, { ...(hasBody(action) && { body }), wallet });
  return method === "GET" && !action.firstPage ? everyPage(path, send) : send(path);
}

const printed = (result: unknown): string =>
  result === undefined ? "" : typeof result === "string" ? result.trimEnd() : JSON.stringify(result, null, 2);

/** What the flags say, as the fields of the body that they stand for. */
function bodyOf(action: Action, given: Given): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(action.flags ?? {})) {
    const text = textOf(given, name);
    if (text === undefined) {
      const needed = flag.needed ?? (flag.neededWithout && textOf(given, flag.neededWithout) === undefined);
      if (needed && given.data === undefined) throw new UsageError(`--${name} is missing: ${flag.says}`);
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
    at[last] = parseValue(flag, text);
  }
  return body;
}

function parseValue({ kind }: Flag, text: string): unknown {
  if (kind === "list") return text.split(",").map((item) => item.trim());
  if (kind === "boolean") return text === "true";
  if (text === "none" && (kind === "number" || kind === "name")) return null;
  if (kind === "number") return Number(text);
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
  throw new UsageError(`${source} does not hold a JSON object`);
}
