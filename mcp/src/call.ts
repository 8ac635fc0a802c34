/** Runs a tool: checks its input, has a person confirm what must be confirmed, and sends one request. */
import { randomBytes } from "node:crypto";
import {
  ApiError,
  ConnectionError,
  type Pixgate,
  type PixgateOperator,
  type Request,
  ValidationError,
} from "../../sdk/src/index.ts";
import type { Tool } from "./catalogue.ts";
import { CONFIRMATION_MS, type Confirmations, digestOf, type Way } from "./confirmations.ts";
import { effectOf, PAYMENT_OF_CASE, walletOf } from "./effects.ts";
import { BODY, CONFIRMATION, IDEMPOTENCY_KEY, WALLET } from "./schema.ts";

type Input = Readonly<Record<string, unknown>>;
/** The gateway, as the credential of this server reaches it. */
export type Client = {
  readonly api: Pick<Pixgate | PixgateOperator, "request">;
  /** The same for one wallet; null: the API has no wallets. */
  readonly wallet: ((reference: string) => Pick<Pixgate, "request">) | null;
  /** The wallet where the call names none, in words. */
  readonly defaultWallet: string | undefined;
};

/** How the client answers a question: not at all yet, through a form, or by repeating a token. */
export type Answer =
  | { readonly kind: "none"; readonly way: Way }
  | { readonly kind: "form"; readonly token: string; readonly confirmed: boolean };

export type Outcome =
  | { readonly kind: "answer"; readonly value: unknown }
  | { readonly kind: "ask"; readonly effect: string; readonly token: string }
  | { readonly kind: "refusal"; readonly message: string };

const refusal = (message: string): Outcome => ({ kind: "refusal", message });
const NOTHING = "Nothing was done.";

/** Tools that read what a person has to see before a call acts. */
export type Reads = {
  /** The object that the path names, where the API has one. */
  readonly object: Tool | null;
  byId(operationId: string): Tool | null;
};

/** Runs one call of a tool. Refusals of ours and of the gateway are outcomes; anything else that goes wrong is thrown. */
export async function runTool(
  tool: Tool,
  input: Input,
  answer: Answer,
  context: {
    readonly client: Client;
    readonly confirmations: Confirmations;
    readonly reads: Reads;
    readonly signal: AbortSignal;
  },
): Promise<Outcome> {
  const { [CONFIRMATION]: repeated, ...given } = input;
  const path = pathOf(tool, given);
  if (path === null) return refusal(`${NOTHING} A part of the address is "." or "..".`);
  const { client, confirmations, signal } = context;
  const api = clientOf(client, given);
  const send = (key: string | undefined) => request(api, requestOf(tool, path, given), key, signal);
  const ownKey = given[IDEMPOTENCY_KEY] as string | undefined;
  if (!tool.confirms) return send(ownKey);

  const found = await readObject(context.reads.object, given, api, signal);
  if (found.kind === "refusal") return found;
  const about = await readAbout(context.reads, found.value, api, signal);
  const effect = effectOf(tool, { ...partsOf(given), found: found.value, about, wallet: walletName(client, given) });
  const digest = digestOf(tool.name, given, effect);
  if (answer.kind === "none" && repeated === undefined) {
    const key = ownKey ?? `mcp-${randomBytes(16).toString("hex")}`;
    return { kind: "ask", effect, token: confirmations.ask(answer.way, digest, key) };
  }
  const asked =
    answer.kind === "form"
      ? confirmations.take("form", answer.token, digest)
      : confirmations.take("token", String(repeated), digest);
  if (answer.kind === "form" && !answer.confirmed) return refusal(`${NOTHING} The person declined: ${effect}`);
  if (asked === null) {
    return refusal(
      `${NOTHING} The confirmation was used already, is older than ${CONFIRMATION_MS / 60_000} minutes, or belongs to another call or to an object that has changed since. Call the tool without ${CONFIRMATION} to ask again.`,
    );
  }
  return send(asked.idempotencyKey);
}

const clientOf = ({ api, wallet }: Client, given: Input) =>
  given[WALLET] === undefined || wallet === null ? api : wallet(given[WALLET] as string);

const walletName = ({ defaultWallet }: Client, given: Input): string => walletOf(given[WALLET] ?? defaultWallet);

function partsOf(given: Input): { words: Input; body: Input } {
  const { [BODY]: body = {}, [IDEMPOTENCY_KEY]: _, ...words } = given;
  return { words, body: body as Input };
}

/** The path with its parameters in it; null: a part would lead to another operation. */
function pathOf({ path }: Tool, given: Input): string | null {
  const words = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => String(given[name]));
  if (words.some((word) => /^\.{0,2}$/.test(word))) return null;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
}

function requestOf(tool: Tool, path: string, given: Input): Request {
  const query = Object.fromEntries(tool.query.map((name) => [name, given[name]]));
  return { method: tool.method, path, query, ...(given[BODY] === undefined ? {} : { body: given[BODY] }) };
}

/** What the call is about, as it is now. If reading it is refused, so is the call: nobody could see its effect. */
async function readObject(
  reader: Tool | null,
  given: Input,
  api: Client["api"],
  signal: AbortSignal,
): Promise<{ kind: "answer"; value: Input | null } | (Outcome & { kind: "refusal" })> {
  if (reader === null) return { kind: "answer", value: null };
  const outcome = await request(api, { method: "GET", path: pathOf(reader, given)! }, undefined, signal);
  return outcome.kind === "refusal" ? outcome : { kind: "answer", value: outcome.value as Input };
}

/** The payment that a case is about; null where it is about none, or the credential may not read it. */
async function readAbout(
  { byId }: Reads,
  found: Input | null,
  api: Client["api"],
  signal: AbortSignal,
): Promise<Input | null> {
  const reader = byId(PAYMENT_OF_CASE[String(found?.kind)] ?? "");
  if (reader === null) return null;
  const path = pathOf(reader, { id: found?.objectId })!;
  const outcome = await request(api, { method: "GET", path }, undefined, signal);
  return outcome.kind === "refusal" ? null : (outcome.value as Input);
}

type Sent = { readonly kind: "answer"; readonly value: unknown } | (Outcome & { readonly kind: "refusal" });

async function request(
  api: Client["api"],
  wanted: Request,
  idempotencyKey: string | undefined,
  signal: AbortSignal,
): Promise<Sent> {
  try {
    const value = await api.request<unknown>(wanted, { signal, ...(idempotencyKey && { idempotencyKey }) });
    return { kind: "answer", value };
  } catch (error) {
    const message = messageOf(error, wanted);
    if (message === null) throw error;
    return { kind: "refusal", message };
  }
}

/** Null: no error of the API. */
function messageOf(error: unknown, { method }: Request): string | null {
  if (error instanceof ApiError) {
    const issues = error instanceof ValidationError ? error.issues : [];
    const each = issues.map(({ path, message }) => `\n${path}: ${message}`).join("");
    const trace = error.traceId === null ? "" : `\ntraceId: ${error.traceId}`;
    return `${error.code} (${error.status}): ${error.message}${each}${trace}`;
  }
  if (!(error instanceof ConnectionError)) return null;
  if (method === "GET") return `The gateway did not answer: ${error.message}`;
  const key = error.idempotencyKey;
  const repeat =
    key === null ? "" : ` To find out, repeat the call with ${IDEMPOTENCY_KEY} ${key}: it never acts twice.`;
  return `The gateway did not answer, so it may have acted or not (${error.message}).${repeat}`;
}
