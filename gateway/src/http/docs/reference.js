// Renders the OpenAPI document of this installation. Every text of the document becomes a text node, never markup.

import { addressOf, callOf, resolveIn } from "./call.js";
import { h } from "./element.js";
import { samplesView } from "./samples-view.js";

const operatorApi = new URLSearchParams(location.search).get("api") === "operator";
const source = operatorApi ? "/operator/v1/openapi.json" : "/openapi.json";
const byId = (id) => document.getElementById(id);

/** `code` and **bold** within a line. */
function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (/^`.+`$/.test(part)) return h("code", {}, part.slice(1, -1));
    if (/^\*\*.+\*\*$/.test(part)) return h("strong", {}, part.slice(2, -2));
    return part;
  });
}

/** Paragraphs and tables. */
function prose(text = "") {
  return (text ? text.split(/\n\n+/) : []).map((block) => {
    if (!block.startsWith("|")) return h("p", {}, inline(block.replaceAll("\n", " ")));
    const rows = block.split("\n").map((line) => line.split("|").slice(1, -1));
    const cells = (tag, row) => row.map((cell) => h(tag, {}, inline(cell.trim())));
    const [head, , ...body] = rows;
    return h(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": "Table" },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, cells("th", head))),
        h(
          "tbody",
          {},
          body.map((row) => h("tr", {}, cells("td", row))),
        ),
      ),
    );
  });
}

let api;
const resolve = (value) => resolveIn(api, value);
const nameOf = (schema) => schema?.$ref?.split("/").at(-1);

function typeOf(given) {
  const schema = resolve(given);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const values = schema.enum ?? schema["x-extensible-enum"];
  if (values) return [...values.map((value) => JSON.stringify(value)), ...(schema.enum ? [] : ["…"])].join(" | ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.type === "array") return `array of ${nameOf(schema.items) ?? typeOf(schema.items ?? {})}`;
  return nameOf(given) ?? ([schema.type].flat().join(" | ") || "any") + (schema.format ? ` (${schema.format})` : "");
}

function limits(given) {
  const s = resolve(given);
  const said = [
    s.minimum !== undefined && `≥ ${s.minimum}`,
    s.maximum !== undefined && `≤ ${s.maximum}`,
    s.minLength !== undefined && `at least ${s.minLength} characters`,
    s.maxLength !== undefined && `at most ${s.maxLength} characters`,
    s.minItems !== undefined && `at least ${s.minItems} items`,
    s.maxItems !== undefined && `at most ${s.maxItems} items`,
    s.pattern !== undefined && `pattern ${s.pattern}`,
    s.default !== undefined && `default ${JSON.stringify(s.default)}`,
  ];
  return said.filter(Boolean).join(", ");
}

/** The object behind a schema, if there is one to unfold. */
function objectIn(given) {
  const schema = resolve(given);
  if (schema.properties) return schema;
  if (schema.items) return objectIn(schema.items);
  return (schema.anyOf ?? []).map(objectIn).find(Boolean);
}

function field(name, schema, required) {
  const { description } = resolve(schema);
  const inner = objectIn(schema);
  const limit = limits(schema);
  return h(
    "li",
    {},
    h("code", {}, name),
    h("span", { class: "type" }, typeOf(schema)),
    required ? h("span", { class: "required" }, "required") : null,
    h("div", { class: "about" }, prose(description), limit ? h("span", { class: "type" }, limit) : null),
    inner ? lazily("nested", h("span", {}, "Fields"), () => fields(inner)) : null,
  );
}

function fields(given) {
  const schema = objectIn(given);
  if (!schema) return h("p", {}, typeOf(given));
  const entries = Object.entries(schema.properties ?? {});
  if (entries.length === 0) return h("p", {}, "An object without fields.");
  return h(
    "ul",
    { class: "fields" },
    entries.map(([name, one]) => field(name, one, schema.required?.includes(name))),
  );
}

/** Details whose inside is made when they are opened first. */
function lazily(className, summary, make) {
  const details = h("details", { class: className }, h("summary", {}, summary));
  details.addEventListener("toggle", () => details.open && details.append(make()), { once: true });
  return details;
}

const mediaOf = (holder) => Object.entries(holder?.content ?? {})[0] ?? [];
const pretty = (value) => JSON.stringify(value, null, 2);

function answers(operation) {
  return Object.entries(operation.responses).map(([status, given]) => {
    const answer = resolve(given);
    const [type, media] = mediaOf(answer);
    const headline = answer["x-error-codes"]?.join(", ") ?? answer.description.split("\n")[0];
    const title = h(
      "span",
      {},
      h("span", { class: `status ${status < "4" ? "good" : "bad"}` }, status),
      " ",
      inline(headline),
    );
    return lazily("answer", title, () =>
      h(
        "div",
        {},
        prose(answer.description),
        media
          ? [h("h3", {}, `${nameOf(media.schema) ?? "Body"}, ${type}`), fields(media.schema), exampleOf(media)]
          : h("p", {}, "No body."),
        h("h3", {}, "Headers"),
        h(
          "ul",
          { class: "fields" },
          Object.entries(answer.headers ?? {}).map(([name, one]) => {
            const header = resolve(one);
            return field(name, { ...header.schema, description: header.description }, false);
          }),
        ),
      ),
    );
  });
}

function exampleOf(media) {
  const example = Object.values(media.examples ?? {})[0];
  if (example === undefined) return null;
  return lazily("nested", "Example", () => h("pre", { tabindex: "0", "aria-label": "Example" }, pretty(example.value)));
}

const token = () => byId("token").value.trim();

/** The samples of a call, and the form that sends it from here; the samples show what the form holds. */
function callView(operation, path, method, id) {
  const parameters = (operation.parameters ?? []).map(resolve);
  const [type, media] = mediaOf(operation.requestBody);
  const isFile = media !== undefined && type !== "application/json";
  const inputs = parameters.map((parameter, i) => {
    const input = h("input", {
      id: `${id}-${i}`,
      placeholder: parameter.example ?? limits(parameter.schema),
      required: parameter.required,
      spellcheck: "false",
    });
    return { parameter, input };
  });
  const body =
    media &&
    h(isFile ? "input" : "textarea", { id: `${id}-body`, ...(isFile ? { type: "file" } : { spellcheck: "false" }) });
  if (body && !isFile) body.value = pretty(Object.values(media.examples ?? {})[0]?.value ?? {});
  const result = h("div", { "aria-live": "polite" });
  const given = () => ({
    values: Object.fromEntries(inputs.map(({ parameter, input }) => [parameter.name, input.value])),
    body: isFile ? undefined : body?.value,
  });

  function request() {
    const call = callOf(api, { path, method, operation }, { values: given().values });
    const headers = Object.fromEntries(call.headers);
    if (token() && call.signed) headers.Authorization = `Bearer ${token()}`;
    // The text as it stands: what is wrong in it is the server's to say.
    const text = isFile ? body.files[0] : body?.value.trim() ? body.value : undefined;
    if (text !== undefined) headers["Content-Type"] = isFile ? text.type : "application/json";
    return { url: addressOf(location.origin, call), method: call.method, headers, body: text };
  }

  async function send(event) {
    event.preventDefault();
    const { url, ...init } = request();
    result.replaceChildren(h("p", {}, "Waiting…"));
    const started = performance.now();
    try {
      const reply = await fetch(url, init);
      const text = await reply.text();
      const ms = Math.round(performance.now() - started);
      const value = text && reply.headers.get("content-type")?.includes("json") ? JSON.parse(text) : undefined;
      const picture = value?.qrCodeBase64;
      result.replaceChildren(
        h(
          "p",
          {},
          h("span", { class: `status ${reply.ok ? "good" : "bad"}` }, `${reply.status} ${reply.statusText}`),
          ` in ${ms} ms`,
        ),
        h(
          "pre",
          { tabindex: "0", "aria-label": "Body of the answer" },
          value === undefined ? text || "(no body)" : pretty(value),
        ),
        typeof picture === "string" && picture.startsWith("data:image/png;base64,")
          ? h("img", { src: picture, alt: "QR code of the charge", width: "180" })
          : "",
        lazily("nested", "Headers of the answer", () =>
          h("pre", {}, [...reply.headers].map(([name, value]) => `${name}: ${value}`).join("\n")),
        ),
      );
    } catch (error) {
      result.replaceChildren(h("p", { class: "bad" }, `The call could not be made: ${error.message}`));
    }
  }

  const form = h(
    "form",
    { class: "try", submit: send, "aria-label": `Try ${operation.summary}` },
    h("h3", {}, "Try it"),
    h(
      "div",
      { class: "inputs" },
      inputs.map(({ parameter, input }) => [h("label", { for: input.id }, parameter.name), input]),
    ),
    body ? [h("label", { for: body.id }, "Body"), body] : null,
    h("p", {}, h("button", { class: "primary" }, "Send")),
    result,
  );
  const samples = samplesView(() => callOf(api, { path, method, operation }, given()), location.origin);
  form.addEventListener("input", samples.update);
  return [samples.element, form];
}

function operationView({ path, method, operation, event }, id) {
  const parameters = (operation.parameters ?? []).map(resolve);
  const body = resolve(operation.requestBody);
  const [, media] = mediaOf(body);
  const details = h(
    "details",
    {},
    h(
      "summary",
      {},
      h("span", { class: `method ${event ? "event" : method}` }, event ? "EVENT" : method.toUpperCase()),
      h("span", { class: "path" }, path),
      h("span", { class: "summary" }, operation.summary),
      operation["x-extension"] ? h("span", { class: "badge" }, "extension") : null,
    ),
  );
  const article = h("article", { id, "aria-label": operation.summary }, details);
  article.words =
    `${method} ${path} ${operation.summary} ${operation.operationId} ${JSON.stringify(operation.responses)}`.toLowerCase();
  const about = () =>
    h(
      "div",
      { class: "about-call" },
      prose(operation.description),
      parameters.length > 0 ? h("h3", {}, event ? "Headers" : "Parameters") : null,
      parameters.length > 0
        ? h(
            "ul",
            { class: "fields" },
            parameters.map(({ name, schema, description, required, in: place }) =>
              field(`${name} (${place})`, { ...schema, description }, required),
            ),
          )
        : null,
      media
        ? [
            h("h3", {}, `Body: ${nameOf(media.schema) ?? "JSON"}${body.required ? "" : " (optional)"}`),
            prose(body.description),
            fields(media.schema),
            // A call's own example stands in its form.
            event ? exampleOf(media) : null,
          ]
        : null,
      event ? null : [h("h3", {}, "Answers"), answers(operation)],
    );
  const inside = () =>
    h(
      "div",
      { class: "inside" },
      about(),
      event ? null : h("div", { class: "side" }, callView(operation, path, method, id)),
    );
  details.addEventListener("toggle", () => details.open && details.append(inside()), { once: true });
  return article;
}

/** Operations by their tag. */
function groups() {
  const all = Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const events = Object.entries(api.webhooks ?? {}).map(([path, { post }]) => ({
    path,
    method: "post",
    operation: post,
    event: true,
  }));
  return (api.tags ?? [])
    .map((tag) => ({
      tag,
      members: [...all, ...events].filter(({ operation }) => operation.tags?.includes(tag.name)),
    }))
    .filter(({ members }) => members.length > 0);
}

function render() {
  byId("title").textContent = document.title = `${api.info.title} reference`;
  const made = groups().map(({ tag, members }) => ({
    tag,
    articles: members.map((member) => ({
      ...member,
      id: member.operation.operationId,
      article: operationView(member, member.operation.operationId),
    })),
  }));
  byId("main").replaceChildren(
    ...prose(api.info.description),
    ...made.map(({ tag, articles }) =>
      h(
        "section",
        { "aria-label": tag.name },
        h("h2", {}, tag.name),
        h("p", {}, inline(tag.description)),
        articles.map(({ article }) => article),
      ),
    ),
  );
  const entries = made.map(({ tag, articles }) => {
    const items = articles.map(({ id, article, method, operation, path, event }) => ({
      article,
      item: h(
        "li",
        {},
        h(
          "a",
          { href: `#${id}`, title: event ? path : `${method.toUpperCase()} ${path}` },
          event ? path : operation.summary,
        ),
      ),
    }));
    return {
      group: h(
        "div",
        {},
        h("h2", {}, tag.name),
        h(
          "ul",
          {},
          items.map(({ item }) => item),
        ),
      ),
      items,
    };
  });
  byId("list").replaceChildren(...entries.map(({ group }) => group));
  byId("filter").addEventListener("input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    for (const { group, items } of entries) {
      for (const { item, article } of items) item.hidden = article.hidden = !article.words.includes(wanted);
      group.hidden = items.every(({ item }) => item.hidden);
    }
    for (const section of document.querySelectorAll("main > section"))
      section.hidden = !section.querySelector("article:not([hidden])");
  });
  openTarget();
}

function openTarget() {
  const target = location.hash ? byId(decodeURIComponent(location.hash.slice(1))) : null;
  const details = target?.querySelector("details");
  if (!details) return;
  details.open = true;
  target.scrollIntoView();
}

function prepareAccess() {
  const credential = byId("credential");
  const state = byId("access-state");
  // An operator token is not exchanged for anything.
  byId("login").hidden = operatorApi;
  byId("login").addEventListener("click", (event) => {
    credential.hidden = !credential.hidden;
    event.target.setAttribute("aria-expanded", String(!credential.hidden));
    if (!credential.hidden) byId("client-id").focus();
  });
  byId("access").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (credential.hidden) return;
    const body = JSON.stringify({
      client_id: byId("client-id").value.trim(),
      client_secret: byId("client-secret").value.trim(),
    });
    try {
      const reply = await fetch("/v2/auth", { method: "POST", headers: { "Content-Type": "application/json" }, body });
      const answer = await reply.json();
      if (!reply.ok) throw new Error(answer.message);
      byId("token").value = answer.access_token;
      byId("client-secret").value = "";
      credential.hidden = true;
      byId("login").setAttribute("aria-expanded", "false");
      state.className = "";
      state.textContent = `Valid for ${answer.expires_in} s`;
    } catch (error) {
      state.className = "bad";
      state.textContent = error.message;
    }
  });
}

prepareAccess();
document.querySelector(`[data-api="${operatorApi ? "operator" : "merchant"}"]`).setAttribute("aria-current", "page");
byId("source").href = source;
window.addEventListener("hashchange", openTarget);
try {
  const reply = await fetch(source);
  if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
  api = await reply.json();
  render();
} catch (error) {
  byId("main").replaceChildren(
    h("p", { class: "bad", role: "alert" }, `The reference could not be loaded: ${error.message}`),
  );
}
