import fc from "fast-check";
import { anyRequest, type FuzzRequest } from "../contract/requests.ts";
import { type PublishedDocument, type Route, routesOf, validatorOf, wrongWith } from "../harness/document.ts";

type Target = {
  /** Address of the gateway, without a path. */
  readonly url: string;
  readonly document: PublishedDocument;
  readonly tokens: Readonly<Partial<Record<FuzzRequest["who"], string>>>;
  /** Ids that answers have shown: requests name them. Grows. */
  readonly seen: string[];
  /**
   * By path: ids that fit it, together one for each of its parameters. Half of the parameters that name an object of those
   * seen name one of these, and those of one request the same.
   */
  readonly fitting?: ReadonlyMap<string, readonly (readonly string[])[]>;
};

const AT_ONCE = 8;

/**
 * Sends generated requests and holds every answer against the published document. Ends early at the fifth problem.
 *
 * @returns what was not as published, a 500 among it, and the routes that never answered a request well.
 */
export async function sendRequests(
  { url, document, tokens, seen, fitting }: Target,
  { seed, runs }: { readonly seed: number; readonly runs: number },
): Promise<{ problems: string[]; neverWell: string[]; routes: Route[] }> {
  const routes = routesOf(document);
  const check = validatorOf(document, true);
  const requests = fc.sample(anyRequest(routes, document), { seed, numRuns: runs });
  const statuses = new Map<string, number>();
  const problems: string[] = [];

  async function send(request: FuzzRequest): Promise<void> {
    const { route, body } = request;
    const own = fitting?.get(route.path) ?? [];
    let fits: readonly string[] | undefined;
    const ids = request.ids.map((id, parameter) => {
      if ("text" in id) return id.text;
      const nth = Math.floor(id.seen / 2);
      if (own.length === 0 || id.seen % 2 === 1) return seen[nth % seen.length]!;
      fits ??= own[nth % own.length]!;
      return fits[parameter]!;
    });
    const path = route.path.replace(/\{\w+\}/g, () => ids.shift()!);
    const query = new URLSearchParams(request.query as [string, string][]).toString();
    const token = tokens[request.who];
    const init = {
      method: route.method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...request.headers,
      },
      ...(body === undefined ? {} : { body }),
    };
    const response = await fetch(`${url}${path}${query === "" ? "" : `?${query}`}`, init);
    const text = await response.text();
    const { status, headers } = response;
    const name = `${route.method} ${route.path}`;
    statuses.set(name, Math.min(status, statuses.get(name) ?? 999));
    const problem = status === 500 ? `a 500: ${text}` : wrongWith(route, check, { status, headers, text });
    if (problem !== null) {
      const sent = { ...init, body: init.body?.slice(0, 1_000) };
      problems.push(
        `${problem}\n  ${route.method} ${path.slice(0, 300)}?${query.slice(0, 300)} ${JSON.stringify(sent)}`,
      );
    }
    if (status === 201 && seen.length < 2_000) {
      const { id } = JSON.parse(text) as { id?: unknown };
      if (typeof id === "string") seen.push(id);
    }
  }

  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < requests.length && problems.length < 5) await send(requests[next++]!);
    }),
  );
  const neverWell = routes
    .filter(({ method, path }) => (statuses.get(`${method} ${path}`) ?? 999) >= 300 && path !== "/v2/auth")
    .map(({ method, path }) => `${method} ${path}`);
  return { problems, neverWell, routes };
}
