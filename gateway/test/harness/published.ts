import { AssertionError } from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import {
  inlined,
  type PublishedDocument,
  type Route,
  routesOf,
  type Schema,
  validatorOf,
  wrongWith,
} from "./document.ts";

/** What one document publishes, ready to be compared with what is answered. */
type Published = {
  readonly document: PublishedDocument;
  readonly routes: readonly { readonly pattern: RegExp; readonly route: Route }[];
  readonly check: (schema: Schema, value: unknown) => string | null;
};

/** By where it is served; and by its text, since the validators of one document serve every gateway of a test run. */
const served = new Map<string, Promise<Published | null>>();
const byText = new Map<string, Published>();
/** The merchants' document that was read last: what receivers are told is compared with it. */
let merchants: Promise<Published | null> = Promise.resolve(null);

/** The documents by what paths begin with. */
const DOCUMENTS = [
  ["/operator/v1/", "/operator/v1/openapi.json"],
  ["/v2/", "/openapi.json"],
] as const;

function documentOf(origin: string, path: string): Promise<Published | null> {
  const url = origin + path;
  let known = served.get(url);
  if (known === undefined) {
    known = read(url);
    served.set(url, known);
    // A gateway that is being killed: the next answer of one asks again.
    void known.then((published) => published ?? served.delete(url));
    if (path === "/openapi.json") merchants = known;
  }
  return known;
}

async function read(url: string): Promise<Published | null> {
  const text = await fetch(url).then(
    (response) => (response.status === 200 ? response.text() : null),
    () => null,
  );
  if (text === null) return null;
  let published = byText.get(text);
  if (published === undefined) {
    const document = inlined(JSON.parse(text) as PublishedDocument);
    const routes = routesOf(document).map((route) => ({
      route,
      pattern: new RegExp(`^${route.path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}/?$`),
    }));
    // `/transactions/x` before `/transactions/{id}`, as the router has it.
    routes.sort((a, b) => Number(a.route.path.includes("{")) - Number(b.route.path.includes("{")));
    published = { document, routes, check: validatorOf(document, true) };
    byText.set(text, published);
  }
  return published;
}

/**
 * Fails unless an answer of the merchants' or the operator's API is what that gateway's own document says: its status,
 * content type, headers, machine code, and a body that fits and has nothing beside it.
 */
export async function assertPublished(
  method: string,
  url: string,
  reply: { status: number; headers: Headers; text: string },
): Promise<void> {
  const { origin, pathname } = new URL(url);
  const [, file] = DOCUMENTS.find(([prefix]) => pathname.startsWith(prefix)) ?? [];
  // An answer to HEAD has the headers of GET and no body.
  if (file === undefined || pathname.endsWith("/openapi.json") || method === "HEAD") return;
  const published = await documentOf(origin, file);
  if (published === null) return;
  const { routes, check } = published;
  const found = routes.find(({ route, pattern }) => route.method === method && pattern.test(pathname));
  // What did not arrive whole, or not in time, is answered before its route is known.
  const route = (BELOW_ROUTES.includes(reply.status) ? null : found?.route) ?? unknownRoute(method, pathname);
  const problem = wrongWith(route, check, reply);
  if (problem !== null)
    throw new AssertionError({ message: `not as published: ${problem}`, stackStartFn: assertPublished });
}

const BELOW_ROUTES: readonly number[] = [408, 431];

/** What everything answers that is no route. */
function unknownRoute(method: string, path: string): Route {
  const answer = {
    description: "",
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
  const responses = { 400: answer, 404: answer, 405: answer, 408: answer, 431: answer };
  return { method, path, operation: { operationId: "none", summary: "", tags: [], responses } };
}

/** What is wrong with a delivery by what the document says of its event; null: nothing. */
export async function wrongWithDelivery(headers: IncomingHttpHeaders, body: string): Promise<string | null> {
  const published = await merchants;
  if (published === null) return null;
  const event = JSON.parse(body) as { event: string };
  const post = published.document.webhooks?.[event.event]?.post;
  if (post === undefined) return `the event ${event.event} is not published`;
  const type = headers["content-type"];
  if (type !== "application/json") return `${event.event} has the content type ${type}`;
  const problem = published.check(post.requestBody!.content["application/json"]!.schema, event);
  if (problem !== null) return `${event.event}: ${problem} in ${body.slice(0, 500)}`;
  for (const { name, required, schema } of post.parameters ?? []) {
    const value = headers[name.toLowerCase()];
    if (value === undefined && !required) continue;
    const wrong = published.check(schema, value);
    if (wrong !== null) return `${event.event}: ${name}: ${wrong}: ${value}`;
  }
  return headers["x-service-event"] === event.event ? null : `${event.event} comes as ${headers["x-service-event"]}`;
}
