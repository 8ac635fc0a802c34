import { CliError } from "./error.ts";
import { findSandbox } from "./sandbox.ts";

/** Milliseconds: the check of a large ledger and the reconciliation of a day take their time. */
const TIMEOUT = 600_000;
/** Pages that a list is read to, 100 objects each. */
const MAX_PAGES = 1_000;

type Page = { items: unknown[]; nextCursor: string | null };

/** Calls the operator API; a list comes whole. Text for CSV, undefined for an empty answer. */
export async function callOperator(
  method: string,
  path: string,
  options: {
    readonly body: unknown;
    readonly key: string | undefined;
    readonly csv: boolean;
    readonly firstPage?: boolean;
  },
): Promise<unknown> {
  const { url, token } = access();
  const send = async (at: string): Promise<unknown> => {
    const hasBody = method !== "GET" && method !== "DELETE";
    const headers = {
      authorization: `Bearer ${token}`,
      accept: options.csv ? "text/csv" : "application/json",
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...(options.key === undefined ? {} : { "idempotency-key": options.key }),
    };
    let answer: Response;
    try {
      const body = hasBody ? JSON.stringify(options.body) : null;
      answer = await fetch(url + at, { method, headers, body, signal: AbortSignal.timeout(TIMEOUT) });
    } catch (error) {
      const { cause, message } = error as Error & { cause?: Error };
      throw new CliError(`${url} does not answer: ${cause?.message || message}`);
    }
    const text = await answer.text();
    if (!answer.ok) throw new CliError(refusal(`${method} ${at}`, answer.status, text));
    if (text === "") return undefined;
    return answer.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text;
  };

  return method === "GET" && options.firstPage !== true ? everyPage(path, send) : send(path);
}

/** A list whole, by its pages; anything else as it is. */
export async function everyPage(path: string, send: (at: string) => Promise<unknown>): Promise<unknown> {
  const first = await send(path);
  if (!isPage(first)) return first;
  const items = [...first.items];
  let { nextCursor } = first;
  for (let pages = 1; nextCursor !== null && pages < MAX_PAGES; pages += 1) {
    const next = (await send(
      `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(nextCursor)}`,
    )) as Page;
    items.push(...next.items);
    nextCursor = next.nextCursor;
  }
  return { items, nextCursor };
}

const isPage = (value: unknown): value is Page =>
  typeof value === "object" &&
  value !== null &&
  Array.isArray((value as Partial<Page>).items) &&
  (value as Partial<Page>).nextCursor !== undefined;

function access(): { url: string; token: string } {
  const { PIXGATE_OPERATOR_URL: at, PIXGATE_OPERATOR_TOKEN: token } = process.env;
  if (!at && !token) {
    const { operatorUrl, operatorToken } = findSandbox(process.env, process.cwd());
    return { url: operatorUrl, token: operatorToken };
  }
  if (!at || !token) throw new CliError("PIXGATE_OPERATOR_URL and PIXGATE_OPERATOR_TOKEN belong together: set both");
  if (!URL.canParse(at)) throw new CliError(`PIXGATE_OPERATOR_URL is not an address: ${at}`);
  const bare = at.replace(/(?<!\/)\/+$/, "");
  return { url: bare.endsWith("/operator/v1") ? bare : `${bare}/operator/v1`, token };
}

/** The standard error body in words, with each field that is wrong. */
function refusal(what: string, status: number, text: string): string {
  try {
    const { message, details } = JSON.parse(text) as {
      message: string;
      details?: { code?: string; issues?: { path: string; message: string }[] };
    };
    const issues = (details?.issues ?? []).map(({ path, message: says }) => `\n  ${path}: ${says}`).join("");
    return `${what} answered ${status}: ${message}${details?.code ? ` (${details.code})` : ""}${issues}`;
  } catch {
    return `${what} answered ${status}: ${text.slice(0, 200)}`;
  }
}
