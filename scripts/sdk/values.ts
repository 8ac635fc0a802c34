import type { OpenApiDocument, Schema } from "./document.ts";

/** Lists of values that a program may want to offer: kinds of events, permissions, banks. */
export function valuesOf({ merchant, operator }: Record<"merchant" | "operator", OpenApiDocument>): string {
  const { event } = merchant.components.schemas.WebhookTestRequest?.properties ?? {};
  const { permissions } = operator.components.schemas.CredentialRequest?.properties ?? {};
  const { profile } = operator.components.schemas.InstitutionConfig?.properties ?? {};
  return [
    "",
    "/** Every kind of event that a webhook may report, in the order of the reference. */",
    listOf("EVENT_KINDS", event),
    "/** Every permission that a credential may have. */",
    listOf("PERMISSIONS", permissions?.items),
    "/** Banks with API Pix that the gateway knows: `profile` is a value of an institution's `config.profile`, with `-sandbox` its sandbox. */",
    banksOf(profile),
  ].join("\n");
}

function banksOf(schema: Schema | undefined): string {
  const lines = schema?.["x-banks"]?.map(
    ({ profile, name, sandbox }) => `  { profile: "${profile}", name: "${name}", sandbox: ${sandbox} },`,
  );
  if (lines === undefined) throw new Error("the documents name no banks");
  return `export const NAMED_BANKS = [\n${lines.join("\n")}\n] as const;\n`;
}

function listOf(name: string, schema: Schema | undefined): string {
  if (schema?.enum === undefined) throw new Error(`the documents have no values for ${name}`);
  return `export const ${name} = [\n${schema.enum.map((value) => `  "${value}",`).join("\n")}\n] as const;\n`;
}
