// One operation as a request: values of the form, and the document's examples where the form is empty.

/** Follows a reference; what stands beside it wins. */
export function resolveIn(api, value) {
  if (!value?.$ref) return value;
  const { $ref, ...beside } = value;
  const target = $ref
    .slice(2)
    .split("/")
    .reduce((at, key) => at?.[key], api);
  return { ...resolveIn(api, target), ...beside };
}

/** A parameter is text in a form; the SDK takes numbers and booleans. */
function typed(schema, text) {
  if (["integer", "number"].includes(schema.type) && text.trim() !== "" && Number.isFinite(Number(text)))
    return Number(text);
  return schema.type === "boolean" && /^(true|false)$/.test(text) ? text === "true" : text;
}

/**
 * What the samples of an operation say.
 *
 * @param given `values` by the parameters' names and `body` as JSON text; a value left out is its parameter's example.
 * @throws {SyntaxError} The body is not JSON.
 */
export function callOf(api, { path, method, operation }, given = {}) {
  const parameters = (operation.parameters ?? []).map((parameter) => resolveIn(api, parameter));
  const of = (place) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, schema, example: shown = name }) => {
        const text = given.values?.[name] ?? "";
        const example = required ? shown : "";
        return [name, typed(schema, String(text === "" ? example : text))];
      })
      .filter(([, value]) => value !== "");
  const media = operation.requestBody?.content["application/json"];
  const text = given.body ?? "";
  const example = given.body === undefined ? Object.values(media?.examples ?? {})[0]?.value : undefined;
  const [, success] = Object.entries(operation.responses).find(([status]) => status < "3");
  const answer = resolveIn(api, success).content ?? {};
  const page = resolveIn(api, answer["application/json"]?.schema)?.properties ?? {};
  const verb = operation.operationId.split(".")[1];
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    inPath: of("path").map(([name, value]) => [name, String(value)]),
    query: of("query"),
    headers: of("header").map(([name, value]) => [name, String(value)]),
    body: text.trim() === "" ? example : JSON.parse(text),
    takesQuery: parameters.some((parameter) => parameter.in === "query"),
    file: media === undefined ? Object.keys(operation.requestBody?.content ?? {})[0] : undefined,
    takesBody: operation.requestBody !== undefined,
    takesKey: parameters.some(({ name }) => name === "Idempotency-Key"),
    signed: operation.security?.length !== 0,
    operator: path.startsWith("/operator/"),
    list: verb.startsWith("list") && ["items", "data"].some((field) => page[field]?.type === "array"),
    answer: "application/json" in answer ? "json" : Object.keys(answer).length > 0 ? "text" : "none",
  };
}

/** Address of a call below that of the server. */
export function addressOf(base, { path, inPath, query }) {
  const filled = inPath.reduce((at, [name, value]) => at.replace(`{${name}}`, () => encodeURIComponent(value)), path);
  const search = new URLSearchParams(query.map(([name, value]) => [name, String(value)])).toString();
  return base + filled + (search ? `?${search}` : "");
}
