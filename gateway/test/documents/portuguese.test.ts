/** The pages in Portuguese say what their twins in English say, wherever a program can compare; their requests succeed. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ERRORS } from "../../src/http/errors.ts";
import { EVENTS } from "../../src/program/events.ts";
import { DEFAULT_KINDS, EVENT_KINDS } from "../../src/webhooks/events/catalogue.ts";
import { FAILURE_REASONS } from "../../src/withdrawals/fail.ts";
import { credentialOf } from "../contract/merchant.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { playBank, receive } from "./play-bank.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const read = (page: string) => readFileSync(join(ROOT, page), "utf8");
const PAGES = globSync("docs/pt-BR/**/*.md", { cwd: ROOT }).sort();
/** Each page in Portuguese with a line `[English](…)` below its title, and the page that this names. */
const TWINS = PAGES.flatMap((page) => {
  const [, twin] = /^\[English\]\(([^)]+)\)$/m.exec(read(page)) ?? [];
  return twin === undefined ? [] : [[page, normalize(join(dirname(page), twin))] as const];
});

/** What both languages write alike: code of the API in sentences and tables, words of the API alone. */
const namesOf = (text: string) =>
  [
    ...new Set(
      [
        ...text.matchAll(/`([A-Z][A-Z_]{4,}|[a-z]+(?:_[a-z]+)+|[a-z]+[A-Z]\w+|(?:GET|POST|PUT|PATCH|DELETE) \/\S+)`/g),
      ].map(([, name]) => name!),
    ),
  ].sort();
/** Blocks of code that are no drawing; comments and texts of requests may be in the page's language. */
const blocksOf = (text: string) =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, language]) => language !== "mermaid")
    .map(([, , block]) => block!);
const drawingsOf = (text: string) => [...text.matchAll(/^```mermaid\n(\w+)/gm)].map(([, kind]) => kind!);

describe("A page in Portuguese", () => {
  test("has its twins", () => {
    assert.deepEqual(
      TWINS.map(([page]) => basename(page)),
      [
        "compatibilidade.md",
        "conceitos.md",
        "erros.md",
        "caixa.md",
        "conciliacao.md",
        "contestacoes.md",
        "links-de-pagamento.md",
        "marketplace.md",
        "migrar.md",
        "notas-fiscais.md",
        "primeira-cobranca.md",
        "saques.md",
        "vencimento.md",
        "webhooks-e-consulta.md",
        "woocommerce.md",
        "integrar.md",
        "lei-de-pagamentos.md",
        "operacao-completa.md",
        "pagina-do-pagador.md",
        "producao.md",
      ],
    );
  });

  for (const [page, twin] of TWINS)
    test(`${page} has the names, blocks, sections and drawings of ${twin}`, () => {
      const [portuguese, english] = [read(page), read(twin)];
      assert.deepEqual(namesOf(portuguese), namesOf(english));
      assert.deepEqual(blocksOf(portuguese), blocksOf(english));
      assert.deepEqual(drawingsOf(portuguese), drawingsOf(english));
      const headings = (text: string) => [...text.matchAll(/^(#+) /gm)].map(([, level]) => level);
      assert.deepEqual(headings(portuguese), headings(english));
    });

  test("is named by the README in Portuguese or by the list of all", () => {
    const list = read("docs/pt-BR/README.md");
    for (const page of PAGES.slice().filter((one) => basename(one) !== "README.md"))
      assert.ok(list.includes(page.replace("docs/pt-BR/", "")), page);
  });
});

test("The handbook of incidents in Portuguese has a line for every runbook", () => {
  const handbook = read("docs/pt-BR/incidentes.md");
  const runbooks = globSync("docs/runbooks/*.md", { cwd: ROOT }).map((path) => basename(path, ".md"));
  assert.ok(runbooks.length >= 20);
  assert.deepEqual(
    runbooks.filter((name) => !handbook.includes(`| [${name}](../runbooks/${name}.md) |`)),
    [],
  );
});

test("The page on webhooks in Portuguese has a line for every kind of event, and says which are standard", () => {
  const page = read("docs/pt-BR/webhooks.md");
  const lines = [...page.matchAll(/^\| `([a-z_]+)` \| [^|]+ \| (sim|não) \| [^|]+ \|$/gm)];
  assert.deepEqual(
    Object.fromEntries(lines.map(([, kind, standard]) => [kind, standard === "sim"])),
    Object.fromEntries(EVENT_KINDS.map((kind) => [kind, DEFAULT_KINDS.includes(kind)])),
  );
});

describe("The codes of the pages on errors and migrating", () => {
  test("are codes of the API, and every failure of a payout is explained", () => {
    const known: string[] = Object.keys(ERRORS);
    const page = read("docs/errors.md");
    const codes = namesOf(page).filter((name) => /^[A-Z_]+$/.test(name));
    assert.deepEqual(
      codes.filter((code) => !known.includes(code)),
      [],
    );
    const [, table = ""] = page.split("| `failureCode` | meaning |");
    const explained = [...table.matchAll(/`([a-z]+_[a-z_]+|cancelled|denied|rejected)`/g)].map(([, code]) => code!);
    for (const code of [...Object.keys(FAILURE_REASONS), "psp_error", "not_carried_out"])
      assert.ok(explained.includes(code), code);
  });

  test("the guide to migrating names calls and events that there are", () => {
    const paths = Object.keys((JSON.parse(read("openapi/merchant.json")) as { paths: object }).paths);
    const page = read("docs/guides/migrating.md");
    // The last column is Pixgate's.
    const ours = page
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .map((line) => line.split(" | ").at(-1)!);
    const calls = ours.flatMap((cell) => [...cell.matchAll(/`(?:GET|POST) (\/v2\/[^`? ]+)/g)].map(([, path]) => path!));
    assert.ok(calls.length > 25);
    assert.deepEqual(
      calls.filter((path) => !paths.includes(path)),
      [],
    );
    const kinds = ours.flatMap((cell) =>
      [...cell.matchAll(/`((?:payment|refund|withdrawal|balance_block)_[a-z]+)`/g)].map(([, kind]) => kind!),
    );
    assert.ok(kinds.length > 15);
    assert.deepEqual(
      kinds.filter((kind) => !(kind in EVENTS)),
      [],
    );
  });

  test("the guide to migrating names fields and states that there are", () => {
    const reference = JSON.stringify(JSON.parse(read("openapi/merchant.json")));
    const fields = new Set([...reference.matchAll(/"(\w+)":\{/g)].map(([, name]) => name!));
    const values = new Set(
      [...reference.matchAll(/"(?:x-extensible-)?enum":\[([^\]]*)\]/g)].flatMap(([, listed]) =>
        JSON.parse(`[${listed}]`),
      ),
    );
    const cellsOf = (heading: string) => {
      const tables = read("docs/guides/migrating.md").split(new RegExp(`^\\| ${heading}.*\\| Pixgate \\|$`, "m"));
      const rows = tables.slice(1).flatMap((table) => table.split("\n\n")[0]!.split("\n"));
      return rows.flatMap((row) => [...(row.split(" | ").at(-1) ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name!));
    };
    const [named, states] = [cellsOf("field"), cellsOf("state")];
    assert.ok(named.length > 25 && states.length > 25, `${named.length} fields, ${states.length} states`);
    const known = (name: string) => fields.has(name) || values.has(name);
    assert.deepEqual([named.filter((name) => !known(name)), states.filter((name) => !known(name))], [[], []]);
  });
});

test("No text of the console or of the API calls a wallet an account at a bank", () => {
  const files = globSync(["console/src/texts/*.json", "openapi/*.json"], { cwd: ROOT });
  assert.ok(files.length >= 8, `${files.length} files`);
  const wrong = /bank account|payment account|checking account|conta (?:banc[aá]ria|corrente|digital|de pagamento)/i;
  const found = files.flatMap((file) => {
    const [text] = wrong.exec(read(file)) ?? [];
    return text === undefined ? [] : [`${file}: ${text}`];
  });
  assert.deepEqual(found, []);
});

describe("The requests of the pages in Portuguese", () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    // The pages register https://example.com: in a sandbox also a name that nobody knows, so no name server is needed.
    gateway = await startGateway({}, { resolve: () => Promise.reject(new Error("there is no DNS in a test")) });
    receiver = await startReceiver();
  });
  after(async () => {
    await gateway.end();
    await receiver.close();
  });

  test("the error that the page shows is the one of an empty wallet", async () => {
    const withdrawal = {
      amount: 100,
      pixKey: "maria@example.com",
      pixKeyType: "email",
      holderName: "Maria Silva",
      holderDocument: "52998224725",
      holderDocumentType: "cpf",
    };
    const refused = await gateway.merchant.post<object>("/withdrawals", withdrawal);
    const shown = JSON.parse(
      /<!-- example: error -->\n```json\n([^`]*(?:`[^`]+`[^`]*)*?)```/.exec(read("docs/errors.md"))![1]!,
    ) as object;
    const of = (body: object) => ({ ...body, timestamp: "", traceId: "" });
    assert.deepEqual(of(refused.body), of(shown));
  });

  for (const page of ["docs/pt-BR/integrar.md", "docs/pt-BR/webhooks.md"])
    test(`${page}: succeed as written, in their order, with the permissions that it names`, async () => {
      const made = await gateway.operator.post<{ id: string }>("/accounts", { name: page });
      const full = await credentialOf(gateway, made.body.id);
      const endpoint = await full.post<{ id: string }>("/webhook-endpoints", { url: receiver.url });
      await receive(full, 100);
      const permissions = [
        ...new Set([...read(page).matchAll(/`([A-Z_]+:(?:READ|WRITE))`/g)].map(([, name]) => name!)),
      ];
      const client = await credentialOf(gateway, made.body.id, { permissions });
      const requests = [...read(page).matchAll(/^ *```\n *(GET|POST) \/v2(\/\S+)( .*)?\n([^`]*)^ *```$/gm)];
      assert.ok(requests.length >= 4, `${requests.length} requests`);
      for (const [, method, path, head = "", body] of requests) {
        const headers = Object.fromEntries(
          [...head.matchAll(/([A-Z][\w-]+): (\S+)/g)].map(([, name, value]) => [name!, value!]),
        );
        const sent = body!.trim() === "" ? undefined : body!;
        let id = endpoint.body.id;
        if (path!.endsWith("/refund")) {
          id = (await client.get<{ id: string }>("/transactions/order-1042")).body.id;
          await playBank(full, { path: `/sandbox/pix/${id}/pay` });
        }
        const reply = await client.send(method!, path!.replace("{id}", id), sent, { headers });
        assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
      }
    });
});
