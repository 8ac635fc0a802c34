import fc from "fast-check";
import type { Parameter, PublishedDocument, Route, Schema } from "../harness/document.ts";

/** A request to be sent: parts that only the running gateway knows are put in then. */
export type FuzzRequest = {
  readonly route: Route;
  /** Path parameters: an object that exists (the n-th that was seen), or a text. */
  readonly ids: readonly ({ readonly seen: number } | { readonly text: string })[];
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly who: "merchant" | "reader" | "suspended" | "stranger" | "nobody";
  /** Raw; undefined: none. */
  readonly body: string | undefined;
};

const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "", " ", "\0", "a\0b", "\ud800", "x\udc00y", "\u202e", "null", "-1", "0", "1e9", "__proto__", "constructor", "'; select 1",
      "%00", "../../x", "<script>", "x".repeat(255), "x".repeat(256), "é".repeat(5_000), "💸".repeat(128), "principal",
    ),
  }, // biome-ignore format: a list reads better in rows
);
const uuid = fc.uuid();
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  text,
  fc.constantFrom(
    null, true, false, 0, -0, -1, 0.001, 1.005, 1e21, -1e-7, 9_999_999_999.99, 10_000_000_000, 2 ** 53, "100", [], {}, [[]], [null],
  ),
); // biome-ignore format: a list reads better in rows
const cpf = fc.constantFrom("12345678909", "52998224725", "11222333000181", "11111111111", "123");

/** Values for fields whose meaning a schema does not report. */
const BY_NAME: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  amount: fc.constantFrom(1, 1.15, 10, 19.99, 123.45, 9_999_999_999.99, 0.01),
  netAmount: fc.constantFrom(1, 10, 0.01),
  document: cpf,
  holderDocument: cpf,
  holderDocumentType: fc.constantFrom("cpf", "cnpj"),
  pixKey: fc.constantFrom(
    "12345678909",
    "maria@example.com",
    "+5511999990000",
    "fail@pixgate.test",
    "manual@pixgate.test",
  ),
  pixKeyType: fc.constantFrom("cpf", "cnpj", "email", "phone", "random", "evp"),
  // Nobody listens there, and nothing leaves this machine.
  url: fc.constantFrom(
    "http://127.0.0.1:9/hook",
    "https://127.0.0.1:9/",
    "http://user:pw@127.0.0.1:9/",
    "ftp://x",
    "nonsense",
  ),
  logoUrl: fc.constantFrom("https://example.com/logo.png", "javascript:alert(1)", "nonsense"),
  color: fc.constantFrom("#1e90ff", "#ABCDEF", "red", "#12345"),
  reference: fc.oneof(fc.stringMatching(/^[a-z0-9][a-z0-9_-]{1,31}$/), fc.constantFrom("principal", "fuzz", "NO", "a")),
  subAccount: fc.constantFrom("fuzz", "principal", "nowhere", "NO", "*"),
  from: fc.constantFrom("2020-01-01", "2026-02-30T00:00:00Z", "2026-11-01T00:00:00-03:00", "nonsense"),
  to: fc.constantFrom("2100-01-01", "2026-11-30T00:00:00Z", "2026-13-01"),
  month: fc.constantFrom("2026-11", "1999-01", "2026-13"),
};

/** A value that fits a schema, more or less: lengths and patterns that no rule here knows are left to chance. */
function fitting(schema: Schema, document: PublishedDocument, name = ""): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    return fitting(document.components.schemas[schema.$ref.split("/").at(-1)!]!, document, name);
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  const listed = schema.enum ?? (schema["x-extensible-enum"] as unknown[] | undefined);
  if (listed) return fc.constantFrom(...listed);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => fitting(one, document, name)));
  const known = BY_NAME[name];
  if (known) return known;
  switch (schema.type) {
    case "object":
      return schema.properties
        ? objectOf(schema, document, 12)
        : fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }));
    case "array":
      return fc.array(fitting(schema.items ?? {}, document), { maxLength: 4 });
    case "integer":
      return fc.integer({ min: Number(schema.minimum ?? -5), max: Number(schema.maximum ?? 1_000) });
    case "number":
      return fc.integer({ min: 1, max: 1_000_000 }).map((centavos) => centavos / 100);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "string":
      if (schema.format === "uuid") return uuid;
      if (schema.format === "email") return fc.emailAddress();
      if (schema.format === "date-time") {
        return fc
          .date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true })
          .map((date) => date.toISOString());
      }
      if (typeof schema.pattern === "string") return fc.stringMatching(new RegExp(schema.pattern));
      return fc.string({
        minLength: Number(schema.minLength ?? 0),
        maxLength: Math.min(60, Number(schema.maxLength ?? 60)),
      });
    default:
      return junk;
  }
}

/** An object by its schema; of `soundness + 1` fields about one is wrong, is missing or is too much. */
function objectOf(schema: Schema, document: PublishedDocument, soundness: number): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const value = fc.oneof(
      { weight: soundness, arbitrary: fitting(property, document, name) },
      { weight: 1, arbitrary: junk },
    );
    const present = schema.required?.includes(name) ? 20 : 2;
    return fc.oneof(
      { weight: present, arbitrary: value.map((one) => [[name, one]] as [string, unknown][]) },
      { weight: 1, arbitrary: fc.constant([] as [string, unknown][]) },
    );
  });
  const extra = fc.oneof(
    { weight: 15, arbitrary: fc.constant([] as [string, unknown][]) },
    { weight: 1, arbitrary: fc.tuple(text, junk).map((entry) => [entry] as [string, unknown][]) },
  );
  return fc.tuple(...fields, extra).map((entries) => Object.fromEntries(entries.flat()));
}

/** An example's address would be looked up for every delivery. */
export const offline = (example: unknown): unknown => {
  const body = example as Record<string, unknown>;
  return "url" in body ? { ...body, url: "http://127.0.0.1:9/hook" } : body;
};

function bodyOf(route: Route, document: PublishedDocument): fc.Arbitrary<string | undefined> {
  const none = fc.constant(undefined);
  if (route.method === "GET") return none;
  const media = route.operation.requestBody?.content["application/json"];
  const raw = fc.oneof(
    fc.constantFrom(
      "",
      "{",
      "[1,",
      '{"a":1}x',
      "null",
      "\u0000",
      "'",
      "﻿{}",
      '{"amount":1,"amount":2}',
      "[".repeat(5_000),
    ),
    fc.string({ maxLength: 50 }),
    fc.constant(" ".repeat(262_145)),
  );
  if (media === undefined) return fc.oneof({ weight: 6, arbitrary: none }, { weight: 1, arbitrary: raw });
  const json = (arbitrary: fc.Arbitrary<unknown>) => arbitrary.map((value) => JSON.stringify(value));
  const examples = Object.values(media.examples ?? {}).map(({ value }) => JSON.stringify(offline(value)));
  return fc.oneof(
    { weight: 20, arbitrary: json(fitting(media.schema, document)) },
    { weight: 6, arbitrary: examples.length > 0 ? fc.constantFrom(...examples) : none },
    { weight: 2, arbitrary: json(junk) },
    { weight: 2, arbitrary: raw },
    { weight: route.operation.requestBody?.required ? 1 : 8, arbitrary: none },
  );
}

/** Text that a URL keeps as it is: no dot segments, and not so long that the head is refused below HTTP. */
const pathText = fc
  .oneof(
    { weight: 4, arbitrary: text },
    { weight: 2, arbitrary: uuid },
    {
      weight: 1,
      arbitrary: fc.constantFrom("payment_expired_x", "a/b", "ü", "x".repeat(255), "x".repeat(256), "💸".repeat(255)),
    },
  )
  .map((one) => one.toWellFormed().slice(0, 1_000))
  .filter((one) => !/^\.{0,2}$/.test(one))
  .map(encodeURIComponent);

/** One time of `absent` + 1 the value, otherwise null. */
const sometimes = <T>(absent: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: absent, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

function queryOf(parameters: readonly Parameter[], document: PublishedDocument) {
  const given = parameters.filter((parameter) => parameter.in === "query");
  // Of a list with fifteen parameters each request has about three: with all of them none would be answered.
  const absent = Math.max(1, Math.round(given.length / 3) - 1);
  const each = given.map(({ name, schema }) =>
    sometimes(
      absent,
      fc
        .oneof({ weight: 8, arbitrary: fitting(schema, document, name) }, { weight: 1, arbitrary: text })
        .map((value) => [name, String(value).toWellFormed().slice(0, 500)] as const),
    ),
  );
  // Extensions refuse what they do not know.
  const unknown = sometimes(9, fc.tuple(fc.string({ maxLength: 10 }), fc.string({ maxLength: 10 })));
  return fc.tuple(...each, unknown).map((list) => list.filter((one) => one !== null));
}

const maybe = (weight: number, arbitrary: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 10, arbitrary: fc.constant(null) }, { weight, arbitrary });
const visible = fc.stringMatching(/^[!-~]{1,40}$/);

/** Any request to one of the document's routes. */
export function anyRequest(routes: readonly Route[], document: PublishedDocument): fc.Arbitrary<FuzzRequest> {
  const perRoute = routes.map((route) => {
    const parameters = route.operation.parameters ?? [];
    const id = fc.oneof(
      { weight: 30, arbitrary: fc.nat({ max: 9_999 }).map((seen) => ({ seen })) },
      { weight: 15, arbitrary: pathText.map((one) => ({ text: one })) },
      { weight: 1, arbitrary: fc.constantFrom("%", "%ZZ", "%FF", "%ED%A0%80").map((one) => ({ text: one })) },
    );
    return fc.record({
      route: fc.constant(route),
      ids: fc.tuple(...parameters.filter((parameter) => parameter.in === "path").map(() => id)),
      query: queryOf(parameters, document),
      headers: fc
        .record({
          "x-sub-account": maybe(
            4,
            fc.oneof(fc.constantFrom("fuzz", "fuzz", "principal", "nowhere", "NO", ""), visible),
          ),
          "idempotency-key": maybe(4, fc.oneof(fc.stringMatching(/^key-[0-9]{4}$/), visible)),
          "content-type": maybe(
            1,
            fc.constantFrom("text/plain", "application/json; charset=utf-8", "application/xml", "x"),
          ),
          accept: maybe(2, fc.constantFrom("application/json", "text/csv", "*/*", "image/png")),
        })
        .map(
          (all) =>
            Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Record<string, string>,
        ),
      who: fc.oneof(
        { weight: 20, arbitrary: fc.constant("merchant" as const) },
        { weight: 3, arbitrary: fc.constantFrom("reader", "suspended", "stranger", "nobody" as const) },
      ),
      body: bodyOf(route, document),
    });
  });
  return fc.oneof(...perRoute) as fc.Arbitrary<FuzzRequest>;
}
