/** The code samples of the reference page, made from the documents' examples. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { addressOf } from "../../src/http/docs/call.js";
import { curl, php, python, typescript } from "../../src/http/docs/samples.js";
import { sampled, sampledOperations } from "./sampled-operations.ts";

const BASE = "https://pay.example.com";
const QUOTE = { body: '{"amount": 25.90, "split": []}' };
/** How a sample shows its answer. */
const PRINT = "console.log";
const installed = (command: string) => spawnSync(command, ["--version"]).status === 0;

describe("a code sample", () => {
  test("has an example for everything that its operation needs", () => {
    const missing = sampledOperations().flatMap(({ call, operation }) => [
      ...[...call.inPath, ...call.query]
        .filter(([name, value]) => value === name)
        .map(([name]) => `${call.path}: ${name}`),
      ...(operation.requestBody?.required && (call.body ?? call.file) === undefined ? [`${call.path}: body`] : []),
      ...(/[{}]/.test(addressOf(BASE, call)) ? [`${call.path}: path`] : []),
    ]);
    assert.deepEqual(missing, []);
  });

  test("in curl takes token and key from the shell", () => {
    assert.equal(
      curl(sampled("charges.quote", QUOTE), BASE),
      `# One key an action: a retry sends the same key.
curl -X POST 'https://pay.example.com/v2/pix/quote' \\
  -H "Authorization: Bearer $PIXGATE_TOKEN" \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -H 'Content-Type: application/json' \\
  -d '{
  "amount": 25.9,
  "split": []
}'
`,
    );
  });

  test("in TypeScript calls the SDK's method, and reads a list item by item", () => {
    assert.equal(
      typescript(sampled("charges.quote", QUOTE), BASE),
      `import { Pixgate } from "@pixgate/sdk";

const pixgate = new Pixgate({
  baseUrl: "https://pay.example.com",
  clientId: process.env.PIXGATE_CLIENT_ID!,
  clientSecret: process.env.PIXGATE_CLIENT_SECRET!,
});

const answer = await pixgate.charges.quote({
  amount: 25.9,
  split: [],
});
${PRINT}(answer);
`,
    );
    const values = { limit: "10", "X-Sub-Account": "loja-7" };
    assert.match(
      typescript(sampled("transactions.list", { values }), BASE),
      /for await \(const item of pixgate\.subAccount\("loja-7"\)\.transactions\.list\(\{\n {2}limit: 10,\n\}\)\) \{/,
    );
    const keyed = { values: { id: "a/b", "Idempotency-Key": "order-1042" }, body: "" };
    assert.match(
      typescript(sampled("charges.cancel", keyed), BASE),
      /pixgate\.charges\.cancel\("a\/b", \{\}, \{\n {2}idempotencyKey: "order-1042",\n\}\)/,
    );
  });

  test("in Python needs the standard library alone, and reads amounts as decimals", () => {
    const sample = python(sampled("charges.quote", QUOTE), BASE);
    assert.match(sample, /body = \{\n {4}"amount": 25\.9,\n {4}"split": \[\],\n\}\n/);
    assert.match(sample, /"Idempotency-Key": str\(uuid\.uuid4\(\)\),/);
    assert.match(sample, /json\.load\(answer, parse_float=Decimal\)/);
  });

  test("in PHP needs the curl extension alone", () => {
    const sample = php(sampled("charges.quote", QUOTE), BASE);
    assert.match(sample, /\$body = \[\n {4}'amount' => 25\.9,\n {4}'split' => \[\],\n\];\n/);
    assert.match(sample, /CURLOPT_POSTFIELDS => json_encode\(\$body, JSON_THROW_ON_ERROR\)/);
  });

  test("says as text whatever a form holds", () => {
    const hostile = `'"\\$(id)\`{$x}\n`;
    const call = sampled("charges.quote", {
      values: { "X-Sub-Account": hostile, "Idempotency-Key": hostile },
      body: JSON.stringify({ amount: 1, description: hostile, metadata: { [hostile]: null, yes: true } }),
    });
    const shell = curl(call, BASE).replace("curl -X", "printf '%s\\n' -X");
    const printed = spawnSync("bash", ["-c", shell], { encoding: "utf8" }).stdout;
    assert.ok(printed.includes(`Idempotency-Key: ${hostile}`), printed);
    assert.ok(printed.includes(JSON.stringify(hostile).slice(1, -1)), printed);
    assert.ok(php(call, BASE).includes(`'X-Sub-Account: ' . '\\'"\\\\$(id)\`{$x}\n'`));
    assert.ok(python(call, BASE).includes(`"X-Sub-Account": ${JSON.stringify(hostile)}`));
    assert.ok(typescript(call, BASE).includes(`subAccount(${JSON.stringify(hostile)})`));
  });

  test("of every operation is Python", { skip: installed("python3") ? false : "python3 is not installed" }, () => {
    const sources = sampledOperations().map(({ call }) => [call.operationId, python(call, BASE)]);
    const check = "import json, sys\nfor name, source in json.load(sys.stdin): compile(source, name, 'exec')";
    const checked = spawnSync("python3", ["-c", check], { input: JSON.stringify(sources), encoding: "utf8" });
    assert.equal(checked.status, 0, checked.stderr);
    assert.ok(sources.length > 100);
  });

  test("of every operation is PHP", { skip: installed("php") ? false : "php is not installed" }, () => {
    const sources = sampledOperations().map(({ call }) => [call.operationId, php(call, BASE)]);
    // One process compiles all and runs none: a process for each took twenty seconds.
    const check = `foreach (json_decode(stream_get_contents(STDIN)) as [$name, $source]) {
      try {
        eval("return; ?>$source");
      } catch (ParseError $error) {
        exit("$name: {$error->getMessage()}");
      }
      $compiled = ($compiled ?? 0) + 1;
    }
    echo $compiled;`;
    const checked = spawnSync("php", ["-r", check], { input: JSON.stringify(sources), encoding: "utf8" });
    assert.equal(checked.stdout, String(sources.length), checked.stderr);
    assert.ok(sources.length > 100);
  });
});
