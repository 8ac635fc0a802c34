import { readFileSync, writeFileSync } from "node:fs";
import { extname } from "node:path";
import { escapeUnseen, PermissionError, type Pixgate, type Request } from "../../../sdk/src/index.ts";
import { type Action, type Flag, type Given, hasBody, methodOf, pathOf, withWords } from "./actions/action.ts";
import { confirm } from "./confirm.ts";
import { connectMerchant, connectOperator, sideOf } from "./connect.ts";
import { apiOf, effectOf } from "./effect.ts";
import { CliError, EXIT, InterruptedError, UsageError } from "./error.ts";
import type { LoadMachine } from "./machine.ts";
import { schemasOf, withCentavos } from "./money.ts";
import { print } from "./print.ts";
import { type Progress, withProgress } from "./progress.ts";
import { show } from "./show.ts";

type Line = {
  /** Such as `withdrawals create`. */
  readonly name: string;
  readonly action: Action;
  readonly words: readonly string[];
  readonly given: Given;
};

/** Runs one command line: asks for a confirmation if needed, calls the API and prints its answer. */
export async function runAction({ name, action: named, words, given }: Line, load: LoadMachine): Promise<void> {
  const action = meant(named, words, given);
  const here = action.onMachine?.(given, process.env) ?? null;
  if (here !== null) return here(await load());
  const body = { ...action.body, ...bodyOf(action, given), ...readData(textOf(given, "data")) };
  const inPath = words.filter((word) => word !== undefined).map(encodeURIComponent);
  const path = pathOf(action, inPath, given);
  const method = methodOf(action) as Request["method"];
  const effect = effectOf({ name, action, words: inPath, path, body, given, whom: whomOf(given) });
  if (effect !== null) await confirm(effect, given.yes === true);
  const result = await withProgress(`${method} ${path}`, async (progress) => {
    const sent = action.uploads === undefined ? body : readUpload(action.uploads, textOf(given, "file"));
    const answer = await call(action, { method, path, ...(hasBody(action) && { body: sent }) }, given, progress);
    if (action.turns !== undefined) return action.turns(answer, given);
    return action.also === undefined ? answer : withMore(answer, action.also, inPath, given);
  });
  for (const warning of warningsOf(result)) process.stderr.write(`warning: ${escapeUnseen(warning)}\n`);
  printResult(action, path, result, given);
  if (action.fails?.(result)) process.exitCode = 1;
}

function printResult(action: Action, path: string, result: unknown, given: Given): void {
  const more = action.flags?.all && "--all lists the rest.";
  const shown = typeof result === "string" || given.json === true ? null : forPeople(action, path, result, given);
  const text =
    shown === null
      ? printed(result)
      : escapeUnseen(action.shows?.(shown) ?? show(shown, action.columns, more, process.stdout.columns));
  if (text !== "") print(text);
}

/** The answer with its amounts as texts. */
function forPeople(action: Action, path: string, result: unknown, given: Given): unknown {
  const side = apiOf(action);
  const end = given.wait === true ? action.waits?.shownBy : undefined;
  const call = end === undefined ? { method: methodOf(action), path } : { method: "GET", path: end };
  const own = withCentavos(side, schemasOf({ side, ...call }).answer, result);
  if (action.also === undefined || typeof own !== "object") return own;
  const more = Object.entries(action.also).map(([name, path]) => {
    const { answer } = schemasOf({ side, method: "GET", path });
    const value = (result as Readonly<Record<string, unknown>>)[name];
    const shown = withCentavos(side, answer, Array.isArray(value) ? { items: value } : value);
    return [name, Array.isArray(value) ? (shown as { items: unknown }).items : shown];
  });
  return { ...own, ...Object.fromEntries(more) };
}

/** The gateway's warnings about what it did. */
function warningsOf(answer: unknown): readonly string[] {
  const { warnings } = (answer ?? {}) as { warnings?: readonly string[] };
  return Array.isArray(warnings) ? warnings : [];
}

/** An operator's answer with further ones as fields; what the role may not read is null. */
async function withMore(
  answer: unknown,
  also: Readonly<Record<string, string>>,
  words: readonly string[],
  given: Given,
): Promise<unknown> {
  const operator = connectOperator(process.env, process.cwd(), whomOf(given));
  const send = (path: string) => operator.request<unknown>({ method: "GET", path });
  const more = await Promise.all(
    Object.entries(also).map(async ([name, path]) => {
      try {
        const answers = await everyPage(withWords(path, words), send);
        return [name, (answers as { items?: unknown }).items ?? answers] as const;
      } catch (error) {
        if (error instanceof PermissionError) return [name, null] as const;
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
const whomOf = (given: Given) => ({
  profile: textOf(given, "profile"),
  credential: textOf(given, "credential"),
  wallet: textOf(given, "sub-account"),
  insecure: given.insecure === true,
});

/** For a command of both APIs, the action of the one that is called; a flag that only the other one has is refused. */
function meant(action: Action, words: readonly string[], given: Given): Action {
  const { operator } = action;
  if (operator === undefined) return action;
  const [theirs, ours] = [operator.takes?.length ?? 0, action.takes?.length ?? 0];
  const count = words.filter((word) => word !== undefined).length;
  // `account get` is the caller's own, `accounts get ID` any.
  const byWords = theirs === ours ? null : count === theirs ? "operator" : "merchant";
  const side = byWords ?? given.as ?? sideOf(process.env, whomOf(given));
  const [chosen, other] = side === "operator" ? [operator, action] : [action, operator];
  for (const name of Object.keys(other.flags ?? {}))
    if (given[name] !== undefined && !(name in (chosen.flags ?? {})))
      throw new UsageError(`--${name} belongs to --as ${side === "operator" ? "merchant" : "operator"}`);
  return chosen;
}

/** Calls the API; a list is read completely. */
async function call(action: Action, request: Request, given: Given, progress: Progress): Promise<unknown> {
  const [env, cwd, whom] = [process.env, process.cwd(), whomOf(given)];
  const merchant = action.api === "merchant" ? connectMerchant(env, cwd, whom) : null;
  const client = merchant ?? connectOperator(env, cwd, whom);
  const idempotencyKey = textOf(given, "idempotency-key");
  const out = textOf(given, "out");
  const saved = out === undefined ? undefined : savedAs(action, out);
  const accept = given.csv === true ? "text/csv" : (saved ?? action.accept);
  const send = async (path: string) => {
    const answer = await client.request<unknown>(
      { ...request, path, ...(accept !== undefined && { accept }) },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    );
    if (out !== undefined && answer instanceof Uint8Array) {
      writeFileSync(out, answer);
      return `${out}\n`;
    }
    // A file; all printed files are text. Spreadsheets recognise UTF-8 by its byte order mark.
    return answer instanceof Uint8Array ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(answer) : answer;
  };
  const isWhole = action.firstPage !== true || given.all === true;
  if (request.method === "GET" && isWhole && given.csv !== true)
    return waited(await everyPage(request.path, send, progress));
  return waited(await send(request.path));

  async function waited(answer: unknown): Promise<unknown> {
    if (given.wait !== true || action.waits === undefined || merchant === null) return answer;
    // Shows what a payer needs while the command waits.
    if (given.json !== true && request.method === "POST")
      print(`${escapeUnseen(show(forPeople(action, request.path, answer, {})))}\n`);
    progress.setStep(action.waits.what);
    try {
      return await untilEnd(action.waits, merchant, answer);
    } catch (error) {
      // Readers of the JSON must learn the id of what was made.
      if (given.json === true && request.method === "POST") print(printed(answer));
      throw error;
    }
  }
}

/** Waits until Ctrl-C, which does not undo what was made. */
async function untilEnd(
  { what, success, later, ended }: NonNullable<Action["waits"]>,
  merchant: Pixgate,
  answer: unknown,
): Promise<unknown> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once("SIGINT", interrupt);
  try {
    const result = await ended(merchant, answer, stop.signal);
    if ((result as { readonly status?: string }).status !== success) process.exitCode = EXIT.failed;
    return result;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new InterruptedError(`stopped ${what}; nothing is cancelled: pixgate ${later(answer)}`);
  } finally {
    process.off("SIGINT", interrupt);
  }
}

type Page = { items: unknown[]; nextCursor: string | null };
/** Most pages that are read of a list. */
const MAX_PAGES = 1_000;

/** A list whole, by its pages; anything else as it is. */
async function everyPage(
  path: string,
  send: (path: string) => Promise<unknown>,
  progress: Progress | null = null,
): Promise<unknown> {
  const first = await send(path);
  if (!isPage(first)) return first;
  const items = [...first.items];
  let { nextCursor } = first;
  for (let pages = 1; typeof nextCursor === "string" && pages < MAX_PAGES; pages += 1) {
    progress?.setStep(`${items.length} read`);
    const cursor = `cursor=${encodeURIComponent(nextCursor)}`;
    const next = (await send(`${path}${path.includes("?") ? "&" : "?"}${cursor}`)) as Page;
    items.push(...next.items);
    nextCursor = next.nextCursor;
  }
  return { ...first, items, nextCursor };
}

const isPage = (value: unknown): value is Page =>
  typeof value === "object" &&
  value !== null &&
  Array.isArray((value as Partial<Page>).items) &&
  (value as Partial<Page>).nextCursor !== undefined;

const printed = (result: unknown): string =>
  result === undefined
    ? ""
    : typeof result === "string"
      ? result.trimEnd()
      : escapeUnseen(JSON.stringify(result, null, 2));

/** The flags as the fields of the body. */
function bodyOf(action: Action, given: Given): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(action.flags ?? {})) {
    const text = textOf(given, name);
    if (text === undefined) {
      const needed = flag.needed ?? (flag.neededWithout && textOf(given, flag.neededWithout) === undefined);
      if (needed && given.data === undefined) throw new UsageError(`--${name} is missing: ${flag.description}`);
      continue;
    }
    if (flag.onlyWith !== undefined && given[flag.onlyWith] === undefined)
      throw new UsageError(`--${name} is of the file that --${flag.onlyWith} stores: give --${flag.onlyWith} too`);
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

/** What the ends of names say of the type; the gateway compares it with the content. */
const TYPES: Readonly<Record<string, string>> = {
  ".pdf": "application/pdf",
  ".zip": "application/zip",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
};

/** The type of the file of `--out`, by the end of its name. */
function savedAs({ saves = [] }: Action, path: string): string {
  const type = saves.find((one) => one === TYPES[extname(path).toLowerCase()]);
  if (type === undefined) throw new UsageError(`--out: the name must end in ${endsOf(saves)}`);
  return type;
}
const endsOf = (types: readonly string[]): string =>
  Object.keys(TYPES)
    .filter((end) => types.includes(TYPES[end]!))
    .join(", ");

/** The file of `--file`. */
function readUpload(types: readonly string[], path: string | undefined): Blob {
  if (path === undefined) throw new UsageError("--file is missing: path of the file");
  const type = TYPES[extname(path).toLowerCase()];
  if (type === undefined || !types.includes(type)) {
    throw new UsageError(`--file must end in ${endsOf(types)}, not ${JSON.stringify(extname(path))}`);
  }
  try {
    return new Blob([readFileSync(path)], { type });
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** `--data`: JSON, `@file`, or `-` for standard input. Secrets belong in the last two: a command line is not private. */
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
    // A parser's message would quote the unreadable text, which can be a secret.
    if ((error as { code?: string }).code) throw new CliError(`${source} cannot be read: ${(error as Error).message}`);
  }
  throw new UsageError(`${source} does not hold a JSON object`);
}
