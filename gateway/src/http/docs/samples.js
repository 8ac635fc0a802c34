// Code samples of a call, one pure function a language. Amounts are written as they are sent: nothing computes with them.

import { addressOf } from "./call.js";

const INDENT = "  ";
const KEY_NOTE = "One key an action: a retry sends the same key.";
const json = (value) => JSON.stringify(value);
const tokenName = ({ operator }) => (operator ? "PIXGATE_OPERATOR_TOKEN" : "PIXGATE_TOKEN");
const given = (call, name) => call.headers.find(([header]) => header === name)?.[1];

/** Name of the file that a sample sends. */
const fileOf = ({ file }) => `file.${file.split("/")[1]}`;

/** A JSON value as a literal: `words` are how a language writes its parts. */
function literal(value, words, depth = 0) {
  const pad = words.indent.repeat(depth + 1);
  const close = `\n${words.indent.repeat(depth)}`;
  const inner = (one) => literal(one, words, depth + 1);
  if (Array.isArray(value))
    return value.length === 0 ? "[]" : `[\n${value.map((one) => `${pad}${inner(one)},\n`).join("")}${close.slice(1)}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value);
    if (entries.length === 0) return words.empty;
    const lines = entries.map(([key, one]) => `${pad}${words.key(key)}${inner(one)},`);
    return `${words.open}\n${lines.join("\n")}${close}${words.close}`;
  }
  if (typeof value === "string") return words.text(value);
  return words.constants[String(value)] ?? String(value);
}

const phpText = (value) => `'${value.replace(/[\\']/g, "\\$&")}'`;
const WORDS = {
  typescript: {
    indent: INDENT,
    open: "{",
    close: "}",
    empty: "{}",
    key: (name) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : json(name)}: `,
    text: json,
    constants: {},
  },
  python: {
    indent: INDENT + INDENT,
    open: "{",
    close: "}",
    empty: "{}",
    key: (name) => `${json(name)}: `,
    text: json,
    constants: { true: "True", false: "False", null: "None" },
  },
  php: {
    indent: INDENT + INDENT,
    open: "[",
    close: "]",
    empty: "new stdClass()",
    key: (name) => `${phpText(name)} => `,
    text: phpText,
    constants: {},
  },
};

/** The call as a shell command. */
export function curl(call, base) {
  const quote = (value) => `'${value.replaceAll("'", "'\\''")}'`;
  const key = given(call, "Idempotency-Key");
  const subAccount = given(call, "X-Sub-Account");
  const lines = [
    `curl ${call.method === "GET" ? "" : `-X ${call.method} `}${quote(addressOf(base, call))}`,
    ...(call.signed ? [`-H "Authorization: Bearer $${tokenName(call)}"`] : []),
    // The shell makes the key, so that this one must not stand in single quotes.
    ...(call.takesKey
      ? [`-H ${key === undefined ? '"Idempotency-Key: $(uuidgen)"' : quote(`Idempotency-Key: ${key}`)}`]
      : []),
    ...(subAccount === undefined ? [] : [`-H ${quote(`X-Sub-Account: ${subAccount}`)}`]),
    ...(call.file === undefined ? [] : [`-H 'Content-Type: ${call.file}'`, `--data-binary @${fileOf(call)}`]),
    ...(call.body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(call.body, null, 2))}`]),
  ];
  return `${call.takesKey ? `# ${KEY_NOTE}\n` : ""}${lines.join(" \\\n  ")}\n`;
}

/** The call by the SDK, `@pixgate/sdk`: it makes tokens and keys, and retries. */
export function typescript(call, base) {
  const name = call.operator ? "operator" : "pixgate";
  const type = call.operator ? "PixgateOperator" : "Pixgate";
  const secrets = call.operator
    ? ["token: process.env.PIXGATE_OPERATOR_TOKEN!"]
    : ["clientId: process.env.PIXGATE_CLIENT_ID!", "clientSecret: process.env.PIXGATE_CLIENT_SECRET!"];
  const head = [
    ...(call.file === undefined ? [] : ['import { readFile } from "node:fs/promises";']),
    `import { ${type} } from "@pixgate/sdk";`,
    "",
    `const ${name} = new ${type}({`,
    ...[`baseUrl: ${json(base)}`, ...secrets].map((line) => `${INDENT}${line},`),
    "});",
    ...(call.file === undefined
      ? []
      : [`const file = new Blob([await readFile(${json(fileOf(call))})], { type: ${json(call.file)} });`]),
    "",
  ].join("\n");
  // The client has no method for a login.
  if (!call.signed)
    return `${head}\n// Logs in by itself, and again before the token ends.\nconsole.log(await ${name}.account.get());\n`;
  const subAccount = given(call, "X-Sub-Account");
  const key = given(call, "Idempotency-Key");
  const of = (value) => literal(value, WORDS.typescript);
  const query = call.query.length > 0 ? of(Object.fromEntries(call.query)) : undefined;
  const options = key === undefined ? undefined : of({ idempotencyKey: key });
  // What stands before an argument is written even where it is empty.
  const optional = [
    ...(call.file === undefined ? [] : ["file"]),
    ...(call.takesBody && call.file === undefined ? [call.body === undefined ? undefined : of(call.body)] : []),
    ...(call.takesQuery ? [query] : []),
    options,
  ];
  const last = optional.findLastIndex((argument) => argument !== undefined);
  const written = optional.slice(0, last + 1).map((argument) => argument ?? "{}");
  const client = subAccount === undefined ? name : `${name}.subAccount(${json(subAccount)})`;
  const source = `${client}.${call.operationId}(${[...call.inPath.map(([, value]) => json(value)), ...written].join(", ")})`;
  if (call.list) return `${head}\nfor await (const item of ${source}) {\n${INDENT}console.log(item);\n}\n`;
  if (call.answer === "none") return `${head}\nawait ${source};\n`;
  return `${head}\nconst answer = await ${source};\nconsole.log(answer);\n`;
}

/** Headers as name and value, the value as an expression of the language. */
function headersOf(call, text, token, madeKey) {
  const key = given(call, "Idempotency-Key");
  const subAccount = given(call, "X-Sub-Account");
  return [
    ...(call.signed ? [["Authorization", token]] : []),
    ...(call.file === undefined ? [] : [["Content-Type", text(call.file)]]),
    ...(call.body === undefined ? [] : [["Content-Type", text("application/json")]]),
    ...(call.takesKey ? [["Idempotency-Key", key === undefined ? madeKey : text(key)]] : []),
    ...(subAccount === undefined ? [] : [["X-Sub-Account", text(subAccount)]]),
  ];
}

/** The call by Python's standard library. */
export function python(call, base) {
  const headers = headersOf(call, json, `"Bearer " + os.environ["${tokenName(call)}"]`, "str(uuid.uuid4())");
  const made = call.takesKey && given(call, "Idempotency-Key") === undefined;
  const imports = [
    ...(call.answer === "json" || call.body !== undefined ? ["import json"] : []),
    ...(call.signed ? ["import os"] : []),
    "import urllib.error",
    "import urllib.request",
    ...(made ? ["import uuid"] : []),
    ...(call.answer === "json" ? ["from decimal import Decimal"] : []),
  ];
  const body = call.body === undefined ? [] : [`body = ${literal(call.body, WORDS.python)}`];
  const request = [
    "request = urllib.request.Request(",
    `    ${json(addressOf(base, call))},`,
    `    method="${call.method}",`,
    "    headers={",
    ...headers.flatMap(([name, value]) => [
      ...(name === "Idempotency-Key" ? [`        # ${KEY_NOTE}`] : []),
      `        "${name}": ${value},`,
    ]),
    "    },",
    ...(call.file === undefined ? [] : [`    data=open(${json(fileOf(call))}, "rb").read(),`]),
    ...(call.body === undefined ? [] : ["    data=json.dumps(body).encode(),"]),
    ")",
  ];
  const shown = {
    json: "print(json.load(answer, parse_float=Decimal))",
    text: "print(answer.read().decode())",
    none: "print(answer.status)",
  };
  const send = [
    "try:",
    "    with urllib.request.urlopen(request) as answer:",
    `        ${shown[call.answer]}`,
    "except urllib.error.HTTPError as error:",
    '    raise SystemExit(f"{error.code} {error.read().decode()}")',
  ];
  return `${[...imports, "", ...body, ...request, ...send].join("\n")}\n`;
}

/** The call by PHP's curl extension. */
export function php(call, base) {
  const token = `'Bearer ' . getenv('${tokenName(call)}')`;
  const lines = headersOf(call, phpText, token, "bin2hex(random_bytes(16))").flatMap(([name, value]) => [
    ...(name === "Idempotency-Key" ? [`        // ${KEY_NOTE}`] : []),
    `        '${name}: ' . ${value},`,
  ]);
  return `${[
    "<?php",
    "",
    ...(call.body === undefined ? [] : [`$body = ${literal(call.body, WORDS.php)};`]),
    `$curl = curl_init(${phpText(addressOf(base, call))});`,
    "curl_setopt_array($curl, [",
    `    CURLOPT_CUSTOMREQUEST => '${call.method}',`,
    "    CURLOPT_RETURNTRANSFER => true,",
    "    CURLOPT_HTTPHEADER => [",
    ...lines,
    "    ],",
    ...(call.file === undefined ? [] : [`    CURLOPT_POSTFIELDS => file_get_contents(${phpText(fileOf(call))}),`]),
    ...(call.body === undefined ? [] : ["    CURLOPT_POSTFIELDS => json_encode($body, JSON_THROW_ON_ERROR),"]),
    "]);",
    "$answer = curl_exec($curl);",
    "if ($answer === false) {",
    "    throw new RuntimeException(curl_error($curl));",
    "}",
    "echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), ' ', $answer, PHP_EOL;",
  ].join("\n")}\n`;
}
