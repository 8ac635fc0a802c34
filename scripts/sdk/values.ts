import type { OpenApiDocument, Schema } from "./document.ts";

/** Lists of values that a program may want to offer: kinds of events, permissions. */
export function valuesOf({ merchant, operator }: Record<"merchant" | "operator", OpenApiDocument>): string {
  const { event } = merchant.components.schemas.WebhookTestRequest?.properties ?? {};
  const { permissions } = operator.components.schemas.CredentialRequest?.properties ?? {};
  return [
    "",
    "/** Every kind of event that a webhook may report, in the order of the reference. */",
    listOf("EVENT_KINDS", event),
    "/** Every permission that a credential may have. */",
    listOf("PERMISSIONS", permissions?.items),
  ].join("\n");
}

function listOf(name: string, schema: Schema | undefined): string {
  if (schema?.enum === undefined) throw new Error(`the documents have no values for ${name}`);
  return `export const ${name} = [\n${schema.enum.map((value) => `  "${value}",`).join("\n")}\n] as const;\n`;
}
