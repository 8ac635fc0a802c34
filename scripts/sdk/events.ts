import { componentOf, type OpenApiDocument } from "./document.ts";

/** The union of the bodies of all webhooks, told apart by `event`. */
export function eventsOf({ webhooks = {} }: OpenApiDocument): string {
  const bodies = Object.entries(webhooks).map(([kind, { post }]) => {
    const name = componentOf(post.requestBody?.content["application/json"]?.schema);
    if (name === null) throw new Error(`the body of ${kind} is not a component`);
    return name;
  });
  const names = [...bodies].sort();
  return [
    "",
    `import type {\n${names.map((name) => `  ${name},`).join("\n")}\n} from "./merchant.ts";`,
    "",
    "/** The body of a webhook. Kinds may be added: give a `switch` over `event` a default branch. */",
    `export type WebhookEvent =\n${bodies.map((name) => `  | ${name}`).join("\n")};`,
    "",
  ].join("\n");
}
