import type { PublishedDocument, Route, Schema } from "../harness/document.ts";

/** Where a caller may write a text of his own choice. */
export type Field = {
  readonly route: Route;
  readonly in: "path" | "query" | "header" | "body";
  /** Its own name, and the way to it through a body: `["split", "0", "subAccount"]`. */
  readonly name: string;
  readonly way: readonly string[];
};

/**
 * Fields that name an object of somebody's: another tenant's answers there like one that nobody has. `of` says who may
 * name it: the wallet alone, or each wallet of the account.
 */
export const REFERENCES: Readonly<Record<string, { readonly of: "wallet" | "account" }>> = {
  "path id": { of: "wallet" },
  "path fileId": { of: "wallet" },
  "path noteId": { of: "wallet" },
  "path eventId": { of: "wallet" },
  "path reference": { of: "account" },
  "query projectId": { of: "wallet" },
  "query externalReference": { of: "wallet" },
  "query e2eId": { of: "wallet" },
  "query transactionId": { of: "wallet" },
  "query originalTransactionId": { of: "wallet" },
  "query endpointId": { of: "wallet" },
  "query eventId": { of: "wallet" },
  "query traceId": { of: "account" },
  "query qrCodeId": { of: "wallet" },
  "query paymentLinkId": { of: "wallet" },
  "query cursor": { of: "wallet" },
  "query q": { of: "wallet" },
  "query payer": { of: "wallet" },
  "header X-Sub-Account": { of: "account" },
  "body projectId": { of: "wallet" },
  "body pspCredentialId": { of: "account" },
  "body subAccount": { of: "account" },
  "body transactionId": { of: "wallet" },
  "body qrCodeId": { of: "wallet" },
  "body client_id": { of: "account" },
  "body client_secret": { of: "account" },
};

/** What everybody says of his own: that another has said the same changes nothing, and is not to be noticed. */
export const WORDS: Readonly<Record<string, unknown>> = {
  "header Idempotency-Key": null,
  "query name": "recibo.png",
  "body description": "Pedido 1042",
  "body name": "loja",
  "body label": "Loja",
  "body document": "12345678909",
  "body email": "maria@example.com",
  "body phone": "+5511912345678",
  "body externalReference": "order-1042",
  "body metadata": { cart: 7 },
  "body pixKey": "maria@example.com",
  "body holderName": "Maria Silva",
  "body holderDocument": "12345678909",
  "body reason": "the same reason",
  "body text": "Foi entregue.",
  "body reference": "loja-centro",
  "body color": "#1E90FF",
  "body logoUrl": "https://example.com/logo.png",
  "body url": "http://127.0.0.1:9/hook",
  // The number is that of the key.
  "body key": "41191111812498000103650050000010451515607994",
  "body number": "1045",
  "body returnUrl": "https://shop.example.com/paid",
};

/** What every account says of its payers' pages, by a call without an `Idempotency-Key`. */
export const SETTINGS = {
  displayName: "Loja",
  logo: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  supportContact: "ajuda@example.com",
  returnHosts: ["shop.example.com"],
};

/** Query parameters that take days or months, not only instants. */
const TIMES = new Set(["from", "to", "at", "date", "month"]);

/** Every field of these routes whose value is neither a choice, nor a number, nor a time. */
export function fieldsOf(routes: readonly Route[], document: PublishedDocument): Field[] {
  const schemaOf = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : schemaOf(document.components.schemas[schema.$ref.split("/").at(-1)!]!);
  const leaves = (given: Schema, way: readonly string[]): (readonly string[])[] => {
    const schema = schemaOf(given);
    if (schema.anyOf) return schema.anyOf.flatMap((one) => leaves(one, way));
    if (schema.properties) return Object.entries(schema.properties).flatMap(([k, v]) => leaves(v, [...way, k]));
    if (schema.items) return leaves(schema.items, [...way, "0"]);
    const chosen =
      schema.enum !== undefined ||
      schema.const !== undefined ||
      schema.format === "date-time" ||
      // A list that may grow, and days and months.
      "x-extensible-enum" in schema ||
      TIMES.has(way.at(-1)!);
    return !chosen && (schema.type === "string" || schema.type === "object") ? [way] : [];
  };
  const nameOf = (way: readonly string[]) => way.findLast((step) => step !== "0")!;
  return routes.flatMap((route) => {
    const body = route.operation.requestBody?.content["application/json"]?.schema;
    const ways = body === undefined ? [] : leaves(body, []);
    const seen = new Set(ways.map((way) => way.join(".")));
    return [
      ...(route.operation.parameters ?? []).flatMap((parameter) =>
        leaves(parameter.schema, [parameter.name]).map((way) => ({
          route,
          in: parameter.in as Field["in"],
          name: parameter.name,
          way,
        })),
      ),
      ...[...seen].map((text) => {
        const way = text.split(".");
        return { route, in: "body" as const, name: nameOf(way), way };
      }),
    ];
  });
}

export const kindOf = (field: Field): string => `${field.in} ${field.name}`;

/** A body with a value put where a field is; what the way there lacks is made, with an amount. */
export function bodyWith(body: unknown, way: readonly string[], value: unknown): unknown {
  const [step, ...rest] = way;
  if (step === undefined) return value;
  if (step === "0") return [bodyWith((body as unknown[] | undefined)?.[0] ?? { amount: 1 }, rest, value)];
  const there = (body ?? {}) as Record<string, unknown>;
  return { ...there, [step]: bodyWith(there[step], rest, value) };
}
