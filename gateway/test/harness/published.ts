import { AssertionError } from "node:assert/strict";
import { readFileSync } from "node:fs";
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

const read = new Map<string, Published>();

/** A committed document: contract/openapi.test.ts holds what a gateway serves to it, byte for byte. */
function published(name: "merchant" | "operator"): Published {
  let known = read.get(name);
  if (known === undefined) {
    const text = readFileSync(new URL(`../../../openapi/${name}.json`, import.meta.url), "utf8");
    const document = inlined(JSON.parse(text) as PublishedDocument);
    const routes = routesOf(document).map((route) => ({
      route,
      pattern: new RegExp(`^${route.path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
    }));
    // `/transactions/x` before `/transactions/{id}`, as the router has it.
    routes.sort((a, b) => Number(a.route.path.includes("{")) - Number(b.route.path.includes("{")));
    known = { document, routes, check: validatorOf(document, true) };
    read.set(name, known);
  }
  return known;
}

/**
 * Fails unless an answer of the merchants' or the operator's API is what its document says: its status, content type,
 * headers, machine code, and a body that fits and has nothing beside it.
 */
export function assertPublished(
  method: string,
  url: string,
  reply: { status: number; headers: Headers; text: string },
): void {
  const { pathname } = new URL(url);
  const name = pathname.startsWith("/operator/v1/") ? "operator" : pathname.startsWith("/v2/") ? "merchant" : null;
  // An answer to HEAD has the headers of GET and no body.
  if (name === null || pathname.endsWith("/openapi.json") || method === "HEAD") return;
  const { routes, check } = published(name);
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
export function wrongWithDelivery(headers: IncomingHttpHeaders, body: string): string | null {
  const { document, check } = published("merchant");
  const event = JSON.parse(body) as { event: string };
  const post = document.webhooks?.[event.event]?.post;
  if (post === undefined) return `the event ${event.event} is not published`;
  const type = headers["content-type"];
  if (type !== "application/json") return `${event.event} has the content type ${type}`;
  const problem = check(post.requestBody!.content["application/json"]!.schema, event);
  if (problem !== null) return `${event.event}: ${problem} in ${body.slice(0, 500)}`;
  for (const { name, required, schema } of post.parameters ?? []) {
    const value = headers[name.toLowerCase()];
    if (value === undefined && !required) continue;
    const wrong = check(schema, value);
    if (wrong !== null) return `${event.event}: ${name}: ${wrong}: ${value}`;
  }
  return headers["x-service-event"] === event.event ? null : `${event.event} comes as ${headers["x-service-event"]}`;
}
